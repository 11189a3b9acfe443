import Glibc

/// A file that is written front to back through buffers, encrypted if there is a key; or, for an
/// estimate, only the count of its bytes. A second thread writes complete buffers. The caller owns
/// the descriptor, and calls `close` before closing it. Used by one thread.
final class SequentialFile {
    private let descriptor: Int32?
    private let path: String
    private let progress: (UInt64) throws(RealmError) -> Void
    private let behind: WriteBehind
    private let encrypted: EncryptedSequence?
    private var chunk: WriteBehind.Chunk
    private var buffer: UnsafeMutableRawPointer
    private var capacity = SequentialFile.chunkSize
    private var used = 0
    /// Number of bytes that have left the buffer.
    private var passedOn: UInt64 = 0

    /// Small enough to be in the processor's cache when it is written.
    private static let chunkSize = 1 << 19

    /// - Parameters:
    ///   - descriptor: of an empty file; nil to only count bytes.
    ///   - path: name of the file in errors.
    ///   - key: to encrypt the file; then the content must fill whole pages.
    ///   - follower: reads what was written.
    ///   - progress: called now and then with the number of bytes so far. Its errors are thrown by
    ///     the call that wrote.
    /// - Throws: `internal` if out of memory.
    init(
        _ descriptor: Int32?, path: String, key: EncryptionKey? = nil,
        follower: (any WriteFollower)? = nil,
        progress: @escaping (UInt64) throws(RealmError) -> Void
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

    /// Returns room for `count` bytes in the buffer, to be confirmed with `advance`.
    @inline(__always)
    func reserve(_ count: Int) throws(RealmError) -> UnsafeMutableRawPointer {
        if used &+ count > capacity { try flushBuffer(count) }
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

    /// Passes the buffer on and gets a buffer with room for `count` bytes.
    private func flushBuffer(_ count: Int) throws(RealmError) {
        passedOn += UInt64(used)
        chunk.count = used
        used = 0
        let wanted = max(Self.chunkSize, count)
        if descriptor != nil {
            let full = chunk
            // On error, `exchange` has taken over the memory of the chunk.
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
        try progress(passedOn)
    }

    /// Returns when everything is in the file, though not yet durable.
    func finish() throws(RealmError) {
        try flushBuffer(0)
        try behind.drain()
        try encrypted?.finish(size: Int(position))
    }

    /// Appends zeros until `rest` more bytes fill whole pages.
    func fillPage(leaving rest: Int) throws(RealmError) {
        while (position + UInt64(rest)) % UInt64(EncryptedLayout.page) != 0 { try append(0) }
    }

    /// Replaces bytes, after `finish`.
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

    /// Returns when everything written is durable. Called after `finish`.
    func sync() throws(RealmError) {
        guard let descriptor else { return }
        guard retryingInterrupts({ fsync(descriptor) }) == 0 else {
            throw systemError("fsync", path, errno: errno, kind: .output)
        }
    }
}

/// Writes chunks one after the other.
private struct ChunkWriter {
    private let descriptor: Int32
    private let path: String
    private var written: UInt64 = 0
    /// Offset up to which writing to the disk was requested.
    private var begun: UInt64 = 0

    /// Number of bytes after which writing to the disk is requested, so that the final sync is
    /// short.
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
            // For dirty pages, this advice makes the system begin to write them.
            posix_fadvise(
                descriptor, off_t(begun), off_t(written - begun), POSIX_FADV_DONTNEED)
            begun = written
        }
    }
}
