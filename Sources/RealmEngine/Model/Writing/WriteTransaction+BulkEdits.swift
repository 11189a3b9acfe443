/// Edits of many objects or leaves, which keep the transaction's memory within `memoryLimit`.
///
/// Every bulk edit visits its objects or leaves through these functions. Between two of them all
/// changes are in the trees, so that the transaction can be spilled. After that, editors of tables
/// are still valid; editors of trees and indexes, and values that the transaction made, are not.
extension WriteTransaction {
    /// Calls `body` with each object key. Spills in between if necessary.
    package func visitObjects(
        _ keys: some Sequence<ObjectKey>, _ body: (ObjectKey) throws(RealmError) -> Void
    ) throws(RealmError) {
        for key in keys {
            if size > memoryLimit { try spill() }
            try body(key)
        }
    }

    /// Calls `body` with each leaf of the objects of a table.
    func visitLeaves(
        of editor: TableEditor,
        _ body: (ClusterEditor, ClusterEditor.LeafSlot) throws(RealmError) -> Void
    ) throws(RealmError) {
        try visitLeaves({ () throws(RealmError) in try editor.clusters() }, editor, body)
    }

    /// Calls `body` with each leaf of the tombstones of a table.
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

    /// Runs an edit that may spill between two objects or leaves. Other edits must not: setting a
    /// value can delete objects and add a backlink column while collections are open.
    func inBulk(_ body: () throws(RealmError) -> Void) throws(RealmError) {
        let before = isBulk
        isBulk = true
        defer { isBulk = before }
        try body()
    }

    /// Spills if memory exceeds the limit during a bulk edit.
    func spillIfNeeded() throws(RealmError) {
        if isBulk, size > memoryLimit { try spill() }
    }
}
