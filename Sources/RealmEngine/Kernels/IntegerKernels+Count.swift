/// Range tests that only count rows. They take no longer than reading the elements.
extension IntegerKernels {
    /// Returns how many of the `count` elements from index `first` on have a value in `range`. The
    /// elements must belong to one leaf, which has at most 256 elements.
    @inline(__always)
    static func count(
        in range: IntegerRange, _ node: NodeView, first: Int, count: Int
    ) -> Int {
        if range.isEmpty { return 0 }
        let code = node.widthCode
        guard (4...6).contains(code), count <= ClusterRows.maximum else {
            return rows(in: range, node, first: first, count: count).count
        }
        guard let (low, high) = bounds(range, code) else { return 0 }
        let outside =
            switch code {
            case 4: countBytes(node.payload + first, count, outside: low, high)
            case 5: countShorts(node.payload + 2 &* first, count, outside: low, high)
            default: countWords(node.payload + 4 &* first, count, outside: low, high)
            }
        return count &- outside
    }

    // The functions below count the elements outside of the range. All elements are shifted, so
    // that the range begins at the smallest number and one comparison finds the elements after its
    // end. A lane in which a comparison is true is -1, so subtracting the result counts it. A lane
    // counts at most 256 divided by the number of lanes.

    @inline(__always)
    private static func countBytes(
        _ p: UnsafeRawPointer, _ count: Int, outside low: Int64, _ high: Int64
    ) -> Int {
        let shift = Int8.min &- Int8(truncatingIfNeeded: low)
        let end = Int8.min &+ Int8(truncatingIfNeeded: high &- low)
        let shifts = SIMD16<Int8>(repeating: shift)
        let ends = SIMD16<Int8>(repeating: end)
        var lanes = SIMD16<Int8>()
        var i = 0
        while i &+ 16 <= count {
            let v = p.loadUnaligned(fromByteOffset: i, as: SIMD16<Int8>.self) &+ shifts
            lanes &-= unsafeBitCast(v .> ends, to: SIMD16<Int8>.self)
            i &+= 16
        }
        // Each byte is at most 16. So both words can be added, and then adjacent bytes twice.
        let words = unsafeBitCast(lanes, to: SIMD2<UInt64>.self)
        let bytes = words[0] &+ words[1]
        let even: UInt64 = 0x00FF_00FF_00FF_00FF
        let pairs = (bytes & even) &+ (bytes &>> 8 & even)
        var total = Int((pairs &* 0x0001_0001_0001_0001) &>> 48)
        while i < count {
            if p.load(fromByteOffset: i, as: Int8.self) &+ shift > end { total &+= 1 }
            i &+= 1
        }
        return total
    }

    @inline(__always)
    private static func countShorts(
        _ p: UnsafeRawPointer, _ count: Int, outside low: Int64, _ high: Int64
    ) -> Int {
        let shift = Int16.min &- Int16(truncatingIfNeeded: low)
        let end = Int16.min &+ Int16(truncatingIfNeeded: high &- low)
        let shifts = SIMD8<Int16>(repeating: shift)
        let ends = SIMD8<Int16>(repeating: end)
        var lanes = SIMD8<Int16>()
        var i = 0
        while i &+ 8 <= count {
            let v = p.loadUnaligned(fromByteOffset: 2 &* i, as: SIMD8<Int16>.self) &+ shifts
            lanes &-= unsafeBitCast(v .> ends, to: SIMD8<Int16>.self)
            i &+= 8
        }
        var total = Int(lanes.wrappedSum())
        while i < count {
            let v = p.loadUnaligned(fromByteOffset: 2 &* i, as: Int16.self) &+ shift
            if v > end { total &+= 1 }
            i &+= 1
        }
        return total
    }

    @inline(__always)
    private static func countWords(
        _ p: UnsafeRawPointer, _ count: Int, outside low: Int64, _ high: Int64
    ) -> Int {
        let shift = Int32.min &- Int32(truncatingIfNeeded: low)
        let end = Int32.min &+ Int32(truncatingIfNeeded: high &- low)
        let shifts = SIMD4<Int32>(repeating: shift)
        let ends = SIMD4<Int32>(repeating: end)
        var lanes = SIMD4<Int32>()
        var i = 0
        while i &+ 4 <= count {
            let v = p.loadUnaligned(fromByteOffset: 4 &* i, as: SIMD4<Int32>.self) &+ shifts
            lanes &-= unsafeBitCast(v .> ends, to: SIMD4<Int32>.self)
            i &+= 4
        }
        var total = Int(lanes.wrappedSum())
        while i < count {
            let v = p.loadUnaligned(fromByteOffset: 4 &* i, as: Int32.self) &+ shift
            if v > end { total &+= 1 }
            i &+= 1
        }
        return total
    }
}
