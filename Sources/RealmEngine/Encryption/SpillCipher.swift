import Glibc

/// Encrypts the blocks of one temporary file with a random key of its own. The blocks are not
/// authenticated: changing them to some purpose takes access to the process's memory.
///
/// Confined to one thread, except for the key.
final class SpillCipher {
    let key: EncryptionKey
    private let room: UnsafeMutableRawPointer

    static let block = 4096

    /// - Parameter capacity: maximum number of bytes per call of `encrypted`.
    init(capacity: Int) throws(RealmError) {
        key = try EncryptionKey.random()
        room = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { room.deallocate() }

    /// Returns the encrypted form of whole blocks at `position`; valid until the next call.
    func encrypted(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UnsafeRawBufferPointer {
        for at in stride(from: 0, to: bytes.count, by: Self.block) {
            key.encrypt(
                bytes.baseAddress! + at, to: room + at, Self.block, position: position + at,
                counter: 1)
        }
        return UnsafeRawBufferPointer(start: room, count: bytes.count)
    }
}

/// Decrypts what a `SpillCipher` encrypted. A cache keeps recently used blocks decrypted, in memory
/// that is excluded from core dumps. Free to cross threads; one mutex guards the cache.
final class SpillBlocks: @unchecked Sendable {
    private let key: EncryptionKey
    private let cipher: UnsafeRawPointer
    private let plain: UnsafeMutableRawPointer
    /// Number of the block in each cache slot; -1 for none.
    private let held: LockedValue<[Int]>

    private static let places = 256
    private static let size = places * SpillCipher.block

    /// - Parameter cipher: the content of the file; the caller keeps it mapped.
    init(_ key: EncryptionKey, _ cipher: UnsafeRawPointer) throws(RealmError) {
        self.key = key
        self.cipher = cipher
        plain = try ConfidentialMemory.make(Self.size)
        held = LockedValue([Int](repeating: -1, count: Self.places))
    }

    deinit { ConfidentialMemory.free(plain, Self.size) }

    /// Copies `count` bytes at `offset` to `target`.
    func copy(_ offset: Int, _ count: Int, to target: UnsafeMutableRawPointer) {
        held.withLock { held in
            var done = 0
            while done < count {
                let (block, from) = (offset + done).quotientAndRemainder(
                    dividingBy: SpillCipher.block)
                let part = min(count - done, SpillCipher.block - from)
                (target + done).copyMemory(from: place(block, &held) + from, byteCount: part)
                done += part
            }
        }
    }

    private func place(_ block: Int, _ held: inout [Int]) -> UnsafeRawPointer {
        let place = block % Self.places
        let bytes = plain + place * SpillCipher.block
        if held[place] != block {
            let position = block * SpillCipher.block
            key.decrypt(
                cipher + position, to: bytes, SpillCipher.block, position: position, counter: 1)
            held[place] = block
        }
        return UnsafeRawPointer(bytes)
    }
}
