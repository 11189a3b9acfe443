import Glibc
import RealmEngine

/// Bytes that come in pieces. Used by one thread at a time.
package protocol ByteSupply: AnyObject {
    /// The next piece, which may be empty and stays where it is until all are read; nil at the end.
    func next() throws(RealmError) -> ByteView?

    /// Whether `next` would not wait; waits up to `milliseconds` for that.
    func isReady(within milliseconds: Int32) -> Bool
}

extension ByteSupply {
    package func isReady(within milliseconds: Int32) -> Bool { true }
}

/// Where input bytes come from: a file descriptor, or memory. Not thread-safe.
///
/// Reads go straight into the caller's memory.
package final class ByteSource {
    private enum Origin {
        case descriptor(Int32)
        case memory([UInt8])
        case pieces(any ByteSupply)
    }

    private var origin: Origin
    /// Where everything that is read is written too; negative for nowhere.
    private let copy: Int32
    /// What is read behind the end of the descriptor; negative for nothing.
    private var next: Int32
    /// What messages call the input.
    package let path: String
    /// What is left of a piece.
    private var piece = ByteView.empty
    /// Bytes handed out so far.
    package private(set) var bytesRead = 0
    private let largestRead: Int

    /// Reads from `descriptor`, which stays the caller's to close and must stay open meanwhile.
    ///
    /// - Parameters:
    ///   - copiedTo: gets everything that is read too.
    ///   - followedBy: is read where `descriptor` ends.
    package init(
        descriptor: Int32, path: String, copiedTo copy: Int32 = -1, followedBy next: Int32 = -1
    ) {
        self.path = path
        self.copy = copy
        self.next = next
        largestRead = .max
        origin = .descriptor(descriptor)
    }

    /// Reads from memory, at most `largestRead` bytes a time.
    package init(bytes: [UInt8], largestRead: Int = .max) {
        path = "-"
        copy = -1
        next = -1
        self.largestRead = max(1, largestRead)
        origin = .memory(bytes)
    }

    /// Reads what `supply` has.
    package init(_ supply: any ByteSupply) {
        path = "-"
        copy = -1
        next = -1
        largestRead = .max
        origin = .pieces(supply)
    }

    /// Reads what there is, up to `capacity` bytes; waits for the first byte. 0 is the end.
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
            count = min(capacity, bytes.count - bytesRead, largestRead)
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
                // Returns the bytes read so far before it waits for the next piece.
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
                    .output, "cannot keep the input", errno: errno,
                    file: Terminal.temporaryDirectory)
            }
            done += written
        }
    }

    /// True when `read` would not wait: bytes are there, or the end, or an error. Waits up to
    /// `milliseconds` for that; an interrupting signal counts as "no".
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
