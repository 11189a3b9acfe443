/// Reads the chunks of a file that is being written, in order.
protocol WriteFollower: AnyObject {
    /// Bytes produced from now on belong to the next chunk. Called by the producing thread.
    func chunkEnds()
    /// Called when all bytes before the end of the last chunk have been produced. Bytes from the
    /// start of the first chunk on are in `chunks`, earlier ones in the file. Called on any thread,
    /// never concurrently, with increasing offsets.
    func follow(_ chunks: ArraySlice<WriteBehind.Chunk>) throws(RealmError)
}

/// Passes chunks of bytes to a second thread, which writes them while the producer fills the next
/// ones. A follower reads the chunks while they are still in memory.
///
/// Whichever thread is idle runs the follower: the second thread while no chunk waits, the producer
/// while no chunk is free. So both are busy, and memory is bounded: there are at most `depth`
/// chunks besides the one that is being filled. If the system refuses a thread, the producer does
/// everything.
final class WriteBehind: @unchecked Sendable {
    /// A buffer that is filled, written, read by the follower and filled again.
    struct Chunk {
        let bytes: UnsafeMutableRawPointer
        let capacity: Int
        /// Offset of its first byte in the file.
        var start: UInt64
        var count = 0

        /// - Parameter start: offset of the bytes in the file.
        init(capacity: Int, at start: UInt64 = 0) {
            self.start = start
            bytes = .allocate(byteCount: capacity, alignment: 64)
            self.capacity = capacity
        }

        /// Offset in the file after its last byte.
        var end: UInt64 { start + UInt64(count) }
    }

    private enum Step {
        case write(Chunk)
        case follow(ArraySlice<Chunk>)
        case goOn, wait, stop
    }

    /// Maximum number of chunks that were handed over and are not free again.
    private static let depth = 12
    /// Number of chunks that stay available to the producer while the follower runs.
    private static let slack = 4

    private let monitor = Monitor()
    private let write: (Chunk) throws(RealmError) -> Void
    private let follower: (any WriteFollower)?
    // Guarded by `monitor`.
    /// Chunks that were handed over and are still in memory, in order.
    private var line: [Chunk] = []
    /// Number of chunks at the beginning of `line` that are written.
    private var writtenCount = 0
    private var isWriting = false
    private var followed: UInt64 = 0
    /// File offset at which the running follower begins; nil while it does not run.
    private var following: UInt64?
    private var failure: RealmError?
    private var isClosing = false
    private var isRunning = false
    /// Used by the producer only.
    private var hasTried = false

    /// - Parameter write: called with the chunks in order on the second thread, never concurrently.
    init(
        _ follower: (any WriteFollower)?, _ write: @escaping (Chunk) throws(RealmError) -> Void
    ) {
        self.follower = follower
        self.write = write
    }

    deinit { for chunk in line { chunk.bytes.deallocate() } }

    // MARK: Producer

    /// Enqueues `chunk`, taking over its memory, and returns an empty chunk of `capacity` bytes at
    /// the following offset. Throws the error of an earlier chunk.
    func exchange(_ chunk: Chunk, capacity: Int) throws(RealmError) -> Chunk {
        follower?.chunkEnds()
        monitor.signal { line.append(chunk) }
        if !start() { try drain() }
        var free: Chunk?
        try takePart {
            if self.line.count < Self.depth { return false }
            free = self.takeOldest()
            return free == nil
        }
        if var free, free.capacity == capacity {
            (free.start, free.count) = (chunk.end, 0)
            return free
        }
        // Either this chunk or the next one has another size, because of a large node.
        free?.bytes.deallocate()
        return Chunk(capacity: capacity, at: chunk.end)
    }

    /// Returns when all chunks are written and followed.
    func drain() throws(RealmError) {
        if monitor.locked({ !isRunning }) {
            while let step = monitor.locked({ claimWriting() }) { perform(step) }
        }
        try takePart { self.writtenCount < self.line.count || self.isBehind }
    }

    /// Ends the thread after its current step; chunks that wait are not written.
    func close() {
        monitor.signal { isClosing = true }
        monitor.wait { !isRunning }
    }

    /// Removes and returns the oldest chunk if it is written and followed; nil otherwise.
    private func takeOldest() -> Chunk? {
        guard let oldest = line.first, writtenCount > 0, !isBehind || oldest.end <= followed,
            oldest.end <= following ?? oldest.end
        else { return nil }
        line.removeFirst()
        writtenCount -= 1
        return oldest
    }

    private var isBehind: Bool {
        guard follower != nil, let last = line.last else { return false }
        return followed < last.end
    }

    /// Runs the follower, or waits if it cannot run, while `isTooMuch` returns true. Calls
    /// `isTooMuch` with the monitor locked.
    private func takePart(while isTooMuch: () -> Bool) throws(RealmError) {
        while true {
            var step = Step.wait
            monitor.wait {
                step = failure != nil ? .stop : !isTooMuch() ? .goOn : claimFollowing() ?? .wait
                if case .wait = step { return false }
                return true
            }
            switch step {
            case .follow: perform(step)
            case .stop: throw monitor.locked { failure! }
            default: return
            }
        }
    }

    // MARK: Shared steps

    /// Claims the follower; nil if another thread runs it or there are no new bytes.
    private func claimFollowing() -> Step? {
        guard following == nil, isBehind else { return nil }
        // Leaves out the oldest chunks: the follower seldom reads them again, and the producer may
        // need them meanwhile.
        var first = 0
        while line.count - first > Self.depth - Self.slack, first < writtenCount,
            line[first].end <= followed
        {
            first += 1
        }
        following = line[first].start
        return .follow(line[first...])
    }

    private func claimWriting() -> Step? {
        guard !isWriting, failure == nil, writtenCount < line.count else { return nil }
        isWriting = true
        return .write(line[writtenCount])
    }

    private func perform(_ step: Step) {
        var failed: RealmError?
        switch step {
        case .write(let chunk):
            do throws(RealmError) { try write(chunk) } catch { failed = error }
            monitor.signal {
                isWriting = false
                writtenCount += 1
                failure = failure ?? failed
            }
        case .follow(let chunks):
            do throws(RealmError) { try follower?.follow(chunks) } catch { failed = error }
            monitor.signal {
                following = nil
                followed = chunks.last!.end
                failure = failure ?? failed
            }
        default: break
        }
    }

    // MARK: Writing thread

    /// Starts the thread at the first call. Returns false if there is none.
    private func start() -> Bool {
        if hasTried { return monitor.locked { isRunning || failure != nil } }
        hasTried = true
        monitor.locked { isRunning = true }
        if Threads.detach({ self.run() }) { return true }
        monitor.locked { isRunning = false }
        return false
    }

    private func run() {
        while true {
            var step = Step.wait
            monitor.wait {
                if isClosing || failure != nil {
                    step = .stop
                } else if let claimed = claimWriting() ?? claimFollowing() {
                    step = claimed
                } else {
                    return false
                }
                return true
            }
            if case .stop = step { break }
            perform(step)
        }
        monitor.signal { isRunning = false }
    }
}
