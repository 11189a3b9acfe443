/// Decoding of packed integers, for kernels that need each integer separately.
extension IntegerKernels {
    /// Decodes the elements `first ..< first + count` of `node` to `out`. They must exist.
    static func decode(
        _ node: NodeView, first: Int, count: Int, into out: UnsafeMutablePointer<Int64>
    ) {
        switch node.widthCode {
        case 4: widen(node.payload + first, count, out, Int8.self)
        case 5: widen(node.payload + 2 &* first, count, out, Int16.self)
        case 6: widen(node.payload + 4 &* first, count, out, Int32.self)
        case 7: widen(node.payload + 8 &* first, count, out, Int64.self)
        default: for i in 0..<count { out[i] = node.integer(first &+ i) }
        }
    }

    @inline(__always)
    private static func widen<T: FixedWidthInteger & SignedInteger>(
        _ p: UnsafeRawPointer, _ count: Int, _ out: UnsafeMutablePointer<Int64>, _: T.Type
    ) {
        var i = 0
        while i < count {
            let element = p.loadUnaligned(fromByteOffset: i &* MemoryLayout<T>.size, as: T.self)
            out[i] = Int64(truncatingIfNeeded: element)
            i &+= 1
        }
    }
}

extension IntegerKernels {
    /// Whether the first `count` integers of a node are not negative and none is less than the one
    /// before.
    static func ascend(_ node: NodeView, _ count: Int) -> Bool {
        switch node.widthCode {
        case 4: ascend(node.payload, count, Int8.self)
        case 5: ascend(node.payload, count, Int16.self)
        case 6: ascend(node.payload, count, Int32.self)
        default: (0..<count).allSatisfy { node.integer($0) >= ($0 == 0 ? 0 : node.integer($0 - 1)) }
        }
    }

    @inline(__always)
    private static func ascend<T: FixedWidthInteger & SignedInteger>(
        _ p: UnsafeRawPointer, _ count: Int, _: T.Type
    ) -> Bool {
        let integers = p.assumingMemoryBound(to: T.self)
        // All elements are examined, so that the compiler vectorises the loop.
        var wrong: T = count > 0 && integers[0] < 0 ? 1 : 0
        var i = 1
        while i < count {
            wrong |= integers[i] < integers[i &- 1] ? 1 : 0
            i &+= 1
        }
        return wrong == 0
    }
}

extension NodeView {
    /// Calls `body` with each selected row of a leaf and the row's integer. The integer of row 0 is
    /// the element at index `first`.
    @inline(__always)
    func visit(_ first: Int, _ rows: Selection, _ body: (Int, Int64) -> Void) {
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: ClusterRows.maximum) { memory in
            let integers = memory.baseAddress!
            let count = min(count &- first, ClusterRows.maximum)
            IntegerKernels.decode(self, first: first, count: count, into: integers)
            rows.each { body($0, integers[$0]) }
        }
    }

    /// Decodes the slots of a node with refs, from index `first` on, to words of 64 bits.
    func decodeSlots(from first: Int, into slots: UnsafeMutablePointer<UInt64>) {
        let count = count - first
        slots.withMemoryRebound(to: Int64.self, capacity: max(0, count)) {
            IntegerKernels.decode(self, first: first, count: count, into: $0)
        }
    }
}
