extension TableScan {
    /// Moves to the leaf of the object with `key` and returns its row; nil if the table has no such
    /// object, which leaves the current leaf undefined.
    ///
    /// For look-ups in any order: objects with similar keys are often in one leaf, which is then
    /// not opened again. Must not be mixed with `next()`.
    package func seek(_ key: ObjectKey) throws(RealmError) -> Int? {
        if let row = rowInCurrentLeaf(key) { return row }
        let tree = ClusterTree(space: table.snapshot.lookup, root: table.info.root)
        guard let (leaf, row) = try tree.find(key) else { return nil }
        try load(leaf)
        return row
    }
}
