import CRealmCrypto
import Glibc

/// The 64-byte key of an encrypted database, with the ciphers that use it (storage format 8.1).
///
/// The bytes are never stored in a `String` or an array. Their memory is left out of core dumps, is
/// not swapped out if the system permits that, and is wiped when the last reference is released.
/// Immutable and free to cross threads.
public final class EncryptionKey: @unchecked Sendable {
    /// Size of a key in bytes.
    package static let size = Int(realm_crypto_key_size)

    private let start: UnsafeMutableRawPointer
    private let context: UnsafeMutablePointer<realm_crypto_context>
    private static let count = {
        let needed = size + MemoryLayout<realm_crypto_context>.size
        return (needed + AddressSpace.pageSize - 1) / AddressSpace.pageSize * AddressSpace.pageSize
    }()

    /// Copies the first 64 of `bytes`. The caller should wipe the original. Throws `internal` if
    /// out of memory.
    public init(_ bytes: UnsafeRawBufferPointer) throws(RealmError) {
        precondition(bytes.count >= Self.size)
        let memory = try ConfidentialMemory.make(Self.count)
        mlock(memory, Self.count)
        start = memory
        context = (memory + Self.size).bindMemory(to: realm_crypto_context.self, capacity: 1)
        start.copyMemory(from: bytes.baseAddress!, byteCount: Self.size)
        realm_crypto_prepare(context, start.assumingMemoryBound(to: UInt8.self), 0)
    }

    /// Returns a random key. Throws `internal` if out of memory.
    public static func random() throws(RealmError) -> EncryptionKey {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer {
            realm_crypto_wipe(bytes.baseAddress!, size)
            bytes.deallocate()
        }
        var source = SystemRandomNumberGenerator()
        for i in bytes.indices { bytes[i] = source.next() }
        return try EncryptionKey(UnsafeRawBufferPointer(bytes))
    }

    deinit {
        realm_crypto_wipe(start, Self.count)
        ConfidentialMemory.free(start, Self.count)
    }

    /// Calls `body` with the 64 bytes of the key, which are valid only during the call.
    package func withBytes<R, E>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: start, count: Self.size))
    }

    /// Whether both keys are equal. The comparison takes constant time.
    func matches(_ other: EncryptionKey) -> Bool {
        realm_crypto_equal(
            start.assumingMemoryBound(to: UInt8.self),
            other.start.assumingMemoryBound(to: UInt8.self), Self.size) == 1
    }
}

extension EncryptionKey {
    /// Size of an authentication code in bytes.
    static let codeSize = Int(realm_crypto_mac_size)

    /// Stores the authentication code of `count` bytes at `code`. `count` must be a multiple of 64.
    func authenticate(
        _ bytes: UnsafeRawPointer, _ count: Int, into code: UnsafeMutableRawPointer
    ) {
        realm_crypto_authenticate(
            context, bytes.assumingMemoryBound(to: UInt8.self), count,
            code.assumingMemoryBound(to: UInt8.self))
    }

    /// Stores the authentication codes of two messages, both of `count` bytes.
    func authenticate(
        _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int,
        into codeA: UnsafeMutableRawPointer, _ codeB: UnsafeMutableRawPointer
    ) {
        realm_crypto_authenticate_pair(
            context, a.assumingMemoryBound(to: UInt8.self), b.assumingMemoryBound(to: UInt8.self),
            count, codeA.assumingMemoryBound(to: UInt8.self),
            codeB.assumingMemoryBound(to: UInt8.self))
    }

    /// Whether two authentication codes are equal. The comparison takes constant time.
    static func isSameCode(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        realm_crypto_equal(
            a.assumingMemoryBound(to: UInt8.self), b.assumingMemoryBound(to: UInt8.self),
            codeSize) == 1
    }

    /// Decrypts `count` bytes at offset `position` of the database, which were written with
    /// `counter`.
    func decrypt(
        _ from: UnsafeRawPointer, to: UnsafeMutableRawPointer, _ count: Int,
        position: Int, counter: UInt32
    ) {
        withVector(position, counter) { vector in
            realm_crypto_decrypt(
                context, vector, from.assumingMemoryBound(to: UInt8.self),
                to.assumingMemoryBound(to: UInt8.self), count)
        }
    }

    /// Encrypts `count` bytes for offset `position` of the database, to be written with `counter`.
    func encrypt(
        _ from: UnsafeRawPointer, to: UnsafeMutableRawPointer, _ count: Int,
        position: Int, counter: UInt32
    ) {
        withVector(position, counter) { vector in
            realm_crypto_encrypt(
                context, vector, from.assumingMemoryBound(to: UInt8.self),
                to.assumingMemoryBound(to: UInt8.self), count)
        }
    }

    /// Bytes to encrypt for offset `position` of the database, to be written with `counter`.
    struct Message {
        let bytes: UnsafeRawPointer
        let position: Int
        let counter: UInt32

        /// The initialisation vector: counter, position, zeros (storage format 8.3).
        fileprivate var vector: (UInt64, UInt64) { EncryptionKey.vector(position, counter) }
    }

    /// Encrypts messages of `count` bytes each, and stores the results one after the other at `to`.
    /// Faster than one call for each message.
    func encrypt(_ messages: [Message], _ count: Int, to: UnsafeMutableRawPointer) {
        let most = Int(realm_crypto_messages)
        for first in stride(from: 0, to: messages.count, by: most) {
            let some = messages[first..<min(first + most, messages.count)]
            let from = some.map { Optional($0.bytes.assumingMemoryBound(to: UInt8.self)) }
            some.map(\.vector).withUnsafeBytes { vectors in
                realm_crypto_encrypt_several(
                    context, some.count, vectors.baseAddress!.assumingMemoryBound(to: UInt8.self),
                    from, (to + first * count).assumingMemoryBound(to: UInt8.self), count)
            }
        }
    }

    private static func vector(_ position: Int, _ counter: UInt32) -> (UInt64, UInt64) {
        let place = UInt64(position)
        return (UInt64(counter) | place << 32, place >> 32)
    }

    private func withVector(
        _ position: Int, _ counter: UInt32, _ body: (UnsafePointer<UInt8>) -> Void
    ) {
        var vector = Self.vector(position, counter)
        withUnsafeBytes(of: &vector) {
            body($0.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
    }
}

extension EncryptionKey: Equatable {
    public static func == (a: EncryptionKey, b: EncryptionKey) -> Bool { a.matches(b) }
}
