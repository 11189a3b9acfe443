/// Hash table of a long list of constants, which contains the index of each constant. Immutable
/// once filled, so that any thread may use it.
final class ConstantHashSet: @unchecked Sendable {
    /// Hash table of constants: index of the constant plus 1, or 0 for a free slot. At least half
    /// of the slots are free.
    private let slots: UnsafeMutablePointer<Int32>
    private let mask: Int

    /// Makes an empty hash table for up to `count` constants. `count` must be less than 2^30.
    init(count: Int) {
        var size = 16
        while size < 2 * count { size *= 2 }
        mask = size - 1
        slots = .allocate(capacity: size)
        slots.initialize(repeating: 0, count: size)
    }

    deinit { slots.deallocate() }

    /// Adds the constant at index `place` of the list to the set. Does nothing if the set contains
    /// an equal constant already: `isEqual` returns whether the constant at an index equals the new
    /// one.
    func insert(_ place: Int, _ hash: UInt64, _ isEqual: (Int) -> Bool) {
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            if isEqual(Int(slots[slot]) - 1) { return }
            slot = (slot + 1) & mask
        }
        slots[slot] = Int32(truncatingIfNeeded: place + 1)
    }

    /// Whether the set contains a constant that has the hash `hash` and for whose index `isEqual`
    /// returns true.
    @inline(__always)
    func contains(_ hash: UInt64, _ isEqual: (Int) -> Bool) -> Bool {
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            if isEqual(Int(slots[slot]) &- 1) { return true }
            slot = (slot &+ 1) & mask
        }
        return false
    }

    /// Returns a hash of two 64-bit numbers. Its low bits, which select the slot in the hash table,
    /// depend on all bits of both numbers.
    @inline(__always)
    static func hash(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let mixed = (a ^ (b &<< 31 | b &>> 33)) &* 0x9E37_79B9_7F4A_7C15
        return (mixed ^ mixed &>> 29) &* 0xBF58_476D_1CE4_E5B9 &>> 20
    }
}

/// Hash set of the strings or binaries in a long list of constants.
final class TextMembers: @unchecked Sendable {
    private let texts: [ByteView]
    private let places: ConstantHashSet

    /// Makes the hash set of `texts`. The bytes must be valid as long as the query.
    init(_ texts: [ByteView]) {
        self.texts = texts
        places = ConstantHashSet(count: texts.count)
        for (i, text) in texts.enumerated() {
            places.insert(i, Self.hash(text)) { texts[$0] == text }
        }
    }

    @inline(__always)
    func contains(_ text: ByteView) -> Bool {
        texts.withUnsafeBufferPointer { texts in
            places.contains(Self.hash(text)) { texts[$0] == text }
        }
    }

    @inline(__always)
    private static func hash(_ text: ByteView) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: text.count)
        var i = 0
        while i &+ 8 <= text.count {
            hash = ConstantHashSet.hash(
                hash, text.base.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            i &+= 8
        }
        var last: UInt64 = 0
        while i < text.count {
            last = last &<< 8 | UInt64(text.base.load(fromByteOffset: i, as: UInt8.self))
            i &+= 1
        }
        return ConstantHashSet.hash(hash, last)
    }
}
