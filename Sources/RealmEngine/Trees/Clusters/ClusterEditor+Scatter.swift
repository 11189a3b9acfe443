/// Smaller leaves for tables in which commits change only a few objects of each leaf.
///
/// A commit writes the whole leaf of each changed object. If 100 objects all over a table of 50 000
/// are changed, 100 leaves are written, and 255 of the 256 objects in each leaf are unchanged. So
/// if a commit changed few objects in each leaf that it copied, it splits these leaves, which costs
/// nothing extra. The next commit that changes such a leaf writes half as much, the commit after
/// that a quarter. Tables that are loaded, appended to or changed from end to end keep full leaves,
/// which are faster to read. Compacting a file makes all leaves full.
extension ClusterEditor {
    struct Scatter {
        /// First keys of the cluster leaves that the transaction has copied.
        var leaves: [UInt64] = []
        /// Number of changes, where successive changes of one object count once. Changes of the
        /// objects 1, 1, 2 and 1 count as three.
        private var objects = 0
        private var last: UInt64?

        /// Counts a change of the object with `key`. Successive changes of one object count once.
        @inline(__always)
        mutating func touch(_ key: UInt64) {
            if key == last { return }
            last = key
            objects &+= 1
        }

        /// Whether more than four objects were changed for each copied leaf. Smaller leaves would
        /// then save little.
        var isDense: Bool { objects > 4 * leaves.count }
    }

    /// Splits the leaves in which few objects were changed. Called at the end of a transaction.
    func divideScattered() throws(RealmError) {
        let done = scatter
        scatter = Scatter()
        if done.isDense || holdsMixed { return }
        for key in done.leaves { try divide(makePathWritable(key)) }
        scatter = Scatter()
    }

    /// Makes all columns of a leaf writable and returns whether that succeeded. Does not throw: a
    /// damaged column must not fail a commit that does not change it.
    private func opens(_ leaf: SlabNode, _ rows: Int) -> Bool {
        do throws(RealmError) {
            for i in used { try columns[i]!.open(leaf.slots + i + 1, rows: rows) }
        } catch {
            return false
        }
        return true
    }

    /// Whether removals merge only very small leaves with their neighbours. True if the transaction
    /// changed at most four objects for each copied leaf: `divideScattered` divides such leaves,
    /// and merging would undo this. False in tables with mixed columns, which are never divided.
    var keepsSmallLeaves: Bool { !scatter.isDense && !holdsMixed }

    /// Whether a column contains mixed values. The leaves of such a table are never divided. The
    /// reference engine merges small leaves when it removes an object, and a defect then loses the
    /// keys of collections inside mixed values.
    private var holdsMixed: Bool {
        used.contains {
            columns[$0]!.layout.type == .mixed && columns[$0]!.layout.collection == nil
        }
    }

    private func divide(_ place: Reached) throws(RealmError) {
        // The last leaf is not split: it receives the next appended objects until it is full.
        guard place.range.end != nil else { return }
        let rows = try rows(place.leaf)
        // Leaves that are not much larger than `scatteredLeaf` are not split again.
        let least = max(2, 3 * context.fanout.scatteredLeaf / 2)
        guard rows >= least, isMostlyOwn(place.leaf), opens(place.leaf, rows) else { return }
        let sibling = try split(place.leaf, at: rows / 2, rows: rows)
        try adopt(sibling.ref, sibling.key)
    }

    /// Whether the transaction owns at least two thirds of the leaf's columns, so that splitting
    /// the leaf copies few others.
    private func isMostlyOwn(_ leaf: SlabNode) -> Bool {
        let own = used.count { nodes.owns(Ref(leaf.slots[$0 + 1])) }
        return 3 * own >= 2 * used.count
    }
}
