/// Memory for the strings and binaries of a query's constants: they are compared as `ByteView`s,
/// which need an owner. Grows while a query is bound and never changes afterwards.
final class ConstantPool: @unchecked Sendable {
    private var blocks: [UnsafeMutableRawPointer] = []

    deinit { for block in blocks { block.deallocate() } }

    /// A copy of `bytes` that lives as long as the pool.
    func view(_ bytes: [UInt8]) -> ByteView {
        let block = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
        bytes.withUnsafeBytes {
            if let base = $0.baseAddress { block.copyMemory(from: base, byteCount: $0.count) }
        }
        blocks.append(block)
        return ByteView(block, count: bytes.count)
    }
}
