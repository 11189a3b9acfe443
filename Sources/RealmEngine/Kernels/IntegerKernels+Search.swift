extension IntegerKernels {
    /// Returns the index of the first element of `node` that is not less than `value`; the number
    /// of elements if there is none. The elements must ascend.
    @inline(__always)
    static func firstNotBelow(_ value: Int64, _ node: NodeView) -> Int {
        // The keys in nodes of search indexes have four bytes each, so this width is searched
        // directly.
        guard node.widthCode == 6 else { return searched(value, node) }
        if value > Int64(Int32.max) { return node.count }
        let wanted = Int32(truncatingIfNeeded: max(value, Int64(Int32.min)))
        let p = node.payload.assumingMemoryBound(to: Int32.self)
        // A binary search without branches that could be mispredicted. The part still to search
        // begins at `start`.
        var start = 0
        var left = node.count
        while left > 1 {
            let half = left &>> 1
            start = p[start &+ half &- 1] < wanted ? start &+ half : start
            left &-= half
        }
        return left == 1 && p[start] < wanted ? start &+ 1 : start
    }

    private static func searched(_ value: Int64, _ node: NodeView) -> Int {
        var low = 0
        var high = node.count
        while low < high {
            let middle = (low &+ high) &>> 1
            if node.integer(middle) < value { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
