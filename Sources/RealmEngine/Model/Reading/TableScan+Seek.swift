extension TableScan {
    /// Moves to the leaf of the object with `key` and returns its row there; nil when the table has
    /// no such object, with the position then undefined.
    ///
    /// For look-ups in any order: objects that are close in key order mostly share a leaf, which
    /// is then not opened again. Do not mix with `next()`.
    package func seek(_ key: ObjectKey) throws(RealmError) -> Int? {
        if let row = rowInCurrentLeaf(key) { return row }
        let tree = ClusterTree(space: table.snapshot.lookup, root: table.info.root)
        guard let (leaf, row) = try tree.find(key) else { return nil }
        try load(leaf)
        return row
    }
}
