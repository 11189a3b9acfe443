/// Search for an integer in an array that is not sorted.
extension IntegerKernels {
    /// Returns the index of the first element of `node` that equals `value`, among the indexes in
    /// `range`; nil if there is none.
    static func firstIndex(of value: Int64, _ node: NodeView, in range: Range<Int>) -> Int? {
        switch node.widthCode {
        case 4: Int8(exactly: value).flatMap { firstIndex(of: $0, node.payload, range) }
        case 5: Int16(exactly: value).flatMap { firstIndex(of: $0, node.payload, range) }
        case 6: Int32(exactly: value).flatMap { firstIndex(of: $0, node.payload, range) }
        case 7: firstIndex(of: value, node.payload, range)
        default: range.first { node.integer($0) == value }
        }
    }

    @inline(__always)
    private static func firstIndex<T: FixedWidthInteger>(
        of value: T, _ p: UnsafeRawPointer, _ range: Range<Int>
    ) -> Int? {
        let integers = p.assumingMemoryBound(to: T.self)
        // Elements are compared in blocks without branches, which the compiler vectorises.
        var i = range.lowerBound
        while i &+ 32 <= range.upperBound {
            var found: T = 0
            for j in 0..<32 { found |= integers[i &+ j] == value ? 1 : 0 }
            if found != 0 { break }
            i &+= 32
        }
        while i < range.upperBound {
            if integers[i] == value { return i }
            i &+= 1
        }
        return nil
    }
}
