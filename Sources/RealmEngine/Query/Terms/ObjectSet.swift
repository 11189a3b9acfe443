/// Set of object keys of one table. The condition on the objects at the end of a path is tested
/// once for a whole table, and the result is stored in such a set. Each link then costs one lookup
/// of a bit or a hash entry.
///
/// In a class with a primary key, keys are consecutive numbers. In a class without a primary key,
/// bits 8 to 15 of each key are 0 unless another device created the object: the first 256 keys are
/// 0 to 0xFF, the next 0x10000 to 0x100FF (object format 1.12). Both kinds of keys are mapped to
/// bits. Keys that cannot be mapped are stored in a hash table, and so are all keys if they are too
/// sparse.
final class ObjectSet {
    private let words: UnsafeMutablePointer<UInt64>
    /// Number of bits in the bit set; every bit number is less than this.
    private let limit: UInt64
    /// Mask of the bits 8 to 15 if these bits are 0 in all keys of the class, as in classes without
    /// a primary key; otherwise 0. The bits of the mask are left out when keys are mapped to bits.
    private let gap: UInt64
    /// Number of bits in `gap`: 8 or 0.
    private let shift: UInt64
    private var others = KeyHashes()

    /// Maximum number of bits in the bit set: 512 MiB.
    private static let maximumLimit: UInt64 = 1 << 32

    /// Makes an empty set with `limit` bits. `hasGap` says whether bits 8 to 15 are 0 in all keys,
    /// as in classes without a primary key; these bits are then left out.
    init(limit: UInt64, hasGap: Bool = false) {
        self.limit = limit
        (gap, shift) = hasGap ? (0xFF00, 8) : (0, 0)
        let count = Int(limit >> 6) + 1
        words = .allocate(capacity: count)
        words.initialize(repeating: 0, count: count)
    }

    /// Makes the set of the objects of `table` that match `term`; nil if it would need too much
    /// memory.
    convenience init?(
        of term: QueryTerm, in table: TableContext, _ evaluator: QueryEvaluator
    ) throws(RealmError) {
        guard let form = try ObjectSet.form(for: table, evaluator.space) else { return nil }
        self.init(limit: form.limit, hasGap: form.hasGap)
        var leaves = LeafCursor(evaluator.snapshot, table, evaluator.visits.pass, for: term)
        while let leaf = try leaves.next() {
            insert(leaf, try term.match(leaf, Selection(first: leaf.count)))
        }
    }

    deinit { words.deallocate() }

    /// The bits of a set, copied out for many lookups: reads of the copy need no check for
    /// simultaneous access, as reads of a class instance do. Valid as long as the set exists and
    /// does not change.
    struct Bits {
        fileprivate let words: UnsafePointer<UInt64>
        fileprivate let limit: UInt64
        fileprivate let gap: UInt64
        fileprivate let shift: UInt64

        /// Returns the position of a key's bit in the bit set. The position is at or above `limit`
        /// if the key has no bit.
        @inline(__always)
        fileprivate func place(_ key: Int64) -> UInt64 {
            let key = UInt64(bitPattern: key)
            let place = (key &>> (8 &+ shift)) &<< 8 | key & 0xFF
            return key & gap == 0 ? place : .max
        }

        /// Whether the bit set contains a key. Nil if the key cannot be mapped to a bit: it is too
        /// large, or it has bits that are 0 in all keys of the class (`gap`). Such a key may be in
        /// the hash table of the `ObjectSet`.
        @inline(__always)
        func contains(_ key: Int64) -> Bool? {
            let place = place(key)
            guard place < limit else { return nil }
            return words[Int(place >> 6)] >> (place & 63) & 1 != 0
        }
    }

    @inline(__always)
    var bits: Bits { Bits(words: UnsafePointer(words), limit: limit, gap: gap, shift: shift) }

    @inline(__always)
    private func place(_ key: Int64) -> UInt64 { bits.place(key) }

    @inline(__always)
    func contains(_ key: Int64) -> Bool { bits.contains(key) ?? containsOther(key) }

    /// Whether the hash table of the set contains a key. Only keys that have no bit in the bit set
    /// are stored in the hash table.
    @inline(never)
    func containsOther(_ key: Int64) -> Bool { !others.isEmpty && others.contains(key) }

    /// Returns the rows whose object keys are in the set. The key of a row is its element in the
    /// packed array `node` plus `offset`; row 0 is element `first`.
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
                // A key outside of the bit set reads the first word in place of its own. `isInside`
                // is then 0 and clears the result.
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

    /// Inserts the object keys of the selected rows of a leaf.
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
        // The keys of the leaf are consecutive, so the bits of its selected rows are copied in
        // words of 64.
        let first = Int(start >> 6)
        for i in 0..<((leaf.count + 63) >> 6) { words[first + i] |= rows[i] }
    }

    // MARK: Forms

    struct Form {
        let limit: UInt64
        let hasGap: Bool
    }

    /// Maximum number of keys in the hash table. For a larger table whose keys are too sparse for a
    /// bit set, no set is made.
    private static let maximumHashedKeys = 1 << 22

    /// Returns how a set of keys of this table is stored, as bits or in a hash table; nil if both
    /// would need too much memory.
    static func form(for table: TableContext, _ space: NodeSpace) throws(RealmError) -> Form? {
        let tree = ClusterTree(space: space, root: table.root)
        let count = try tree.count()
        let last = UInt64(bitPattern: try tree.lastKey() ?? 0)
        let worthwhile = min(UInt64(count) * 16 + 1_000_000, maximumLimit)
        if last < worthwhile { return Form(limit: last + 1, hasGap: false) }
        let squeezed = (last >> 16) << 8 | 0xFF
        if squeezed < worthwhile { return Form(limit: squeezed + 1, hasGap: true) }
        return count <= maximumHashedKeys ? Form(limit: 0, hasGap: false) : nil
    }
}

/// Hash set of object keys that are not negative; keys of unresolved links are negative.
private struct KeyHashes {
    /// Object key in each slot, -1 for a free slot; at least half of the slots are free.
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
    /// Returns the largest object key in the tree; nil for an empty tree.
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
