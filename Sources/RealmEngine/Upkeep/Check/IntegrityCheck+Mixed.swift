/// Checks leaves of mixed values (object format 3.13; 11, invariant 19).
extension IntegrityCheck {
    /// Contents of the pools of one leaf of mixed values. A pool is a node with those values that
    /// do not fit in one word.
    private struct Pools {
        /// Number of values in each pool, a node with values of similar types. The index is the
        /// pool's slot in the leaf; 0 for a missing pool.
        var sizes = [0, 0, 0, 0, 0]
        var claimed: [Int: Set<Int64>] = [:]

        mutating func claim(_ pool: Int, _ index: Int64) -> Bool {
            index >= 0 && index < Int64(sizes[pool])
                && claimed[pool, default: []].insert(index).inserted
        }
    }

    /// - Parameter isCell: true for the leaf of a mixed property; false for the leaf of a
    ///   collection, in which a nested collection without a key is an error, not only a warning.
    func mixedForm(_ ref: Ref, isCell: Bool) -> Int? {
        let node = reading(ref, .leafShape) { () throws(RealmError) in
            try space.refNode(ref, slots: MixedLeafShape.minimumCount, "mixed leaf")
        }
        guard let node else { return nil }
        guard node.count <= MixedLeafShape.count, !node.isInner else {
            found(.leafShape, ref, "a mixed leaf of \(node.count) slots")
            return nil
        }
        guard let words = integers(node.slot(MixedLeafShape.words).ref, "mixed words"),
            var pools = openPools(ref, node), spend(words.count)
        else { return nil }
        let numbers = node.slot(MixedLeafShape.Pool.numbers.rawValue).child.flatMap {
            try? space.integers($0, "numbers")
        }
        for i in 0..<words.count where words.integer(i) != 0 {
            if !checkWord(words.integer(i), &pools, numbers, ref) { return nil }
        }
        for pool in MixedLeafShape.Pool.allCases.map(\.rawValue)
        where pools.claimed[pool, default: []].count != pools.sizes[pool] {
            found(.mixedPool, ref, "entries of pool \(pool) that belong to no value")
        }
        checkCollectionKeys(ref, node, words, pools, isCell: isCell)
        return words.count
    }

    private func openPools(_ ref: Ref, _ node: NodeView) -> Pools? {
        var pools = Pools()
        for kind in MixedLeafShape.Pool.allCases {
            let slot = kind.rawValue
            if slot >= node.count { break }
            if node.slot(slot).isTagged {
                found(.mixedPool, ref, "a number in slot \(slot) of a mixed leaf")
                return nil
            }
            guard let pool = node.slot(slot).child else { continue }
            let size: Int?
            switch kind {
            case .bytes: size = stringForm(pool)
            case .refs:
                size = reading(pool, .leafShape) { () throws(RealmError) in
                    try space.refNode(pool, slots: 0, "nested collections").count
                }
            case .numbers, .pairs: size = integers(pool, "mixed pool")?.count
            }
            guard let size else { return nil }
            if size % kind.size != 0 { found(.mixedPool, ref, "half a pair") }
            pools.sizes[slot] = size / kind.size
        }
        return pools
    }

    /// Checks the 64-bit number that represents one mixed value. It contains the type and the value
    /// itself. For a large value, it contains an index in a pool, the node with such values.
    /// Returns false if the value cannot be read.
    private func checkWord(
        _ word: Int64, _ pools: inout Pools, _ numbers: NodeView?, _ ref: Ref
    ) -> Bool {
        let (pool, value) = (Int(word >> 5 & 7), word >> 8)
        guard let kind = MixedKind(rawValue: word & MixedKind.mask),
            pool == kind.pool?.rawValue ?? 0
                || kind == .int && pool == MixedLeafShape.Pool.numbers.rawValue
        else {
            let type = word & MixedKind.mask - 1
            found(.mixedWord, ref, "a mixed value of type \(type) in pool \(pool)")
            return false
        }
        guard pool > 0 else {
            let range: ClosedRange<Int64> = kind == .bool ? 0...1 : -0x8000_0000...0x7FFF_FFFF
            if !range.contains(value) {
                found(.mixedWord, ref, "\(value) inside a mixed value's word")
            }
            return true
        }
        guard pools.claim(pool, value) else {
            found(.mixedPool, ref, "entry \(value) of pool \(pool) is not there or used twice")
            return false
        }
        if kind == .float, let numbers, !(0...0xFFFF_FFFF).contains(numbers.integer(Int(value))) {
            found(.mixedWord, ref, "a float of more than 32 bits")
        }
        return true
    }

    /// Checks the keys of nested collections. Keys missing at the end of the array are 0.
    private func checkCollectionKeys(
        _ ref: Ref, _ node: NodeView, _ words: NodeView, _ pools: Pools, isCell: Bool
    ) {
        let keysRef = node.count > MixedLeafShape.keys ? node.slot(MixedLeafShape.keys).child : nil
        guard keysRef != nil || pools.sizes[MixedLeafShape.Pool.refs.rawValue] > 0 else { return }
        let keys = keysRef.flatMap { integers($0, "collection keys") }
        let keyCount = keys?.count ?? 0
        if keyCount > words.count {
            found(.collectionKey, ref, "\(keyCount) keys for \(words.count) values")
        }
        for i in 0..<words.count {
            let number = words.integer(i) & MixedKind.mask
            let key = i < keyCount ? keys?.integer(i) ?? 0 : 0
            if MixedKind(rawValue: number)?.pool != .refs {
                if key != 0 {
                    found(
                        .collectionKey, ref, "a collection key beside a value of type \(number - 1)"
                    )
                }
            } else if key == 0 || Int64(Int32(truncatingIfNeeded: key)) != key {
                found(
                    isCell && key == 0 ? .collectionKeyMissing : .collectionKey, ref,
                    "a nested collection with key \(key)")
            }
        }
    }
}
