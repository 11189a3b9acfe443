extension TableScan {
    /// Moves to the leaf of the object with `key` and returns the object's row. If the table has no
    /// such object, returns nil, and the current leaf is undefined.
    ///
    /// For look-ups in any order. Objects with similar keys are often in the same leaf, which is
    /// then not opened again. Must not be combined with `next()`.
    package func seek(_ key: ObjectKey) throws(RealmError) -> Int? {
        if let row = rowInCurrentLeaf(key) { return row }
        let tree = ClusterTree(space: table.snapshot.lookup, root: table.info.root)
        guard let (leaf, row) = try tree.find(key) else { return nil }
        try load(leaf)
        return row
    }

    /// Calls `body` with the rows of objects with consecutive keys, leaf by leaf: `count` keys from
    /// `first` on. Returns false, after some of the calls, if an object does not exist.
    package func seek(
        _ first: ObjectKey, count: Int, _ body: (Range<Int>) throws(RealmError) -> Void
    ) throws(RealmError) -> Bool {
        var done = 0
        while done < count {
            guard let row = try seek(ObjectKey(first.raw &+ Int64(done))) else { return false }
            let length = consecutiveRows(from: row, atMost: count - done)
            try body(row..<row + length)
            done += length
        }
        return true
    }
}
