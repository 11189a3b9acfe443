/// Properties that commits set, collected from their changesets (storage format 7.3).
///
/// Includes assignments of an equal value, which a comparison of versions does not find. Free to
/// cross threads.
struct PropertyAssignments: Sendable {
    struct Assignment: Hashable {
        let object: ObjectKey
        let column: ColumnKey
    }

    /// Assignments of each table, in the order of the changesets.
    private(set) var tables: [TableKey: [Assignment]] = [:]

    var isEmpty: Bool { tables.isEmpty }

    /// Adds the assignments of a changeset. Skips objects that `changes` contains as inserted.
    ///
    /// Throws `corrupt` for an invalid changeset; no assignment is added then.
    mutating func add(
        _ changeset: ByteView, besides changes: ChangeSet? = nil
    ) throws(RealmError) {
        var found: [TableKey: [Assignment]] = [:]
        var (table, inserted) = (TableKey?.none, TableChanges?.none)
        var collection: Assignment?
        var current: [Assignment] = []
        func keep() { if let table, !current.isEmpty { found[table, default: []] += current } }
        func note(_ assignment: Assignment) {
            if current.last == assignment { return }
            if inserted?.isInserted(assignment.object) != true { current.append(assignment) }
        }
        var parser = ChangeLogParser(changeset)
        while let instruction = try parser.next() {
            switch instruction {
            case .selectTable(let key):
                keep()
                (table, inserted) = (key, changes?[key])
                (collection, current) = (nil, [])
            case .set(let column, let object): note(Assignment(object: object, column: column))
            case .selectCollection(let column, let object, _):
                collection = Assignment(object: object, column: column)
            case .collectionInsert, .collectionSet, .collectionMove, .collectionErase,
                .collectionClear:
                if let collection { note(collection) }
            default: break
            }
        }
        keep()
        tables.merge(found) { $0 + $1 }
    }
}

extension ChangeSet {
    /// Returns the changes, and marks as modified also properties to which an equal value was
    /// assigned. These assignments are read from the change logs that `new` contains for the
    /// commits between the versions. Missing or invalid logs are skipped.
    ///
    /// - Parameters:
    ///   - later: assignments of commits in `new` whose change logs are not in the
    ///     file yet.
    ///   - new: the newer of the compared versions.
    func adding(
        _ later: PropertyAssignments, loggedIn new: Snapshot
    ) throws(RealmError) -> ChangeSet {
        var all = later
        if let top = new.state.top, top.version > from,
            let history = try? ChangeHistory(new.lookup, top)
        {
            let wanted = Int(clamping: top.version - from)
            // Without the change logs, only assignments of equal values are missing. Therefore
            // ignore errors of reading the logs.
            try? history.forEachLast(wanted) { (_, changeset) throws(RealmError) in
                try? all.add(changeset, besides: self)
            }
        }
        var result = self
        for (key, assignments) in all.tables {
            guard let info = new.schema.table(key) else { continue }
            var changes = self[key] ?? TableChanges(old: info, new: info)
            // Skip new tables: all of their objects count as inserted, so none is marked as
            // modified.
            if changes.old == nil { continue }
            changes.merge(try changes.marks(of: assignments, new.table(info)))
            if !changes.isEmpty { result[key] = changes }
        }
        return result
    }
}

extension TableChanges {
    /// Returns the given assignments, sorted by object. Leaves out assignments to objects that do
    /// not exist in both versions, and to properties that do not exist in the newer version.
    fileprivate func marks(
        of assignments: [PropertyAssignments.Assignment], _ table: Table
    ) throws(RealmError) -> [Mark] {
        var columns: [ColumnKey: Int] = [:]
        for (i, column) in table.info.columns.enumerated() { columns[column.key] = i }
        var marks: [Mark] = []
        for assignment in assignments {
            guard let column = columns[assignment.column] else { continue }
            marks.append(Mark(object: assignment.object, column: column))
        }
        marks.sort { ($0.object, $0.column) < ($1.object, $1.column) }
        var (last, isThere) = (ObjectKey?.none, false)
        var result: [Mark] = []
        for mark in marks {
            if mark.object != last {
                last = mark.object
                isThere = modification(of: mark.object) != nil
                if !isThere, !isInserted(mark.object), !mark.object.isUnresolved {
                    isThere = try table.row(mark.object) != nil
                }
            }
            if isThere { result.append(mark) }
        }
        return result
    }
}
