/// Address and number of bytes in a mapped snapshot; does not own them.
///
/// Valid as long as the `Snapshot` that returned it. Copying a view costs nothing; whether bytes
/// become a `String` is up to the API.
public struct ByteView: @unchecked Sendable {
    public let base: UnsafeRawPointer
    public let count: Int

    @inline(__always)
    public init(_ base: UnsafeRawPointer, count: Int) {
        self.base = base
        self.count = count
    }

    @inline(__always) public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count)
        return base.load(fromByteOffset: index, as: UInt8.self)
    }

    public var buffer: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: count)
    }

    public var bytes: [UInt8] { [UInt8](buffer) }

    /// Whether all bytes are ASCII.
    var isASCII: Bool {
        var bits: UInt64 = 0
        var i = 0
        while i &+ 8 <= count {
            bits |= base.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            i &+= 8
        }
        while i < count {
            bits |= UInt64(base.load(fromByteOffset: i, as: UInt8.self))
            i &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// The bytes as a string; each ill-formed UTF-8 sequence is replaced by U+FFFD.
    public var string: String { String(decoding: buffer, as: UTF8.self) }
}

extension ByteView {
    /// A view of no bytes. Its address is never read.
    public static let empty = ByteView(UnsafeRawPointer(bitPattern: 8)!, count: 0)
}
