/// The links of one column, which are either in the column's tree of formats 2 to 9 or in clusters.
struct LegacyLinks {
    private let space: NodeSpace
    private let table: LegacyTable
    private let column: Int
    private let target: LegacyTable

    init(_ space: NodeSpace, _ table: LegacyTable, _ column: Int, _ target: LegacyTable) {
        (self.space, self.table, self.column, self.target) = (space, table, column, target)
    }

    /// Calls `body` with the index of each object that has a link and with the index of its target,
    /// both in their tables. The calls are in ascending order of the first index. Throws `corrupt`
    /// if a target does not exist.
    func forEachPair(_ body: (Int, Int) throws(RealmError) -> Void) throws(RealmError) {
        let root = table.roots[column]
        if root.isNone { return try forEachInClusters(body) }
        let reader = LegacyColumnReader(
            space, table.spec.columns[column], root, targets: target.rows)
        if table.keysAreRows {
            return try reader.forEachLink(0..<table.rows) { (row, link) throws(RealmError) in
                try body(row, target.index(ofRow: link, from: root))
            }
        }
        for object in 0..<table.rows {
            let row = table.row(object)
            try reader.forEachLink(row..<row + 1) { (_, link) throws(RealmError) in
                try body(object, target.index(ofRow: link, from: root))
            }
        }
    }

    private func forEachInClusters(
        _ body: (Int, Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        guard let objects = table.objects else { return }
        let isList = table.spec.columns[column].type == .linkList
        for (i, ref) in objects.leaves.enumerated() {
            let leaf = try ClusterLeaf(space, ref, node: space.node(ref), base: 0)
            let links = try leaf.columnRef(table.spec.columns[column].leafIndex)
            let layout = LeafLayout(
                type: .link, isNullable: false, collection: isList ? .list : nil, target: .none,
                distinct: .none, hasIntegerKeys: false)
            let values = try ColumnLeaf(space, links, layout, rows: leaf.count)
            for row in 0..<leaf.count {
                try forEachLink(in: values.stored(row)) { (key) throws(RealmError) in
                    try body(objects.starts[i] + row, target.index(ofKey: key, from: links))
                }
            }
        }
    }

    private func forEachLink(
        in value: Value, _ body: (Int64) throws(RealmError) -> Void
    ) throws(RealmError) {
        switch value {
        case .link(let link): try body(link.key.raw)
        case .list(let view):
            var cursor = ElementCursor(space, view)
            while case .link(let link)? = try cursor.nextStored() { try body(link.key.raw) }
        default: break
        }
    }
}
