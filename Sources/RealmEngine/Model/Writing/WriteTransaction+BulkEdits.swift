/// Edits of many objects or leaves. They keep the transaction's memory within `memoryLimit` by
/// spilling between two objects or leaves.
///
/// For that, all bulk edits visit objects and leaves through these functions. Between two calls of
/// `body`, all changes are stored in nodes. A spill invalidates editors of trees and indexes, and
/// values that the transaction made but did not store. Editors of tables stay valid.
extension WriteTransaction {
    /// Calls `body` with each object key. Before each call, spills if memory exceeds the limit.
    package func visitObjects(
        _ keys: some Sequence<ObjectKey>, _ body: (ObjectKey) throws(RealmError) -> Void
    ) throws(RealmError) {
        for key in keys {
            if size > memoryLimit { try spill() }
            try body(key)
        }
    }

    /// Calls `body` with each leaf in the tree of a table's objects.
    func visitLeaves(
        of editor: TableEditor,
        _ body: (ClusterEditor, ClusterEditor.LeafSlot) throws(RealmError) -> Void
    ) throws(RealmError) {
        try visitLeaves({ () throws(RealmError) in try editor.clusters() }, editor, body)
    }

    /// Calls `body` with each leaf in the tree of a table's tombstones.
    func visitTombstones(
        of editor: TableEditor,
        _ body: (ClusterEditor, ClusterEditor.LeafSlot) throws(RealmError) -> Void
    ) throws(RealmError) {
        try visitLeaves({ () throws(RealmError) in try editor.tombstones() }, editor, body)
    }

    private func visitLeaves(
        _ tree: () throws(RealmError) -> ClusterEditor?, _ editor: TableEditor,
        _ body: (ClusterEditor, ClusterEditor.LeafSlot) throws(RealmError) -> Void
    ) throws(RealmError) {
        var next: UInt64? = 0
        while let key = next {
            try spillIfNeeded()
            guard let clusters = try tree() else { return }
            editor.markDirty()
            next = try clusters.visitLeaf(of: key) { (place) throws(RealmError) in
                try body(clusters, place)
            }
        }
    }

    /// Runs `body` as a bulk edit, during which `spillIfNeeded` may write nodes to the file.
    ///
    /// Outside of bulk edits `spillIfNeeded` does nothing: an ordinary edit can call it, for
    /// example by deleting embedded objects, while the edit uses tree editors that a spill would
    /// invalidate.
    func inBulk(_ body: () throws(RealmError) -> Void) throws(RealmError) {
        let before = isBulk
        isBulk = true
        defer { isBulk = before }
        try body()
    }

    /// In a bulk edit, spills if memory exceeds the limit. Does nothing in other edits.
    func spillIfNeeded() throws(RealmError) {
        if isBulk, size > memoryLimit { try spill() }
    }
}
