import Glibc

/// Encrypts the 4 KiB blocks of one temporary file with a random key, which is used for no other
/// file. The blocks are not authenticated. Changing them in a useful way would require access to
/// the memory of the process, which contains the key.
///
/// Confined to one thread, except for the key.
final class SpillCipher {
    let key: EncryptionKey
    private let room: UnsafeMutableRawPointer

    static let block = 4096

    /// - Parameter capacity: maximum number of bytes for one call of `encrypted`.
    init(capacity: Int) throws(RealmError) {
        key = try EncryptionKey.random()
        room = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { room.deallocate() }

    /// Encrypts whole blocks for offset `position` of the file. The result is valid until the next
    /// call.
    func encrypted(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UnsafeRawBufferPointer {
        for at in stride(from: 0, to: bytes.count, by: Self.block) {
            key.encrypt(
                bytes.baseAddress! + at, to: room + at, Self.block, position: position + at,
                counter: 1)
        }
        return UnsafeRawBufferPointer(start: room, count: bytes.count)
    }
}

/// Decrypts the blocks of a temporary file that a `SpillCipher` encrypted. Recently used blocks are
/// cached decrypted, in memory that is left out of core dumps. Free to cross threads; one mutex
/// guards the cache.
final class SpillBlocks: @unchecked Sendable {
    private let key: EncryptionKey
    private let cipher: UnsafeRawPointer
    private let plain: UnsafeMutableRawPointer
    /// For each slot of the cache, which has room for one decrypted block of 4 KiB, the index of
    /// that block in the file; -1 if the slot is empty.
    private let held: LockedValue<[Int]>

    private static let places = 256
    private static let size = places * SpillCipher.block

    /// - Parameter cipher: the encrypted content of the file, which the caller keeps mapped.
    init(_ key: EncryptionKey, _ cipher: UnsafeRawPointer) throws(RealmError) {
        self.key = key
        self.cipher = cipher
        plain = try ConfidentialMemory.make(Self.size)
        held = LockedValue([Int](repeating: -1, count: Self.places))
    }

    deinit { ConfidentialMemory.free(plain, Self.size) }

    /// Copies `count` decrypted bytes at `offset` to `target`.
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
