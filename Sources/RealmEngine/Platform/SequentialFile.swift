import Glibc

/// A file written front to back through a buffer, or, for an estimate, nothing but the count of its
/// bytes. The caller owns the descriptor. Not thread-safe.
final class SequentialFile {
    private let descriptor: Int32?
    private let path: String
    private let progress: (UInt64) -> Void
    private var buffer: UnsafeMutableRawPointer
    private var capacity = SequentialFile.bufferSize
    private var used = 0
    /// Bytes that have left for the file.
    private var written: UInt64 = 0
    /// Where writing to the disk was last begun.
    private var begun: UInt64 = 0

    private static let bufferSize = 1 << 20
    /// The system is asked to begin writing after this much, so that the final sync is short.
    private static let writebackStep: UInt64 = 16 << 20

    /// - Parameters:
    ///   - descriptor: of an empty file; nil to only count.
    ///   - path: names the file in errors.
    ///   - progress: told the bytes written so far, now and then.
    init(_ descriptor: Int32?, path: String, progress: @escaping (UInt64) -> Void) {
        self.descriptor = descriptor
        self.path = path
        self.progress = progress
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Offset of the next byte.
    @inline(__always) var position: UInt64 { written &+ UInt64(used) }

    /// Room for `count` bytes in the buffer, which `advance` keeps.
    @inline(__always)
    func reserve(_ count: Int) throws(RealmError) -> UnsafeMutableRawPointer {
        if used &+ count > capacity { try makeRoom(count) }
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

    private func makeRoom(_ count: Int) throws(RealmError) {
        try flush()
        let wanted = max(Self.bufferSize, count)
        // One node can be larger than the buffer; its memory is not kept.
        guard wanted > capacity || capacity > Self.bufferSize else { return }
        buffer.deallocate()
        buffer = .allocate(byteCount: wanted, alignment: 16)
        capacity = wanted
    }

    /// Passes on what the buffer holds.
    func flush() throws(RealmError) {
        if let descriptor { try write(descriptor) }
        written += UInt64(used)
        used = 0
        if let descriptor, written - begun >= Self.writebackStep {
            // Dirty pages cannot be dropped, so the system begins to write them.
            posix_fadvise(
                descriptor, off_t(begun), off_t(written - begun), POSIX_FADV_DONTNEED)
            begun = written
        }
        progress(written)
    }

    private func write(_ descriptor: Int32) throws(RealmError) {
        var done = 0
        while done < used {
            let count = retryingInterrupts {
                pwrite(descriptor, buffer + done, used - done, off_t(written) + off_t(done))
            }
            guard count > 0 else {
                let code = count == 0 ? ENOSPC : errno
                throw systemError("pwrite", path, errno: code, kind: .output)
            }
            done += count
        }
    }

    /// Replaces bytes near the start, which have left the buffer.
    func overwrite(_ bytes: [UInt8], at offset: Int) throws(RealmError) {
        guard let descriptor else { return }
        let count = retryingInterrupts { pwrite(descriptor, bytes, bytes.count, off_t(offset)) }
        guard count == bytes.count else {
            throw systemError(
                "pwrite", path, errno: count < 0 ? errno : ENOSPC, kind: .output)
        }
    }

    /// Returns when everything written is durable.
    func sync() throws(RealmError) {
        try flush()
        guard let descriptor else { return }
        guard retryingInterrupts({ fsync(descriptor) }) == 0 else {
            throw systemError("fsync", path, errno: errno, kind: .output)
        }
    }
}
