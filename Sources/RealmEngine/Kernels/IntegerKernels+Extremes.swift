/// Minimum and maximum of packed integers.
extension IntegerKernels {
    /// Returns the minimum or maximum of `count` integers from index `first` on; nil if there are
    /// none.
    ///
    /// - Parameter marker: the integer that means null and is ignored; nil if there is no null.
    static func extreme(
        isLeast: Bool, _ node: NodeView, first: Int = 0, count: Int, excluding marker: Int64? = nil
    ) -> Int64? {
        if count == 0 { return nil }
        switch node.widthCode {
        case 4: return extreme(isLeast, node.payload + first, count, marker, Int8.self)
        case 5: return extreme(isLeast, node.payload + 2 &* first, count, marker, Int16.self)
        case 6: return extreme(isLeast, node.payload + 4 &* first, count, marker, Int32.self)
        case 7: return extreme(isLeast, node.payload + 8 &* first, count, marker, Int64.self)
        default:
            var best: Int64?
            for i in first..<first &+ count {
                let integer = node.integer(i)
                if integer == marker { continue }
                if let last = best, isLeast ? last <= integer : last >= integer { continue }
                best = integer
            }
            return best
        }
    }

    /// Returns the minimum or maximum of the integers of the selected rows; nil if no row is
    /// selected. The integer of row 0 is the element at index `first`.
    static func extreme(
        isLeast: Bool, _ node: NodeView, first: Int = 0, _ rows: Selection
    ) -> Int64? {
        if rows.isEmpty { return nil }
        var best = isLeast ? Int64.max : Int64.min
        if isLeast {
            rows.each { best = min(best, node.integer(first &+ $0)) }
        } else {
            rows.each { best = max(best, node.integer(first &+ $0)) }
        }
        return best
    }

    @inline(__always)
    private static func extreme<T: FixedWidthInteger & SignedInteger>(
        _ isLeast: Bool, _ p: UnsafeRawPointer, _ count: Int, _ marker: Int64?, _: T.Type
    ) -> Int64? {
        let integers = p.assumingMemoryBound(to: T.self)
        // A marker that does not fit the width of the node cannot be among its integers.
        let marker = marker.flatMap { T(exactly: $0) }
        if marker == nil || marker != (isLeast ? T.min : T.max) {
            let best = reduced(isLeast, integers, count, 0)
            if best != marker { return Int64(best) }
        }
        // The null marker is the smallest or largest number of the width. Subtracting `shift` turns
        // it into the number that can never be the extreme that is searched for.
        let shift = (marker ?? 0) &- (isLeast ? T.max : T.min)
        let best = reduced(isLeast, integers, count, shift)
        return best &+ shift == marker ? nil : Int64(best &+ shift)
    }

    /// Returns the minimum or maximum of the integers after `shift` is subtracted from each.
    @inline(__always)
    private static func reduced<T: FixedWidthInteger & SignedInteger>(
        _ isLeast: Bool, _ integers: UnsafePointer<T>, _ count: Int, _ shift: T
    ) -> T {
        isLeast
            ? reduced(integers, count, .max) { min($0, $1 &- shift) }
            : reduced(integers, count, .min) { max($0, $1 &- shift) }
    }

    @inline(__always)
    private static func reduced<T: FixedWidthInteger & SignedInteger>(
        _ integers: UnsafePointer<T>, _ count: Int, _ start: T, _ next: (T, T) -> T
    ) -> T {
        var best = start
        var i = 0
        while i < count {
            best = next(best, integers[i])
            i &+= 1
        }
        return best
    }
}
