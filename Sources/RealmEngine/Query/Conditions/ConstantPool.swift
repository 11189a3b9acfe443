/// Memory for the strings and binaries of a query's constants: they are compared as `ByteView`s,
/// which need an owner. Grows while a query is bound and never changes afterwards.
final class ConstantPool: @unchecked Sendable {
    /// Each block begins with where the one before it is.
    private var last: UnsafeMutableRawPointer?

    /// A constant is an object that was looked for by its primary key.
    var namesObjects = false

    private static let headerSize = 8

    deinit {
        while let block = last {
            last = block.load(as: UnsafeMutableRawPointer?.self)
            block.deallocate()
        }
    }

    /// A copy of `bytes` that lives as long as the pool.
    func view(_ bytes: [UInt8]) -> ByteView { bytes.withUnsafeBytes { view($0) } }

    /// A copy of the bytes of `text` that lives as long as the pool.
    func view(_ text: String) -> ByteView {
        var text = text
        return text.withUTF8 { view(UnsafeRawBufferPointer($0)) }
    }

    private func view(_ bytes: UnsafeRawBufferPointer) -> ByteView {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.headerSize + max(1, bytes.count), alignment: 8)
        block.storeBytes(of: last, as: UnsafeMutableRawPointer?.self)
        last = block
        let start = block + Self.headerSize
        if let base = bytes.baseAddress { start.copyMemory(from: base, byteCount: bytes.count) }
        return ByteView(start, count: bytes.count)
    }
}
