/// Sums of packed integers.
extension IntegerKernels {
    static func sum(_ node: NodeView) -> Int128 {
        switch node.widthCode {
        case 4: Int128(byteSum(node))
        case 5: Int128(sum(node, Int16.self))
        case 6: Int128(sum(node, Int32.self))
        case 7: longSum(node)
        default: Int128(smallSum(node))
        }
    }

    /// Returns the sum of the integers of the selected rows. The integer of row 0 is the element at
    /// index `first`.
    static func sum(_ node: NodeView, first: Int = 0, _ rows: Selection) -> Int128 {
        switch node.widthCode {
        case 4: return Int128(sum(node.payload + first, rows, Int8.self))
        case 5: return Int128(sum(node.payload + 2 &* first, rows, Int16.self))
        case 6: return Int128(sum(node.payload + 4 &* first, rows, Int32.self))
        case 7:
            let integers = (node.payload + 8 &* first).assumingMemoryBound(to: Int64.self)
            var sum: Int128 = 0
            rows.each { sum &+= Int128(integers[$0]) }
            return sum
        default:
            var sum: Int64 = 0
            rows.each { sum &+= node.integer(first &+ $0) }
            return Int128(sum)
        }
    }

    @inline(__always)
    private static func sum<T: FixedWidthInteger>(
        _ p: UnsafeRawPointer, _ rows: Selection, _: T.Type
    ) -> Int64 {
        let integers = p.assumingMemoryBound(to: T.self)
        var sum: Int64 = 0
        rows.each { sum &+= Int64(truncatingIfNeeded: integers[$0]) }
        return sum
    }

    /// Sums integers with a width of 0 to 4 bits, 64 bits at a time.
    private static func smallSum(_ node: NodeView) -> Int64 {
        let perWord = node.widthCode == 0 ? 0 : 128 >> Int(node.widthCode)
        guard perWord > 0 else { return 0 }
        let words = node.count / perWord
        var sum: Int64 = 0
        for i in 0..<words {
            let word = node.payload.loadUnaligned(fromByteOffset: i &* 8, as: UInt64.self)
            switch node.widthCode {
            case 1: sum &+= Int64(word.nonzeroBitCount)
            case 2:
                let (low, high) = (word & 0x5555_5555_5555_5555, word & 0xAAAA_AAAA_AAAA_AAAA)
                sum &+= Int64(low.nonzeroBitCount &+ 2 &* high.nonzeroBitCount)
            default:
                let low: UInt64 = 0x0F0F_0F0F_0F0F_0F0F
                let pairs = (word & low) &+ (word &>> 4 & low)
                sum &+= Int64((pairs &* 0x0101_0101_0101_0101) &>> 56)
            }
        }
        for i in words &* perWord..<node.count { sum &+= node.integer(i) }
        return sum
    }

    /// Sums bytes in lanes of 16 bits, each of which can add 128 bytes without overflow.
    private static func byteSum(_ node: NodeView) -> Int64 {
        let (p, count) = (node.payload, node.count)
        var sum: Int64 = 0
        var i = 0
        while i &+ 8 <= count {
            var lanes = SIMD8<Int16>()
            let end = min(count &- 7, i &+ 1024)
            while i < end {
                lanes &+= SIMD8<Int16>(
                    truncatingIfNeeded: p.loadUnaligned(fromByteOffset: i, as: SIMD8<Int8>.self))
                i &+= 8
            }
            for lane in 0..<8 { sum &+= Int64(lanes[lane]) }
        }
        while i < count {
            sum &+= Int64(p.load(fromByteOffset: i, as: Int8.self))
            i &+= 1
        }
        return sum
    }

    /// Sums integers of a width below 64 bits. The sum fits in 64 bits, because a node has at most
    /// 2^24 elements.
    @inline(__always)
    private static func sum<T: FixedWidthInteger>(_ node: NodeView, _: T.Type) -> Int64 {
        let integers = node.payload.assumingMemoryBound(to: T.self)
        var sum: Int64 = 0
        var i = 0
        while i < node.count {
            sum &+= Int64(truncatingIfNeeded: integers[i])
            i &+= 1
        }
        return sum
    }

    /// Sums the high halves and the low halves of the integers separately, so that neither sum
    /// overflows.
    private static func longSum(_ node: NodeView) -> Int128 {
        let integers = node.payload.assumingMemoryBound(to: Int64.self)
        var (high, low): (Int64, Int64) = (0, 0)
        var i = 0
        while i < node.count {
            high &+= integers[i] &>> 32
            low &+= integers[i] & 0xFFFF_FFFF
            i &+= 1
        }
        return Int128(high) << 32 + Int128(low)
    }
}
