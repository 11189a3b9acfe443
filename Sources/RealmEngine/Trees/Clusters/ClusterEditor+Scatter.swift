/// Smaller leaves where changes are scattered.
///
/// A commit writes the whole leaf of each changed object. 100 objects changed all over a table of
/// 50,000 are in 100 leaves, and 255 of 256 objects written have not changed. So a commit that
/// changed few objects in each copied leaf divides these leaves, at no additional cost. The next
/// commit that changes such a leaf writes half of it, the one after a quarter. Tables that are
/// loaded, appended to or changed from end to end keep full leaves, which are faster to read.
/// Compacting makes all leaves full.
extension ClusterEditor {
    struct Scatter {
        /// First keys of the leaves that the transaction copied.
        var leaves: [UInt64] = []
        /// Number of changed objects; objects that are changed alternately count several times.
        private var objects = 0
        private var last: UInt64?

        /// Counts a change of an object.
        @inline(__always)
        mutating func touch(_ key: UInt64) {
            if key == last { return }
            last = key
            objects &+= 1
        }

        /// Whether too many objects per leaf are changed for smaller leaves to separate them.
        var isDense: Bool { objects > 4 * leaves.count }
    }

    /// Divides the leaves that were copied for few objects, at the end of a transaction.
    func divideScattered() throws(RealmError) {
        let done = scatter
        scatter = Scatter()
        if done.isDense || holdsMixed { return }
        for key in done.leaves { try divide(makePathWritable(key)) }
        scatter = Scatter()
    }

    /// Whether all columns of a leaf can be made writable. A damaged column must not fail a commit
    /// that does not change it.
    private func opens(_ leaf: SlabNode, _ rows: Int) -> Bool {
        do throws(RealmError) {
            for i in used { try columns[i]!.open(leaf.slots + i + 1, rows: rows) }
        } catch {
            return false
        }
        return true
    }

    /// Whether removals leave leaves as small as divided ones.
    var keepsSmallLeaves: Bool { !scatter.isDense && !holdsMixed }

    /// Whether a column contains mixed values. When the reference engine removes an object, it
    /// merges small leaves, and then loses the keys of collections inside mixed values.
    private var holdsMixed: Bool {
        used.contains {
            columns[$0]!.layout.type == .mixed && columns[$0]!.layout.collection == nil
        }
    }

    private func divide(_ place: Reached) throws(RealmError) {
        // The last leaf receives the next appended objects and is to become full.
        guard place.range.end != nil else { return }
        let rows = try rows(place.leaf)
        // The leaf may have been divided before.
        let least = max(2, 3 * context.fanout.scatteredLeaf / 2)
        guard rows >= least, isMostlyOwn(place.leaf), opens(place.leaf, rows) else { return }
        let sibling = try split(place.leaf, at: rows / 2, rows: rows)
        try adopt(sibling.ref, sibling.key)
    }

    /// Whether the transaction owns most column leaves, so that the division copies few others.
    private func isMostlyOwn(_ leaf: SlabNode) -> Bool {
        let own = used.count { nodes.owns(Ref(leaf.slots[$0 + 1])) }
        return 3 * own >= 2 * used.count
    }
}
