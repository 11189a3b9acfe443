/// Nodes of a table: refs as last written, and the editors of the trees in use.
struct TableTrees {
    var top: Ref
    var collisions: Ref
    var objects: Tree
    /// Tombstones, whose keys are negative.
    var tombstones: Tree

    /// A tree of objects, opened for editing at its first use.
    struct Tree {
        /// Root as last written; none for an empty tree.
        var root: Ref
        var editor: ClusterEditor?

        /// Writes the nodes that are only in memory.
        mutating func finish() throws(RealmError) {
            if let editor { root = try editor.finish() }
        }
    }

    /// Refs of a new table, which has no nodes.
    static var none: TableTrees {
        TableTrees(
            top: .none, collisions: .none, objects: Tree(root: .none),
            tombstones: Tree(root: .none))
    }

    init(_ info: TableInfo) {
        self.init(
            top: info.top, collisions: info.collisions, objects: Tree(root: info.root),
            tombstones: Tree(root: info.tombstones))
    }

    private init(top: Ref, collisions: Ref, objects: Tree, tombstones: Tree) {
        (self.top, self.collisions) = (top, collisions)
        (self.objects, self.tombstones) = (objects, tombstones)
    }

    func beginTransaction() {
        objects.editor?.beginTransaction()
        tombstones.editor?.beginTransaction()
    }
}
