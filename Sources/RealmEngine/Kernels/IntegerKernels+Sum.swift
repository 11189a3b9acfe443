/// The sum, the least and the greatest of the integers of an array.
extension IntegerKernels {
    static func sum(_ node: NodeView) -> Int128 {
        switch node.widthCode {
        case 4: Int128(sum(node, Int8.self))
        case 5: Int128(sum(node, Int16.self))
        case 6: Int128(sum(node, Int32.self))
        case 7: longSum(node)
        default: Int128(smallSum(node))
        }
    }

    /// The sum of the integers of some rows.
    static func sum(_ node: NodeView, _ rows: Selection) -> Int128 {
        switch node.widthCode {
        case 4: return Int128(sum(node, rows, Int8.self))
        case 5: return Int128(sum(node, rows, Int16.self))
        case 6: return Int128(sum(node, rows, Int32.self))
        case 7:
            let integers = node.payload.assumingMemoryBound(to: Int64.self)
            var sum: Int128 = 0
            rows.each { sum &+= Int128(integers[$0]) }
            return sum
        default:
            var sum: Int64 = 0
            rows.each { sum &+= node.integer($0) }
            return Int128(sum)
        }
    }

    @inline(__always)
    private static func sum<T: FixedWidthInteger>(
        _ node: NodeView, _ rows: Selection, _: T.Type
    ) -> Int64 {
        let integers = node.payload.assumingMemoryBound(to: T.self)
        var sum: Int64 = 0
        rows.each { sum &+= Int64(truncatingIfNeeded: integers[$0]) }
        return sum
    }

    /// The sum of integers of 0 to 4 bits, 64 bits at a time.
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

    /// Fits 64 bits: a node has at most 2^24 elements.
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

    /// Adds the halves of the integers apart, neither of which overflows.
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

    /// The least and the greatest integer; nil if there is none.
    static func range(of node: NodeView) -> ClosedRange<Int64>? {
        if node.count == 0 { return nil }
        switch node.widthCode {
        case 4: return range(of: node, Int8.self)
        case 5: return range(of: node, Int16.self)
        case 6: return range(of: node, Int32.self)
        case 7: return range(of: node, Int64.self)
        default:
            var (least, greatest) = (node.integer(0), node.integer(0))
            for i in 1..<node.count {
                least = min(least, node.integer(i))
                greatest = max(greatest, node.integer(i))
            }
            return least...greatest
        }
    }

    /// The least and the greatest integer of some rows; nil if there is none.
    static func range(of node: NodeView, _ rows: Selection) -> ClosedRange<Int64>? {
        guard let first = rows.first else { return nil }
        switch node.widthCode {
        case 4: return range(of: node, rows, Int8.self)
        case 5: return range(of: node, rows, Int16.self)
        case 6: return range(of: node, rows, Int32.self)
        case 7: return range(of: node, rows, Int64.self)
        default:
            var (least, greatest) = (node.integer(first), node.integer(first))
            rows.each { row in
                let integer = node.integer(row)
                least = min(least, integer)
                greatest = max(greatest, integer)
            }
            return least...greatest
        }
    }

    @inline(__always)
    private static func range<T: FixedWidthInteger>(
        of node: NodeView, _ rows: Selection, _: T.Type
    ) -> ClosedRange<Int64> {
        let integers = node.payload.assumingMemoryBound(to: T.self)
        var (least, greatest) = (T.max, T.min)
        rows.each { row in
            let integer = integers[row]
            least = integer < least ? integer : least
            greatest = integer > greatest ? integer : greatest
        }
        return Int64(least)...Int64(greatest)
    }

    @inline(__always)
    private static func range<T: FixedWidthInteger>(
        of node: NodeView, _: T.Type
    ) -> ClosedRange<Int64> {
        let integers = node.payload.assumingMemoryBound(to: T.self)
        var (least, greatest) = (integers[0], integers[0])
        var i = 1
        while i < node.count {
            least = integers[i] < least ? integers[i] : least
            greatest = integers[i] > greatest ? integers[i] : greatest
            i &+= 1
        }
        return Int64(least)...Int64(greatest)
    }
}
