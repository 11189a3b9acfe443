import Glibc
import RealmEngine

/// Where a tool's data goes: standard output, or a file that appears complete or not at all.
///
/// The caller owns the buffer and fills it; `write` passes it on in large pieces. Every failure,
/// the last one at `commit` included, is an `output` error. A reader that went away ends the
/// process as SIGPIPE does. Not thread-safe. Without `commit` the file never appears.
package final class OutputFile {
    /// A buffer with at least this many bytes is written out.
    static let flushThreshold = 64 << 10

    private var descriptor: Int32
    /// Nil for standard output.
    private let destination: Destination?
    /// What `commit` renames into place; nil when writing directly, and afterwards.
    private var temporary: TemporaryFile?
    /// Bytes that have left for the descriptor.
    package private(set) var written = 0
    /// Bytes before which nothing is taken back.
    private var settled = 0

    /// Opens the output.
    ///
    /// A path that names a device, pipe or socket is written directly. A symbolic link is followed:
    /// the file it leads to is replaced, the link stays.
    ///
    /// - Parameters:
    ///   - path: nil for standard output.
    ///   - force: allow an existing file to be replaced.
    /// - Throws: `misuse` if the file exists and `force` is false, `output` if it cannot be made.
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

    /// Writes the buffer out and empties it once it has grown large enough to be worth a call.
    @inline(__always)
    package func write(_ buffer: inout ByteBuffer) throws(RealmError) {
        if buffer.count >= Self.flushThreshold { try flush(&buffer) }
    }

    /// Writes the buffer out now and empties it.
    package func flush(_ buffer: inout ByteBuffer) throws(RealmError) {
        var rest = buffer.bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
            if count >= 0 {
                written += count
                rest = rest.dropFirst(count)
            } else {
                try recover(errno)
            }
        }
        buffer.removeAll()
    }

    /// Takes back what was written since `settle`, so that the caller can begin again.
    ///
    /// - Returns: false when it is too late: some of it already went to a pipe or a terminal.
    @discardableResult
    package func restart() throws(RealmError) -> Bool {
        if written == settled { return true }
        guard temporary != nil else { return false }
        guard ftruncate(descriptor, settled) == 0, lseek(descriptor, settled, SEEK_SET) >= 0 else {
            throw failure("cannot truncate", errno)
        }
        written = settled
        return true
    }

    /// Keeps what was written so far: `restart` takes back what follows.
    package func settle() { settled = written }

    /// Makes the output final: a file is synced, renamed into place and its directory synced;
    /// standard output reports what the system kept back until the end.
    ///
    /// - Parameter isDurable: without it nothing is synced, and a power failure may bring back what
    ///   was there before, or nothing.
    package func commit(isDurable: Bool = true) throws(RealmError) {
        guard let destination else { return try finishStandardOutput() }
        guard let temporary else { return try close() }
        guard !isDurable || fsync(descriptor) == 0 else { throw failure("cannot sync", errno) }
        // While it is open: a file without a name is gone with its last descriptor.
        try destination.publish(temporary, isDurable: isDurable)
        self.temporary = nil
        try close()
    }

    /// Some file systems report a full disk only on close. Closing a duplicate asks for that
    /// report and leaves the descriptor in place.
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

    /// Removes what an uncommitted output left.
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
        case EPIPE where destination == nil: Signals.dieOfBrokenPipe()
        default: throw failure("cannot write", code)
        }
    }

    private func failure(_ doing: String, _ code: Int32) -> RealmError {
        systemFailure(
            .output, destination == nil ? doing + " to standard output" : doing, errno: code,
            file: destination?.path)
    }
}
