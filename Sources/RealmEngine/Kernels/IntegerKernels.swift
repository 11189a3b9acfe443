/// The integers from `low` to `high`, both included; empty if `low > high`.
struct IntegerRange: Equatable, Sendable {
    var low: Int64
    var high: Int64

    static let none = IntegerRange(low: 1, high: 0)
    static let all = IntegerRange(low: .min, high: .max)

    @inline(__always) var isEmpty: Bool { low > high }

    @inline(__always) func contains(_ value: Int64) -> Bool { low <= value && value <= high }
}

/// Range tests of packed integers. The result is a `Selection`: one bit per row, in words of 64
/// bits.
enum IntegerKernels {
    /// Returns the rows whose integer is in `range`. The integer of row 0 is the element at index
    /// `first` of `node`; there must be `count` integers.
    static func rows(
        in range: IntegerRange, _ node: NodeView, first: Int, count: Int
    ) -> Selection {
        if range.isEmpty { return .none }
        let everyRow = Selection(first: count)
        switch node.widthCode {
        case 0: return range.contains(0) ? everyRow : .none
        case 1: return bits(range, node, first, count) & everyRow
        case 2: return pairs(range, node, first, count) & everyRow
        case 3: return nibbles(range, node, first, count) & everyRow
        default: break
        }
        guard let (low, high) = bounds(range, node.widthCode) else { return .none }
        let limit = limit(node.widthCode)
        if low == -limit &- 1, high == limit { return everyRow }
        switch node.widthCode {
        case 4: return bytes(node.payload + first, count, low, high)
        case 5: return shorts(node.payload + 2 &* first, count, low, high)
        case 6: return words(node.payload + 4 &* first, count, low, high)
        default: return longs(node.payload + 8 &* first, count, low, high)
        }
    }

    /// Returns the largest integer of a width from 8 to 64 bits.
    @inline(__always)
    private static func limit(_ widthCode: UInt8) -> Int64 {
        Int64.max &>> (64 &- (4 as Int64) &<< Int64(widthCode &- 3))
    }

    /// Restricts the range to the integers that `widthCode` can represent. Returns nil if none of
    /// them is in the range.
    @inline(__always)
    static func bounds(
        _ range: IntegerRange, _ widthCode: UInt8
    ) -> (low: Int64, high: Int64)? {
        let limit = limit(widthCode)
        let low = max(range.low, -limit &- 1)
        let high = min(range.high, limit)
        return low <= high ? (low, high) : nil
    }

    // MARK: 8 to 64 bits

    private static func bytes(
        _ p: UnsafeRawPointer, _ count: Int, _ low: Int64, _ high: Int64
    ) -> Selection {
        let start = UInt8(truncatingIfNeeded: low)
        let span = UInt8(truncatingIfNeeded: high &- low)
        let starts = SIMD16<UInt8>(repeating: start)
        let spans = SIMD16<UInt8>(repeating: span)
        return Selection(count) { (from, n) in
            let p = p + from
            var bits: UInt64 = 0
            var i = 0
            while i &+ 16 <= n {
                let v = p.loadUnaligned(fromByteOffset: i, as: SIMD16<UInt8>.self) &- starts
                bits |= LaneBits.of(v .<= spans) &<< UInt64(i)
                i &+= 16
            }
            while i < n {
                let v = p.load(fromByteOffset: i, as: UInt8.self) &- start
                if v <= span { bits |= 1 &<< UInt64(i) }
                i &+= 1
            }
            return bits
        }
    }

    private static func shorts(
        _ p: UnsafeRawPointer, _ count: Int, _ low: Int64, _ high: Int64
    ) -> Selection {
        // All numbers are shifted, so that the range begins at the smallest number. Then one
        // comparison suffices.
        let shift = Int16.min &- Int16(truncatingIfNeeded: low)
        let end = Int16.min &+ Int16(truncatingIfNeeded: high &- low)
        let shifts = SIMD8<Int16>(repeating: shift)
        let ends = SIMD8<Int16>(repeating: end)
        return Selection(count) { (from, n) in
            let p = p + 2 &* from
            var bits: UInt64 = 0
            var i = 0
            while i &+ 16 <= n {
                let at = 2 &* i
                let a = p.loadUnaligned(fromByteOffset: at, as: SIMD8<Int16>.self) &+ shifts
                let b = p.loadUnaligned(fromByteOffset: at &+ 16, as: SIMD8<Int16>.self) &+ shifts
                bits |= LaneBits.of(a .<= ends, b .<= ends) &<< UInt64(i)
                i &+= 16
            }
            while i < n {
                let v = p.loadUnaligned(fromByteOffset: 2 &* i, as: Int16.self) &+ shift
                if v <= end { bits |= 1 &<< UInt64(i) }
                i &+= 1
            }
            return bits
        }
    }

    private static func words(
        _ p: UnsafeRawPointer, _ count: Int, _ low: Int64, _ high: Int64
    ) -> Selection {
        let shift = Int32.min &- Int32(truncatingIfNeeded: low)
        let end = Int32.min &+ Int32(truncatingIfNeeded: high &- low)
        let shifts = SIMD4<Int32>(repeating: shift)
        let ends = SIMD4<Int32>(repeating: end)
        return Selection(count) { (from, n) in
            let p = p + 4 &* from
            var bits: UInt64 = 0
            var i = 0
            while i &+ 16 <= n {
                let at = 4 &* i
                let a = p.loadUnaligned(fromByteOffset: at, as: SIMD4<Int32>.self) &+ shifts
                let b = p.loadUnaligned(fromByteOffset: at &+ 16, as: SIMD4<Int32>.self) &+ shifts
                let c = p.loadUnaligned(fromByteOffset: at &+ 32, as: SIMD4<Int32>.self) &+ shifts
                let d = p.loadUnaligned(fromByteOffset: at &+ 48, as: SIMD4<Int32>.self) &+ shifts
                let front = LaneBits.joined(a .<= ends, b .<= ends)
                let back = LaneBits.joined(c .<= ends, d .<= ends)
                bits |= LaneBits.of(front, back) &<< UInt64(i)
                i &+= 16
            }
            while i < n {
                let v = p.loadUnaligned(fromByteOffset: 4 &* i, as: Int32.self) &+ shift
                if v <= end { bits |= 1 &<< UInt64(i) }
                i &+= 1
            }
            return bits
        }
    }

