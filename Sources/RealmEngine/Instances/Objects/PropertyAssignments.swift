/// Which properties of which objects commits set, as their changesets tell (storage format 7.3).
///
/// Storing the value that is there already leaves no other trace: versions compare equal. Free to
/// cross threads.
struct PropertyAssignments: Sendable {
    struct Assignment: Hashable {
        let object: ObjectKey
        let column: ColumnKey
    }

    /// In the order met.
    private(set) var tables: [TableKey: [Assignment]] = [:]

    var isEmpty: Bool { tables.isEmpty }

    /// Adds what a changeset says, except of objects that `changes` has as inserted.
    ///
    /// Throws `corrupt`, having added nothing, for one that makes no sense.
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
    /// The same changes, with what was set to an equal value among the modified properties: what the
    /// change logs of the commits between the versions say, as far as they are there and make sense.
    ///
    /// - Parameters:
    ///   - new: the newer version compared.
    ///   - later: what commits set that `new` has but its log has not.
    func adding(
        _ later: PropertyAssignments, loggedIn new: Snapshot
    ) throws(RealmError) -> ChangeSet {
        var all = later
        if let top = new.state.top, top.version > from,
            let history = try? ChangeHistory(new.lookup, top)
        {
            let wanted = Int(clamping: top.version - from)
            // Without all of them nothing is missing that the comparison sees.
            try? history.forLast(wanted) { (_, changeset) throws(RealmError) in
                try? all.add(changeset, besides: self)
            }
        }
        var result = self
        for (key, assignments) in all.tables {
            guard let info = new.schema.table(key) else { continue }
            var changes = self[key] ?? TableChanges(old: info, new: info)
            // All objects of a new table are inserted.
            if changes.old == nil { continue }
            changes.merge(try changes.marks(of: assignments, new.table(info)))
            if !changes.isEmpty { result[key] = changes }
        }
        return result
    }
}

extension TableChanges {
    /// What of `assignments` concerns objects that both versions have, and properties that the newer
    /// one has; ascending by object.
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
