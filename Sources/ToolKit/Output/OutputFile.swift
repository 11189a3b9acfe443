import Glibc
import RealmEngine

/// Data output of a tool: standard output, or a file that appears under its name only when it is
/// complete.
///
/// The caller owns and fills a buffer; `write` writes the buffer when it is large. The file appears
/// only when `commit` succeeds. Every failure is an `output` error. Writing to a closed pipe ends
/// the process like SIGPIPE. Not thread-safe.
package final class OutputFile {
    /// Size in bytes from which `write` flushes a buffer.
    static let flushThreshold = 64 << 10

    private var descriptor: Int32
    /// Named destination; nil for standard output.
    private let destination: Destination?
    /// Temporary file that `commit` renames; nil for direct output and after `commit`.
    private var temporary: TemporaryFile?
    /// Number of bytes written to the descriptor.
    package private(set) var written = 0
    /// Number of bytes that `restart` does not discard.
    private var finalByteCount = 0

    /// Opens the output.
    ///
    /// A path that names a device, pipe or socket is written directly. If the path is a symbolic
    /// link, the file that it references is replaced, and the link remains.
    ///
    /// - Parameters:
    ///   - path: path of the file; nil for standard output.
    ///   - force: whether an existing file may be replaced.
    /// - Throws: `misuse` if the file exists and `force` is false, `output` if it cannot be
    ///   created.
    package init(path: String?, force: Bool) throws(RealmError) {
        guard let path else {
            descriptor = STDOUT_FILENO
            destination = nil
            return
        }
        let opened = try Destination.open(path, force: force)
        descriptor = opened.descriptor
        destination = opened.destination
        temporary = opened.temporary
    }

    deinit { abandon() }

    /// Writes and empties the buffer if it has reached `flushThreshold`.
    @inline(__always)
    package func write(_ buffer: inout ByteBuffer) throws(RealmError) {
        if buffer.count >= Self.flushThreshold { try flush(&buffer) }
    }

    /// Writes and empties the buffer.
    package func flush(_ buffer: inout ByteBuffer) throws(RealmError) {
        var rest = buffer.bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
            if count > 0 {
                written += count
                rest = rest.dropFirst(count)
            } else {
                try recover(count == 0 ? ENOSPC : errno)
            }
        }
        buffer.removeAll()
    }

    /// Discards the output after the last call of `markFinal`, so that the caller can repeat it.
    ///
    /// - Returns: false if some of that output has already been written to a pipe or a terminal.
    @discardableResult
    package func restart() throws(RealmError) -> Bool {
        if written == finalByteCount { return true }
        guard temporary != nil else { return false }
        guard retryingInterrupts({ ftruncate(descriptor, finalByteCount) }) == 0,
            lseek(descriptor, finalByteCount, SEEK_SET) >= 0
        else {
            throw failure("cannot truncate", errno)
        }
        written = finalByteCount
        return true
    }

    /// Marks the output so far as final. `restart` then discards only later output.
    package func markFinal() { finalByteCount = written }

    /// Completes the output. A file is synced and renamed, and its directory is synced. For
    /// standard output, reports errors that the system has deferred.
    ///
    /// - Parameter isDurable: whether to sync. If false, a power failure may leave the previous
    ///   file or no file.
    package func commit(isDurable: Bool = true) throws(RealmError) {
        guard let destination else { return try finishStandardOutput() }
        guard let temporary else { return try close() }
        guard !isDurable || retryingInterrupts({ fsync(descriptor) }) == 0 else {
            throw failure("cannot sync", errno)
        }
        // The file gets its name before its descriptor is closed: closing the last descriptor of an
        // unnamed file deletes it.
        try destination.publish(temporary, isDurable: isDurable)
        self.temporary = nil
        try close()
    }

    /// Reports errors that some file systems report only when a file is closed, for example because
    /// the disk is full. Closes a duplicate of the descriptor, so that the descriptor itself stays
    /// open.
    private func finishStandardOutput() throws(RealmError) {
        let copy = dup(descriptor)
        guard copy >= 0 else {
            if written == 0 { return }
            throw failure("cannot write", errno)
        }
        guard Glibc.close(copy) == 0 else { throw failure("cannot write", errno) }
    }

    private func close() throws(RealmError) {
        let result = Glibc.close(descriptor)
        descriptor = -1
        guard result == 0 else { throw failure("cannot close", errno) }
    }

    /// Deletes the temporary file of an uncommitted output.
    private func abandon() {
        if destination != nil, descriptor >= 0 { _ = Glibc.close(descriptor) }
        temporary?.discard()
    }

    private func recover(_ code: Int32) throws(RealmError) {
        switch code {
        case EINTR: return
        case EAGAIN:
            var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&wanted, 1, -1)
        case EPIPE where destination == nil: Signals.terminateBySIGPIPE()
        default: throw failure("cannot write", code)
        }
    }

    private func failure(_ doing: String, _ code: Int32) -> RealmError {
        systemFailure(
            .output, destination == nil ? doing + " to standard output" : doing, errno: code,
            file: destination?.path)
    }
}
