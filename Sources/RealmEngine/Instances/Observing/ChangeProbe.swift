/// Checks whether objects changed between two versions, according to a filter. Confined to the
/// thread of its snapshots.
package final class ChangeProbe {
    private let changes: ChangeSet
    private let old: Snapshot
    private let new: Snapshot
    private let filter: ChangeFilter
    /// Element n contains the tables from which a modified object can be reached through at most n
    /// links.
    private var reachable: [Set<TableKey>] = []
    private var known: [Visit: Bool] = [:]
    /// Objects from which a modified object can be reached. Nil if the filter does not follow
    /// links, or if there are too many such objects.
    private lazy var leading: ReverseReachability? = {
        guard case .linked(let depth) = filter.reach else { return nil }
        return try? ReverseReachability(to: changes, in: filter.table, within: depth, new)
    }()

    /// Quick filter for objects from which no modified object can be reached: one bit for each
    /// value of the lowest six bits of a key. A bit is set if no key in `leading` has these lowest
    /// six bits; an object with such a key is unchanged. 0 before `leading` was built. The check
    /// does not access `leading`, and thus needs no reference count.
    private var absent: UInt64 = 0

    private struct Visit: Hashable {
        let object: ObjectLink
        let depth: Int
    }

    /// - Parameter changes: changes from `old` to `new`.
    package init(
        _ changes: ChangeSet, _ filter: ChangeFilter, from old: Snapshot, to new: Snapshot
    ) {
        self.changes = changes
        self.filter = filter
        self.old = old
        self.new = new
        guard case .linked(let depth) = filter.reach else { return }
        var tables = Set(changes.tables.filter { !$0.modifications.isEmpty }.map(\.table))
        reachable.append(tables)
        for _ in 0..<depth {
            for info in new.schema.tables
            where info.columns.contains(where: { Self.mayReference($0, to: tables) }) {
                tables.insert(info.key)
            }
            reachable.append(tables)
        }
    }

    private static func mayReference(_ column: ColumnInfo, to tables: Set<TableKey>) -> Bool {
        switch column.type {
        case .link: tables.contains(column.target)
        case .mixed, .typedLink: !tables.isEmpty
        default: false
        }
    }

    /// Keys of the only objects that the filter may count as changed, ascending; nil if every
    /// object must be checked.
    @_optimize(size)
    var changeCandidates: [ObjectKey]? {
        switch filter.reach {
        case .own: return changes[filter.table]?.modifications ?? []
        case .linked: return leading?.sortedKeys
        case .paths(let paths):
            return paths.allSatisfy(Self.staysAtObject)
                ? changes[filter.table]?.modifications ?? [] : nil
        }
    }

    private static func staysAtObject(_ path: [ChangeFilter.Step]) -> Bool {
        if path.count == 1, case .property = path[0] { return true }
        return path.isEmpty
    }

    /// Whether the filter counts the object as changed. The object must exist in both versions.
    /// Throws `corrupt`.
    package func isModified(_ key: ObjectKey) throws(RealmError) -> Bool {
        if absent & ReverseReachability.digit(key) != 0 { return false }
        if let leading {
            absent = ~leading.digits
            return leading.contains(key)
        }
        let object = ObjectLink(table: filter.table, key: key)
        switch filter.reach {
        case .own: return changes[filter.table]?.modification(of: key) != nil
        case .linked(let depth): return try isModified(object, depth: depth)
        case .paths(let paths):
            for path in paths where try isModified(object, path[...]) { return true }
            return false
        }
    }

    /// Returns the indexes of the object's columns that the filter counts as changed. With key
    /// paths, returns the first column of each path along which something changed. Nil if nothing
    /// changed.
    package func changedColumns(of key: ObjectKey) throws(RealmError) -> [Int]? {
        guard case .paths(let paths) = filter.reach else {
            guard let changes = changes[filter.table], let i = changes.modification(of: key)
            else { return nil }
            let columns = changes.changedColumns(i)
            return columns.isEmpty ? nil : columns
        }
        guard let info = new.schema.table(filter.table) else { return nil }
        let object = ObjectLink(table: filter.table, key: key)
        var columns: Set<Int>?
        for path in paths where try isModified(object, path[...]) {
            columns = columns ?? []
            guard case .property(let key) = path[0] else { continue }
            if let column = info.columns.firstIndex(where: { $0.key == key }) {
                columns?.insert(column)
            }
        }
        return columns?.sorted()
    }

    private func isModified(_ object: ObjectLink, depth: Int) throws(RealmError) -> Bool {
        guard reachable[depth].contains(object.table) else { return false }
        if changes[object.table]?.modification(of: object.key) != nil { return true }
        if depth == 0 { return false }
        let visit = Visit(object: object, depth: depth)
        if let answer = known[visit] { return answer }
        known[visit] = false
        guard let row = try new.table(object.table).row(object.key) else { return false }
        let next = reachable[depth - 1]
        for (index, column) in row.table.info.columns.enumerated()
        where Self.mayReference(column, to: next) {
            if try anyLink(
                try row.value(index),
                { (link) throws(RealmError) in
                    try isModified(link, depth: depth - 1)
                })
            {
                known[visit] = true
                return true
            }
        }
        return false
    }

    private func isModified(
        _ object: ObjectLink, _ path: ArraySlice<ChangeFilter.Step>
    ) throws(RealmError) -> Bool {
        switch path.first {
        case .property(let key)?: try isModified(object, key, path.dropFirst())
        case .incoming(let table, let key)?:
            try isModified(object, from: table, key, path.dropFirst())
        case nil: false
        }
    }

    private func isModified(
        _ object: ObjectLink, _ key: ColumnKey, _ rest: ArraySlice<ChangeFilter.Step>
    ) throws(RealmError) -> Bool {
        guard let info = new.schema.table(object.table),
            let column = info.columns.firstIndex(where: { $0.key == key })
        else { return false }
        if let changes = changes[object.table], let i = changes.modification(of: object.key),
            changes.isChanged(i, column: column)
        {
            return true
        }
        guard !rest.isEmpty, let row = try new.table(info).row(object.key) else { return false }
        return try anyLink(try row.value(column)) { (link) throws(RealmError) in
            try isModified(link, rest)
        }
    }

    /// Whether the objects that link to `object` are no longer the same, or whether one of these
    /// linking objects changed in a property on `rest`. `rest` contains the following steps of the
    /// key path.
    private func isModified(
        _ object: ObjectLink, from table: TableKey, _ key: ColumnKey,
        _ rest: ArraySlice<ChangeFilter.Step>
    ) throws(RealmError) -> Bool {
        // If the table of the links has no change, the same objects link to `object` as before.
        let mayDiffer = changes[table] != nil
        if !mayDiffer, rest.isEmpty { return false }
        let origins = try Self.origins(of: object, table, key, new)
        if mayDiffer, try origins != Self.origins(of: object, table, key, old) { return true }
        if rest.isEmpty { return false }
        for origin in origins where try isModified(ObjectLink(table: table, key: origin), rest) {
            return true
        }
        return false
    }

    private static func origins(
        of object: ObjectLink, _ table: TableKey, _ column: ColumnKey, _ snapshot: Snapshot
    ) throws(RealmError) -> Set<ObjectKey> {
        guard let info = snapshot.schema.table(object.table),
            let backlink = info.backlinks.first(where: {
                $0.origin == table && $0.originColumn == column
            }), let row = try snapshot.table(info).row(object.key)
        else { return [] }
        var keys: Set<ObjectKey> = []
        var cursor = try row.backlinks(backlink)
        while let key = try cursor.next() { keys.insert(key) }
        return keys
    }

    /// Whether `body` returns true for any link in the value, which may be a collection.
    private func anyLink(
        _ value: Value, _ body: (ObjectLink) throws(RealmError) -> Bool
    ) throws(RealmError) -> Bool {
        switch value {
        case .link(let link): return try body(link)
        case .list(let view), .set(let view):
            var elements = new.elements(of: view)
            while let element = try elements.next() {
                if try anyLink(element, body) { return true }
            }
        case .dictionary(let view):
            var entries = try new.entries(of: view)
            while let (_, element) = try entries.next() {
                if try anyLink(element, body) { return true }
            }
        default: break
        }
        return false
    }
}
