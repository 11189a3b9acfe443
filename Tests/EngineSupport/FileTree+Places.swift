@testable import RealmEngine

/// Access to nodes of a decoded file by table and column.
extension FileTree {
    var names: TreeNode { top[0] }
    var tables: TreeNode { top[1] }
    var history: TreeNode { top[8] }

    private static func text(_ names: TreeNode) -> [String] {
        guard case .bytes(let bytes, let count) = names.content, count > 0 else { return [] }
        let width = bytes.count / count
        return (0..<count).map { i in
            let cell = bytes[(i * width)..<((i + 1) * width)]
            return String(decoding: cell.prefix(max(0, width - 1 - Int(cell.last!))), as: UTF8.self)
        }
    }

    /// Returns the table called `name`.
    func table(_ name: String) -> TreeNode { tables[Self.text(names).firstIndex(of: name)!] }

    func spec(_ table: String) -> TreeNode { self.table(table)[0] }

    /// Returns the index of a property among the column names in its table's spec (column
    /// descriptions).
    func position(_ table: String, _ column: String) -> Int {
        Self.text(spec(table)[1]).firstIndex(of: column)!
    }

    func key(_ table: String, _ column: String) -> ColumnKey {
        ColumnKey(spec(table)[5].integers[position(table, column)])
    }

    /// Returns the first leaf of a cluster tree.
    func cluster(_ table: String, tombstones: Bool = false) -> TreeNode {
        var node = self.table(table)[tombstones ? 13 : 2]
        while node.flags & 0x80 != 0 { node = node[3] }
        return node
    }

    /// Returns a column's leaf in the first cluster.
    func leaf(_ table: String, _ column: String, tombstones: Bool = false) -> TreeNode {
        cluster(table, tombstones: tombstones)[1 + key(table, column).leafIndex]
    }

    func replaceLeaf(_ table: String, _ column: String, with node: TreeNode) {
        cluster(table)[1 + key(table, column).leafIndex] = node
    }

    /// Returns the root node of the first collection that is not empty in a column.
    func collection(_ table: String, _ column: String) -> TreeNode {
        leaf(table, column).children[0]
    }

    /// Returns the leaf index of the column in `table` with the backlinks of `origin`.`column`.
    func backlinkIndex(_ table: String, of column: String, in origin: String) -> Int {
        let wanted = key(origin, column).raw
        let node = self.table(table)
        let columns = node[8].integers
        let origins = node[7].integers
        let originKey = Int64(self.table(origin).tag(3))
        return columns.indices.first { columns[$0] == wanted && origins[$0] == originKey }!
    }

    func backlinks(_ table: String, of column: String, in origin: String) -> TreeNode {
        cluster(table)[1 + backlinkIndex(table, of: column, in: origin)]
    }

    func index(_ table: String, _ column: String) -> TreeNode {
        self.table(table)[4][key(table, column).leafIndex]
    }

    /// Returns all nodes of the subtree of `node` that satisfy `isWanted`.
    func nodes(below node: TreeNode, where isWanted: (TreeNode) -> Bool) -> [TreeNode] {
        (isWanted(node) ? [node] : []) + node.children.flatMap { nodes(below: $0, where: isWanted) }
    }
}
