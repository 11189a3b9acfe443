import Glibc

/// A file that is written from start to end through buffers, and encrypted if there is a key.
/// Without a descriptor nothing is written, and only the size is computed, for estimates.
///
/// A second thread writes full buffers to the file. The caller owns the descriptor and must call
/// `close` on this object before closing the descriptor. Used by one thread.
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
    /// Number of bytes in buffers that were passed to the thread that writes them.
    private var passedOn: UInt64 = 0

    /// Size of a buffer in bytes. A buffer of this size is still in the processor's cache when it
    /// is written.
    private static let chunkSize = 1 << 19

    /// - Parameters:
    ///   - descriptor: descriptor of an empty file; nil to only compute the size.
    ///   - path: name of the file for error messages.
    ///   - key: key for encrypting the file; the content must then consist of whole pages.
    ///   - follower: is called with the bytes that were written.
    ///   - progress: is called from time to time with the number of bytes so far. If it throws, the
    ///     call that wrote throws the same error.
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

    /// Ends the thread that writes full buffers to the file. Afterwards nothing is written.
    func close() { behind.close() }

    /// Offset in the file at which the next appended byte will be written.
    @inline(__always) var position: UInt64 { passedOn &+ UInt64(used) }

    /// Returns memory for `count` bytes in the buffer. The caller fills it and then calls
    /// `advance`.
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

    /// Passes the buffer to the thread that writes full buffers, and makes a buffer with room for
    /// `count` bytes.
    private func flushBuffer(_ count: Int) throws(RealmError) {
        passedOn += UInt64(used)
        chunk.count = used
        used = 0
        let wanted = max(Self.chunkSize, count)
        if descriptor != nil {
            let full = chunk
            // If `exchange` throws, it has already freed the memory of `full`.
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

    /// Waits until all bytes are written to the file. They need not be on disk.
    func finish() throws(RealmError) {
        try flushBuffer(0)
        try behind.drain()
        try encrypted?.finish(size: Int(position))
    }

    /// Appends zeros until the file ends `rest` bytes before a page boundary.
    func fillPage(leaving rest: Int) throws(RealmError) {
        while (position + UInt64(rest)) % UInt64(EncryptedLayout.page) != 0 { try append(0) }
    }

    /// Overwrites bytes of the file at `offset`. Call `finish` first.
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

    /// Waits until all bytes are on disk. Call `finish` before.
    func sync() throws(RealmError) {
        guard let descriptor else { return }
        guard retryingInterrupts({ fsync(descriptor) }) == 0 else {
            throw systemError("fsync", path, errno: errno, kind: .output)
        }
    }
}

/// Writes the chunks of a file, one after the other.
private struct ChunkWriter {
    private let descriptor: Int32
    private let path: String
    private var written: UInt64 = 0
    /// Offset up to which the system was requested to begin writing to disk.
    private var begun: UInt64 = 0

    /// Number of bytes after which the system is requested to begin writing to disk, so that the
    /// sync at the end takes less time.
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
            // For pages that are not yet on disk, this call makes the system begin to write them.
            posix_fadvise(
                descriptor, off_t(begun), off_t(written - begun), POSIX_FADV_DONTNEED)
            begun = written
        }
    }
}
