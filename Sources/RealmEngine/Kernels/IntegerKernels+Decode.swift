/// Packed integers unpacked, where a kernel needs each of them.
extension IntegerKernels {
    /// Stores elements `first ..< first + count` of `node`, which all exist, from `out` on.
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
