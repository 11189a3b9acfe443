/// The nodes of a table: the refs that the last flush stored, and the editors of the trees that are
/// open.
struct TableTrees {
    var top: Ref
    var collisions: Ref
    var objects: Tree
    /// The tree of tombstones, whose keys are negative.
    var tombstones: Tree

    /// A tree of objects, which is opened for editing when it is first used.
    struct Tree {
        /// Root when the tree was last written; none if it is empty.
        var root: Ref
        var editor: ClusterEditor?

        /// Updates `root`, after writing objects that are not yet in the tree.
        mutating func finish() throws(RealmError) {
            if let editor { root = try editor.finish() }
        }
    }

    /// The refs of a new table, for which no node has been written.
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
