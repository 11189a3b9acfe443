import Glibc

/// Encrypts what goes to one temporary file, block by block, with a random key of its own. Nothing
/// authenticates the blocks: only who may read the process's memory could change them to some purpose.
///
/// Confined to one thread; the key is not.
final class SpillCipher {
    let key: EncryptionKey
    private let room: UnsafeMutableRawPointer

    static let block = 4096

    /// - Parameter capacity: bytes that are encrypted at a time, at most.
    init(capacity: Int) throws(RealmError) {
        key = try EncryptionKey.random()
        room = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { room.deallocate() }

    /// Whole blocks as the file holds them at `position`; valid until the next ones.
    func encrypted(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UnsafeRawBufferPointer {
        for at in stride(from: 0, to: bytes.count, by: Self.block) {
            key.encrypt(
                bytes.baseAddress! + at, to: room + at, Self.block, position: position + at,
                counter: 1)
        }
        return UnsafeRawBufferPointer(start: room, count: bytes.count)
    }
}

/// Reads what a `SpillCipher` made: the blocks used last are kept decrypted, in memory that no core
/// dump shows. Free to cross threads; one mutex guards the blocks.
final class SpillBlocks: @unchecked Sendable {
    private let key: EncryptionKey
    private let cipher: UnsafeRawPointer
    private let plain: UnsafeMutableRawPointer
    /// Number of the block in each place.
    private let held: LockedValue<[Int]>

    private static let places = 256
    private static let size = places * SpillCipher.block

    /// - Parameter cipher: what the file holds; the caller keeps it there.
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