    private static func longs(
        _ p: UnsafeRawPointer, _ count: Int, _ low: Int64, _ high: Int64
    ) -> Selection {
        let start = UInt64(bitPattern: low)
        let span = UInt64(bitPattern: high &- low)
        return Selection(count) { (from, n) in
            let p = p + 8 &* from
            var bits: UInt64 = 0
            var i = 0
            // There is no branch: the result of the comparison is shifted to the bit of its row.
            while i < n {
                let v = p.loadUnaligned(fromByteOffset: 8 &* i, as: UInt64.self) &- start
                let isInside: UInt64 = v <= span ? 1 : 0
                bits |= isInside &<< UInt64(i)
                i &+= 1
            }
            return bits
        }
    }

    // MARK: Below 8 bits

    /// Loads the 64 bits of the payload from bit `start` on. Bits after the last eight bytes of the
    /// payload are zero.
    @inline(__always)
    private static func load(_ node: NodeView, _ start: Int) -> UInt64 {
        let word = start >> 6
        let shift = UInt64(start & 63)
        let last = (node.count &* node.width &- 1) >> 6
        if word > last { return 0 }
        let low = node.payload.load(fromByteOffset: word &* 8, as: UInt64.self)
        if shift == 0 { return low }
        let high =
            word < last ? node.payload.load(fromByteOffset: word &* 8 &+ 8, as: UInt64.self) : 0
        return low &>> shift | high &<< (64 &- shift)
    }

    private static func bits(
        _ range: IntegerRange, _ node: NodeView, _ first: Int, _ count: Int
    ) -> Selection {
        let ones: UInt64 = range.contains(1) ? .max : 0
        let zeros: UInt64 = range.contains(0) ? .max : 0
        return Selection(count) { (from, _) in
            let w = load(node, first &+ from)
            return w & ones | ~w & zeros
        }
    }

    private static func pairs(
        _ range: IntegerRange, _ node: NodeView, _ first: Int, _ count: Int
    ) -> Selection {
        Selection(count) { (from, _) in
            let start = 2 &* (first &+ from)
            return pairs(range, load(node, start))
                | pairs(range, load(node, start &+ 64)) &<< 32
        }
    }

    /// Tests 32 integers of two bits each. Returns a bit per integer: 1 if the integer is in
    /// `range`.
    @inline(__always)
    private static func pairs(_ range: IntegerRange, _ w: UInt64) -> UInt64 {
        let even: UInt64 = 0x5555_5555_5555_5555
        let low = w & even
        let high = w &>> 1 & even
        var found: UInt64 = 0
        if range.contains(0) { found |= ~low & ~high }
        if range.contains(1) { found |= low & ~high }
        if range.contains(2) { found |= ~low & high }
        if range.contains(3) { found |= low & high }
        return squeezed(found & even)
    }

    /// Moves the bits with even numbers to the low half of the word.
    @inline(__always)
    private static func squeezed(_ bits: UInt64) -> UInt64 {
        var x = bits
        x = (x | x &>> 1) & 0x3333_3333_3333_3333
        x = (x | x &>> 2) & 0x0F0F_0F0F_0F0F_0F0F
        x = (x | x &>> 4) & 0x00FF_00FF_00FF_00FF
        x = (x | x &>> 8) & 0x0000_FFFF_0000_FFFF
        return (x | x &>> 16) & 0x0000_0000_FFFF_FFFF
    }

    private static func nibbles(
        _ range: IntegerRange, _ node: NodeView, _ first: Int, _ count: Int
    ) -> Selection {
        let low = max(0, range.low)
        let high = min(15, range.high)
        if low > high { return .none }
        let starts = SIMD16<UInt8>(repeating: UInt8(low))
        let spans = SIMD16<UInt8>(repeating: UInt8(high &- low))
        return Selection(count) { (from, n) in
            var bits: UInt64 = 0
            var i = 0
            while i < n {
                let w = load(node, 4 &* (first &+ from &+ i))
                // The sixteen integers of four bits are moved to one byte each: first those with
                // even indexes, then those with odd indexes.
                let even = w & 0x0F0F_0F0F_0F0F_0F0F
                let odd = w &>> 4 & 0x0F0F_0F0F_0F0F_0F0F
                let v = unsafeBitCast(SIMD2(even, odd), to: SIMD16<UInt8>.self) &- starts
                let found = LaneBits.of(v .<= spans)
                bits |= interleaved(found) &<< UInt64(i)
                i &+= 16
            }
            return bits
        }
    }

    /// Interleaves bits: bits 0 to 7 become the even bits of the result, bits 8 to 15 the odd bits.
    @inline(__always)
    private static func interleaved(_ bits: UInt64) -> UInt64 {
        spread(bits & 0xFF) | spread(bits &>> 8) &<< 1
    }

    @inline(__always)
    private static func spread(_ bits: UInt64) -> UInt64 {
        var x = bits
        x = (x | x &<< 4) & 0x0F0F
        x = (x | x &<< 2) & 0x3333
        return (x | x &<< 1) & 0x5555
    }
}
