/// Objects of one table as a bit per key: what the far end of a path is tested into once, so that
/// each link costs a look at one bit.
final class ObjectSet {
    private let words: UnsafeMutablePointer<UInt64>
    /// Keys below this may be in the set.
    let limit: Int64

    /// Larger ones are not worth their memory.
    static let maximumLimit: Int64 = 1 << 32

    /// An empty set for keys below `limit`.
    init(limit: Int64) {
        self.limit = limit
        let count = Int(limit >> 6) + 1
        words = .allocate(capacity: count)
        words.initialize(repeating: 0, count: count)
    }

    /// The objects of `table` for which `term` holds; nil when their keys are spread too thinly.
    convenience init?(
        of term: QueryTerm, in table: TablePlace, _ evaluator: QueryEvaluator
    ) throws(RealmError) {
        guard let limit = try ObjectSet.limit(for: table, evaluator.space) else { return nil }
        self.init(limit: limit)
        let leaves = LeafSource(evaluator.snapshot, table, evaluator.visits.pass, for: term)
        while let leaf = try leaves.next() {
            insert(leaf, try term.match(leaf, Selection(first: leaf.count)))
        }
    }

    deinit { words.deallocate() }

    @inline(__always)
    func contains(_ key: Int64) -> Bool {
        guard UInt64(bitPattern: key) < UInt64(bitPattern: limit) else { return false }
        return words[Int(key >> 6)] >> UInt64(key & 63) & 1 != 0
    }

    /// The rows whose element of a packed array, from `first` on, plus `offset`, is in the set.
    func rows(
        _ node: NodeView, first: Int = 0, offset: Int64, count: Int, _ scratch: LeafScratch
    ) -> Selection {
        let keys = scratch.numbers
        IntegerKernels.decode(node, first: first, count: count, into: keys)
        let limit = UInt64(bitPattern: limit)
        return Selection(count) { (from, n) in
            var bits: UInt64 = 0
            var i = 0
            while i < n {
                let key = UInt64(bitPattern: keys[from &+ i] &+ offset)
                // Keys outside look at the first word and are masked away.
                let isInside: UInt64 = key < limit ? 1 : 0
                let word = words[Int(key < limit ? key >> 6 : 0)]
                bits |= (word >> (key & 63) & isInside) &<< UInt64(i)
                i &+= 1
            }
            return bits
        }
    }

    @inline(__always)
    func insert(_ key: Int64) {
        guard UInt64(bitPattern: key) < UInt64(bitPattern: limit) else { return }
        words[Int(key >> 6)] |= 1 << UInt64(key & 63)
    }

    /// Adds the chosen rows of a leaf.
    func insert(_ leaf: ClusterLeaf, _ rows: Selection) {
        if leaf.count == 0 { return }
        let start = leaf.key(0).raw
        let end = leaf.key(leaf.count - 1).raw
        guard start & 63 == 0, start >= 0, end &- start == Int64(leaf.count - 1), end < limit else {
            for i in 0..<4 {
                var rest = rows[i]
                while rest != 0 {
                    insert(leaf.key(i &* 64 &+ rest.trailingZeroBitCount).raw)
                    rest &= rest &- 1
                }
            }
            return
        }
        // Consecutive keys: whole words at a time.
        let first = Int(start >> 6)
        for i in 0..<((leaf.count + 63) >> 6) { words[first + i] |= rows[i] }
    }

    /// One past the largest key of a table, nil when keys are spread too thinly for a set.
    static func limit(for table: TablePlace, _ space: NodeSpace) throws(RealmError) -> Int64? {
        let tree = ClusterTree(space: space, root: table.root)
        let count = Int64(try tree.count())
        let last = try tree.lastKey() ?? 0
        let end = last &+ 1
        guard last >= 0, end > 0, end <= maximumLimit, end <= count * 16 + 1_000_000 else {
            return nil
        }
        return end
    }
}

extension ClusterTree {
    /// The largest key, nil in an empty tree.
    fileprivate func lastKey() throws(RealmError) -> Int64? {
        if root.isNone { return nil }
        var ref = root
        var base: UInt64 = 0
        for _ in 0..<Self.maximumDepth {
            let node = try space.node(ref)
            guard node.isInner else {
                let leaf = try ClusterLeaf(space, ref, node: node, base: base)
                return leaf.count == 0 ? nil : leaf.key(leaf.count - 1).raw
            }
            let inner = try InnerCluster(space, ref, node: node, base: base)
            let last = inner.childCount - 1
            base &+= inner.offset(last)
            ref = try inner.ref(last)
        }
        throw .corrupt("a cluster tree deeper than \(Self.maximumDepth) levels", at: root)
    }
}
