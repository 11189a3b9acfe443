/// The objects a search index names for one term of a query, gathered by leaf.
///
/// An index narrows down; every candidate is still tested, so results never depend on it (query
/// language 23).
struct IndexCandidates: Sendable {
    /// Leaves that hold candidates, in table order.
    let units: [QueryUnit]
    /// What was looked up, for `explain`.
    let description: String
    let count: Int

    /// Nil when no index helps with `condition`.
    init?(
        _ condition: BoundCondition, _ table: TableInfo, _ snapshot: Snapshot
    ) throws(RealmError) {
        guard let lookup = Self.lookup(for: condition, table) else { return nil }
        var keys: [ObjectKey] = []
        let index = SearchIndex(space: snapshot.lookup, root: lookup.column.indexRoot)
        for value in lookup.values { try index.candidates(for: value, into: &keys) }
        keys.sort { UInt64(bitPattern: $0.raw) < UInt64(bitPattern: $1.raw) }
        units = try Self.units(keys, table, snapshot)
        count = units.reduce(0) { $0 + $1.among.count }
        description = "index \(table.className).\(lookup.column.name)"
    }

    private struct Lookup {
        let column: ColumnInfo
        let values: [Value]
    }

    /// The term an index serves best: equality or IN on an indexed column, itself or in an AND.
    private static func lookup(
        for condition: BoundCondition, _ table: TableInfo
    ) -> Lookup? {
        switch condition {
        case .test(let test): return lookup(for: test, table)
        case .and(let children):
            var best: Lookup?
            for child in children {
                guard case .test(let test) = child, let found = lookup(for: test, table) else {
                    continue
                }
                // A unique key beats everything, otherwise fewer look-ups win.
                if found.column.key == table.primaryKey.map({ table.columns[$0].key }) {
                    return found
                }
                if best == nil || found.values.count < best!.values.count { best = found }
            }
            return best
        default: return nil
        }
    }

    private static func lookup(for test: ColumnTest, _ table: TableInfo) -> Lookup? {
        guard !test.foldsCase, test.relation == .equal,
            let column = table.columns.first(where: { $0.leafIndex == test.column.leafIndex }),
            column.index == .general, column.collection == nil
        else { return nil }
        let values: [Value]
        switch test.operand {
        case .strict(let value): values = [value]
        case .members(let members): values = members
        case .general(.null): values = [.null]
        case .general, .anyOf, .range: return nil
        }
        switch column.type {
        case .int, .bool, .string, .timestamp, .objectID, .uuid: break
        default: return nil
        }
        return Lookup(column: column, values: values)
    }

    /// Sorted keys as selections of leaves; repeated ones and those without an object vanish.
    private static func units(
        _ keys: [ObjectKey], _ table: TableInfo, _ snapshot: Snapshot
    ) throws(RealmError) -> [QueryUnit] {
        let tree = ClusterTree(space: snapshot.lookup, root: table.root)
        var units: [QueryUnit] = []
        var current: (leaf: ClusterLeaf, among: Selection)?
        func close() {
            guard let (leaf, among) = current else { return }
            let location = LeafLocation(
                ref: leaf.ref, base: leaf.base, position: 0, count: leaf.count)
            units.append(QueryUnit(location: location, among: among))
            current = nil
        }
        for key in keys {
            if let leaf = current?.leaf, let row = leaf.row(of: key) {
                current!.among.insert(row)
                continue
            }
            guard let (leaf, row) = try tree.find(key) else { continue }
            close()
            current = (leaf, .none)
            current!.among.insert(row)
        }
        close()
        return units
    }
}
