/// Objects of one table by their keys: what the far end of a path is tested into once, so that each
/// link costs a look at one bit, or at one place of a hash table.
///
/// Objects of a class with a primary key are numbered in a row; the numbers of others leave a byte out,
/// which goes from 255 to 65536, or says which peer made the object (object format 1.12). Both have a
/// bit each. Keys that do not fit are in a hash table, or all where they are spread too thinly.
final class ObjectSet {
    private let words: UnsafeMutablePointer<UInt64>
    /// Numbers below have a bit.
    private let limit: UInt64
    /// The byte of keys that is left out: its bits, and how many they are.
    private let gap: UInt64
    private let shift: UInt64
    private var others = KeyHashes()

    /// More bits are not worth their memory.
    private static let maximumLimit: UInt64 = 1 << 32

    /// An empty set with bits for the numbers below `limit`.
    init(limit: UInt64, hasGap: Bool = false) {
        self.limit = limit
        (gap, shift) = hasGap ? (0xFF00, 8) : (0, 0)
        let count = Int(limit >> 6) + 1
        words = .allocate(capacity: count)
        words.initialize(repeating: 0, count: count)
    }

    /// The objects of `table` for which `term` holds; nil when they would take too much memory.
    convenience init?(
        of term: QueryTerm, in table: TablePlace, _ evaluator: QueryEvaluator
    ) throws(RealmError) {
        guard let form = try ObjectSet.form(for: table, evaluator.space) else { return nil }
        self.init(limit: form.limit, hasGap: form.hasGap)
        var leaves = LeafCursor(evaluator.snapshot, table, evaluator.visits.pass, for: term)
        while let leaf = try leaves.next() {
            insert(leaf, try term.match(leaf, Selection(first: leaf.count)))
        }
    }

    deinit { words.deallocate() }

    /// The bit of a key, beyond the limit when it has none.
    @inline(__always)
    private func place(_ key: Int64) -> UInt64 {
        let key = UInt64(bitPattern: key)
        let place = (key &>> (8 &+ shift)) &<< 8 | key & 0xFF
        return key & gap == 0 ? place : .max
    }

    @inline(__always)
    func contains(_ key: Int64) -> Bool {
        let place = place(key)
        guard place < limit else { return !others.isEmpty && others.contains(key) }
        return words[Int(place >> 6)] >> (place & 63) & 1 != 0
    }

    /// The rows whose element of a packed array, from `first` on, plus `offset`, is in the set.
    func rows(
        _ node: NodeView, first: Int = 0, offset: Int64, count: Int, _ scratch: LeafScratch
    ) -> Selection {
        let keys = scratch.numbers
        IntegerKernels.decode(node, first: first, count: count, into: keys)
        guard others.isEmpty else {
            return Selection(count) { (from, n) in
                var bits: UInt64 = 0
                for i in 0..<n where contains(keys[from &+ i] &+ offset) { bits |= 1 &<< UInt64(i) }
                return bits
            }
        }
        return Selection(count) { (from, n) in
            var bits: UInt64 = 0
            var i = 0
            while i < n {
                let place = place(keys[from &+ i] &+ offset)
                // Keys outside look at the first word and are masked away.
                let isInside: UInt64 = place < limit ? 1 : 0
                let word = words[Int(place < limit ? place >> 6 : 0)]
                bits |= (word >> (place & 63) & isInside) &<< UInt64(i)
                i &+= 1
            }
            return bits
        }
    }

    @inline(__always)
    func insert(_ key: Int64) {
        let place = place(key)
        if place < limit {
            words[Int(place >> 6)] |= 1 &<< (place & 63)
        } else if key >= 0 {
            others.insert(key)
        }
    }

    /// Adds the chosen rows of a leaf.
    func insert(_ leaf: ClusterLeaf, _ rows: Selection) {
        if leaf.count == 0 { return }
        let (start, end) = (place(leaf.key(0).raw), place(leaf.key(leaf.count - 1).raw))
        guard start & 63 == 0, end < limit, end &- start == UInt64(leaf.count - 1),
            leaf.key(leaf.count - 1).raw &- leaf.key(0).raw == Int64(leaf.count - 1)
        else {
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

    // MARK: Forms

    struct Form {
        let limit: UInt64
        let hasGap: Bool
    }

    /// Objects of a table that is not worth bits.
    private static let mostHashed = 1 << 22

    /// How the keys of a table are stored; nil when that would take too much memory.
    static func form(for table: TablePlace, _ space: NodeSpace) throws(RealmError) -> Form? {
        let tree = ClusterTree(space: space, root: table.root)
        let count = try tree.count()
        let last = UInt64(bitPattern: try tree.lastKey() ?? 0)
        let worthwhile = min(UInt64(count) * 16 + 1_000_000, maximumLimit)
        if last < worthwhile { return Form(limit: last + 1, hasGap: false) }
        let squeezed = (last >> 16) << 8 | 0xFF
        if squeezed < worthwhile { return Form(limit: squeezed + 1, hasGap: true) }
        return count <= mostHashed ? Form(limit: 0, hasGap: false) : nil
    }
}

/// Keys that are not negative, found by their hash.
private struct KeyHashes {
    /// A key, or -1 where there is none; at least every other place is free.
    private var places: [Int64] = []
    private var count = 0

    var isEmpty: Bool { count == 0 }

    func contains(_ key: Int64) -> Bool {
        let mask = places.count &- 1
        return places.withUnsafeBufferPointer { places in
            var at =
                Int(truncatingIfNeeded: ConstantHashSet.hash(UInt64(bitPattern: key), 0)) & mask
            while places[at] >= 0 {
                if places[at] == key { return true }
                at = (at &+ 1) & mask
            }
            return false
        }
    }

    mutating func insert(_ key: Int64) {
        if 2 * (count + 1) > places.count { grow() }
        put(key)
    }

    private mutating func put(_ key: Int64) {
        let mask = places.count - 1
        var at = Int(truncatingIfNeeded: ConstantHashSet.hash(UInt64(bitPattern: key), 0)) & mask
        while places[at] >= 0 {
            if places[at] == key { return }
            at = (at + 1) & mask
        }
        places[at] = key
        count += 1
    }

    private mutating func grow() {
        let old = places
        places = [Int64](repeating: -1, count: max(64, 2 * old.count))
        count = 0
        for key in old where key >= 0 { put(key) }
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
