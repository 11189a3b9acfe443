/// Leaves that get smaller where changes are scattered.
///
/// A commit writes the whole leaf of each object it changed. Of 100 objects changed all over a table of
/// 50,000, each lies in a leaf of its own: of what is written, 255 of 256 parts did not change. So a
/// commit that changed few objects of each leaf it had to write anew divides these leaves, which costs
/// no more than writing them whole, and the next one that comes there writes half, then a quarter.
/// Tables that are loaded, appended to or changed from end to end keep full leaves, which are read
/// faster; compacting makes all leaves full.
extension ClusterEditor {
    struct Scatter {
        /// Where the leaves begin that the transaction copied.
        var leaves: [UInt64] = []
        /// Objects changed, those several times that are changed in turns.
        private var objects = 0
        private var last: UInt64?

        /// An object is added, removed or changed.
        @inline(__always)
        mutating func touch(_ key: UInt64) {
            if key == last { return }
            last = key
            objects &+= 1
        }

        /// More objects are changed in each leaf than smaller leaves could keep apart.
        var isDense: Bool { objects > 4 * leaves.count }
    }

    /// Divides the leaves that were written anew for few objects, at the end of a transaction.
    func divideScattered() throws(RealmError) {
        let done = scatter
        scatter = Scatter()
        if done.isDense || holdsMixed { return }
        for key in done.leaves { try divide(makePathWritable(key)) }
        scatter = Scatter()
    }

    /// A damaged column is no reason to fail a commit that does not touch it.
    private func opens(_ leaf: SlabNode, _ rows: Int) -> Bool {
        do throws(RealmError) {
            for i in used { try columns[i]!.open(leaf.slots + i + 1, rows: rows) }
        } catch {
            return false
        }
        return true
    }

    /// Whether a removal leaves leaves as small as those that get divided.
    var keepsSmallLeaves: Bool { !scatter.isDense && !holdsMixed }

    /// The reference engine joins small leaves when it removes an object, and then loses the keys of
    /// collections inside mixed values.
    private var holdsMixed: Bool {
        used.contains {
            columns[$0]!.layout.type == .mixed && columns[$0]!.layout.collection == nil
        }
    }

    private func divide(_ place: Reached) throws(RealmError) {
        // What is appended next goes to the last leaf, which is to become full.
        guard place.range.end != nil else { return }
        let rows = try rows(place.leaf)
        // Some may have been removed since the leaf was divided last.
        let least = max(2, 3 * context.fanout.scatteredLeaf / 2)
        guard rows >= least, isMostlyOwn(place.leaf), opens(place.leaf, rows) else { return }
        let sibling = try split(place.leaf, at: rows / 2, rows: rows)
        try adopt(sibling.ref, sibling.key)
    }

    /// Few columns would have to be copied only to divide the leaf.
    private func isMostlyOwn(_ leaf: SlabNode) -> Bool {
        let own = used.count { nodes.owns(Ref(leaf.slots[$0 + 1])) }
        return 3 * own >= 2 * used.count
    }
}
