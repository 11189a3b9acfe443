/// The sum, the least and the greatest of the integers of an array.
extension IntegerKernels {
    static func sum(_ node: NodeView) -> Int128 {
        switch node.widthCode {
        case 4: Int128(sum(node, Int8.self))
        case 5: Int128(sum(node, Int16.self))
        case 6: Int128(sum(node, Int32.self))
        case 7: longSum(node)
        default: Int128((0..<node.count).reduce(0) { $0 + node.integer($1) })
        }
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
