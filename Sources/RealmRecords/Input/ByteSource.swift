import Glibc
import RealmEngine

/// Supplies bytes in pieces. Used by one thread at a time.
package protocol ByteSupply: AnyObject {
    /// Returns the next piece, which may be empty and is valid until the next call; nil at the end.
    func next() throws(RealmError) -> ByteView?

    /// Whether `next` would return without waiting. Waits for that up to `milliseconds`.
    func isReady(within milliseconds: Int32) -> Bool
}

extension ByteSupply {
    package func isReady(within milliseconds: Int32) -> Bool { true }
}

/// Source of input bytes: a file descriptor, memory, or a `ByteSupply`. Not thread-safe.
///
/// Bytes from a descriptor are read directly into the caller's memory.
package final class ByteSource {
    private enum Origin {
        case descriptor(Int32)
        case memory([UInt8])
        case pieces(any ByteSupply)
    }

    private var origin: Origin
    /// Descriptor to which `read` also writes the bytes that it reads from a descriptor; negative
    /// for none.
    private let copy: Int32
    /// Name of the file to which the descriptor `copy` refers, for error messages.
    private let copyPath: String
    /// Descriptor to read after the end of the current descriptor; negative for none.
    private var next: Int32
    /// Name of the input in messages.
    package let path: String
    /// Unread rest of the piece that a `ByteSupply` returned last.
    private var piece = ByteView.empty
    /// Number of bytes that `read` has returned.
    package private(set) var bytesRead = 0
    private let maximumReadSize: Int

    /// Creates a source that reads `descriptor`. The caller keeps the descriptor open while the
    /// source is used, and closes it afterwards.
    ///
    /// - Parameters:
    ///   - copiedTo: descriptor to which all bytes read are also written; negative for none.
    ///   - copyPath: name of the file to which `copiedTo` refers, for error messages.
    ///   - followedBy: descriptor to read after the end of `descriptor`; negative for none.
    package init(
        descriptor: Int32, path: String, copiedTo copy: Int32 = -1, copyPath: String = "",
        followedBy next: Int32 = -1
    ) {
        self.path = path
        self.copy = copy
        self.copyPath = copyPath
        self.next = next
        maximumReadSize = .max
        origin = .descriptor(descriptor)
    }

    /// Creates a source that reads `bytes`. One call of `read` returns at most `maximumReadSize`
    /// bytes.
    package init(bytes: [UInt8], maximumReadSize: Int = .max) {
        path = "-"
        copy = -1
        copyPath = ""
        next = -1
        self.maximumReadSize = max(1, maximumReadSize)
        origin = .memory(bytes)
    }

    /// Creates a source that reads the pieces of `supply`.
    package init(_ supply: any ByteSupply) {
        path = "-"
        copy = -1
        copyPath = ""
        next = -1
        maximumReadSize = .max
        origin = .pieces(supply)
    }

    /// Reads the bytes that are available, up to `capacity`. Waits only if none are available.
    /// Returns 0 at the end.
    package func read(into target: UnsafeMutableRawPointer, capacity: Int) throws(RealmError) -> Int
    {
        let count: Int
        switch origin {
        case .descriptor(let descriptor):
            count = retryingInterrupts { Glibc.read(descriptor, target, capacity) }
            if count < 0 { throw systemFailure(.input, "cannot read", errno: errno, file: path) }
            if count == 0, next >= 0 {
                origin = .descriptor(next)
                next = -1
                return try read(into: target, capacity: capacity)
            }
            if copy >= 0 { try keep(target, count) }
        case .memory(let bytes):
            count = min(capacity, bytes.count - bytesRead, maximumReadSize)
            bytes.withUnsafeBytes {
                if count > 0 {
                    target.copyMemory(from: $0.baseAddress! + bytesRead, byteCount: count)
                }
            }
        case .pieces(let supply):
            count = try take(from: supply, into: target, capacity: capacity)
        }
        bytesRead += count
        return count
    }

    private func take(
        from supply: any ByteSupply, into target: UnsafeMutableRawPointer, capacity: Int
    ) throws(RealmError) -> Int {
        var done = 0
        while done < capacity {
            if piece.count == 0 {
                // Bytes that were already read are returned first, instead of waiting for the next
                // piece.
                if done > 0, !supply.isReady(within: 0) { break }
                guard let next = try supply.next() else { break }
                piece = next
                continue
            }
            let count = min(capacity - done, piece.count)
            (target + done).copyMemory(from: piece.base, byteCount: count)
            piece = ByteView(piece.base + count, count: piece.count - count)
            done += count
        }
        return done
    }

    private func keep(_ bytes: UnsafeRawPointer, _ count: Int) throws(RealmError) {
        var done = 0
        while done < count {
            let written = retryingInterrupts { write(copy, bytes + done, count - done) }
            guard written > 0 else {
                throw systemFailure(
                    .output, "cannot keep the input", errno: written == 0 ? ENOSPC : errno,
                    file: copyPath)
            }
            done += written
        }
    }

    /// Whether `read` would return without waiting, because bytes are available, or the end or an
    /// error is reached. Waits for that up to `milliseconds`. Returns false if a signal
    /// interrupts the wait.
    package func isReady(within milliseconds: Int32) -> Bool {
        switch origin {
        case .descriptor(let descriptor):
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, milliseconds) > 0
        case .pieces(let supply):
            return piece.count > 0 || supply.isReady(within: milliseconds)
        case .memory:
            return true
        }
    }
}
