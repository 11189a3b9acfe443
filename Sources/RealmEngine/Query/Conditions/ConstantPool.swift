/// Owns the strings and binaries of a query's constants, which are compared as `ByteView`s. Grows
/// while a query is bound and is immutable afterwards.
final class ConstantPool: @unchecked Sendable {
    /// Newest memory block. Each block begins with the address of the previous block.
    private var last: UnsafeMutableRawPointer?

    /// Whether a constant is an object that binding found by its primary key.
    var namesObjects = false

    private static let headerSize = 8

    deinit {
        while let block = last {
            last = block.load(as: UnsafeMutableRawPointer?.self)
            block.deallocate()
        }
    }

    /// Returns a copy of `bytes` that is valid while the pool exists.
    func view(_ bytes: [UInt8]) -> ByteView { bytes.withUnsafeBytes { view($0) } }

    /// Returns a copy of the bytes of `text` that is valid while the pool exists.
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
