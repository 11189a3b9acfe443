import Glibc

/// The 64 bytes that open an encrypted database, wiped when their owner lets go of them.
///
/// The bytes never become a `String` or an array, so no copy outlives the wipe.
struct EncryptionKey: ~Copyable {
    static let size = 64

    /// How the key file held them; for hints.
    enum Form: String, Sendable {
        case raw = "64 raw bytes"
        case hexadecimal = "128 hex digits"
        case base64 = "88 base64 characters"
    }

    let form: Form
    private let start: UnsafeMutableRawPointer

    /// Copies the first 64 of `bytes`; the caller wipes its own.
    init(_ bytes: UnsafeRawBufferPointer, form: Form) {
        precondition(bytes.count >= Self.size)
        self.form = form
        start = .allocate(byteCount: Self.size, alignment: 16)
        start.copyMemory(from: bytes.baseAddress!, byteCount: Self.size)
    }

    deinit {
        explicit_bzero(start, Self.size)
        start.deallocate()
    }

    /// The 64 bytes, valid inside `body` only.
    func withBytes<R, E>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: start, count: Self.size))
    }
}
