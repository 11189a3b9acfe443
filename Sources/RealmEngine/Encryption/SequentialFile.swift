import Glibc

/// A file written front to back through buffers, or, for an estimate, nothing but the count of its
/// bytes. With a key what it holds is encrypted. A second thread writes what is complete. The caller owns the descriptor; whoever made the
/// object calls `close` before that descriptor is closed. Used by one thread.
final class SequentialFile {
    private let descriptor: Int32?
    private let path: String
    private let progress: (UInt64) -> Void
    private let behind: WriteBehind
    private let encrypted: EncryptedSequence?
    private var chunk: WriteBehind.Chunk
    private var buffer: UnsafeMutableRawPointer
    private var capacity = SequentialFile.chunkSize
    private var used = 0
    /// Bytes that have left the buffer.
    private var passedOn: UInt64 = 0

    /// Small enough for what was made to be in the processor's cache when it is written.
    private static let chunkSize = 1 << 19

    /// - Parameters:
    ///   - descriptor: of an empty file; nil to only count.
    ///   - path: names the file in errors.
    ///   - key: to encrypt with; then all that is made fills whole pages.
    ///   - follower: told what was written.
    ///   - progress: told the bytes made so far, now and then.
    /// - Throws: `internal` without memory.
    init(
        _ descriptor: Int32?, path: String, key: EncryptionKey? = nil,
        follower: (any WriteFollower)? = nil, progress: @escaping (UInt64) -> Void
    ) throws(RealmError) {
        var encrypted: EncryptedSequence?
        if let descriptor, let key {
            encrypted = try EncryptedSequence(descriptor, key, path: path)
        }
        self.encrypted = encrypted
        self.descriptor = descriptor
        self.path = path
        self.progress = progress
        chunk = WriteBehind.Chunk(capacity: Self.chunkSize)
        buffer = chunk.bytes
        var writer = ChunkWriter(descriptor ?? -1, path)
        behind = WriteBehind(follower) { [encrypted] (chunk) throws(RealmError) in
            if let encrypted {
                try encrypted.append(chunk.bytes, chunk.count)
            } else {
                try writer.write(chunk)
            }
        }
    }

    deinit {
        close()
        chunk.bytes.deallocate()
    }

    /// Ends the second thread; nothing is written from then on.
    func close() { behind.close() }

    /// Offset of the next byte.
    @inline(__always) var position: UInt64 { passedOn &+ UInt64(used) }

    /// Room for `count` bytes in the buffer, which `advance` keeps.
    @inline(__always)
    func reserve(_ count: Int) throws(RealmError) -> UnsafeMutableRawPointer {
        if used &+ count > capacity { try passOn(count) }
        return buffer + used
    }

    @inline(__always) func advance(by count: Int) { used &+= count }

    @inline(__always)
    func append(_ bytes: UnsafeRawPointer, _ count: Int) throws(RealmError) {
        try reserve(count).copyMemory(from: bytes, byteCount: count)
        used &+= count
    }

    func append(_ word: UInt64) throws(RealmError) {
        try reserve(8).storeBytes(of: word, as: UInt64.self)
        used += 8
    }

    /// Hands the buffer over and gets one with room for `count` bytes.
    private func passOn(_ count: Int) throws(RealmError) {
        passedOn += UInt64(used)
        chunk.count = used
        used = 0
        let wanted = max(Self.chunkSize, count)
        if descriptor != nil {
            let full = chunk
            // In case of an error the memory is not ours any more.
            chunk = WriteBehind.Chunk(capacity: 0)
            capacity = 0
            let empty = try behind.exchange(full, capacity: wanted)
            chunk.bytes.deallocate()
            chunk = empty
        } else if wanted != capacity {
            chunk.bytes.deallocate()
            chunk = WriteBehind.Chunk(capacity: wanted)
        }
        buffer = chunk.bytes
        capacity = wanted
        progress(passedOn)
    }

    /// Returns when everything is in the file, though not yet durable.
    func finish() throws(RealmError) {
        try passOn(0)
        try behind.drain()
        try encrypted?.finish(size: Int(position))
    }

    /// Adds zeros until only `rest` bytes are missing to whole pages.
    func fillPage(leaving rest: Int) throws(RealmError) {
        while (position + UInt64(rest)) % UInt64(EncryptedLayout.page) != 0 { try append(0) }
    }

    /// Replaces bytes after `finish`.
    func overwrite(_ bytes: [UInt8], at offset: Int) throws(RealmError) {
        guard let descriptor else { return }
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(RealmError) in
                if let encrypted { return try encrypted.overwrite(bytes, at: offset) }
                try writeWhole(descriptor, bytes, at: offset, path: path)
            }
        }
        try result.get()
    }

    /// Returns when everything written is durable. To be called after `finish`.
    func sync() throws(RealmError) {
        guard let descriptor else { return }
        guard retryingInterrupts({ fsync(descriptor) }) == 0 else {
            throw systemError("fsync", path, errno: errno, kind: .output)
        }
    }
}

/// Writes chunks one behind the other.
private struct ChunkWriter {
    private let descriptor: Int32
    private let path: String
    private var written: UInt64 = 0
    /// Where writing to the disk was last begun.
    private var begun: UInt64 = 0

    /// The system is asked to begin writing after this much, so that the final sync is short.
    private static let writebackStep: UInt64 = 16 << 20

    init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    mutating func write(_ chunk: WriteBehind.Chunk) throws(RealmError) {
        let bytes = UnsafeRawBufferPointer(start: chunk.bytes, count: chunk.count)
        try writeWhole(descriptor, bytes, at: Int(written), path: path)
        written += UInt64(chunk.count)
        if written - begun >= Self.writebackStep {
            // Dirty pages cannot be dropped, so the system begins to write them.
            posix_fadvise(
                descriptor, off_t(begun), off_t(written - begun), POSIX_FADV_DONTNEED)
            begun = written
        }
    }
}
