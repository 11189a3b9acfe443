/// Reads the bytes of a file while a `WriteBehind` writes the file in chunks. A chunk is a buffer
/// with consecutive bytes of the file.
protocol WriteFollower: AnyObject {
    /// Called when a chunk is complete, by the thread that produces the bytes of the file. All
    /// bytes produced later belong to the next chunk.
    func chunkEnds()
    /// Reads the file up to the end of the last chunk in `chunks`. Bytes from the start of the
    /// first chunk on are read from `chunks`; earlier bytes are already in the file. May be called
    /// on any thread, but never concurrently. Each call reads to a greater offset than the call
    /// before.
    func follow(_ chunks: ArraySlice<WriteBehind.Chunk>) throws(RealmError)
}

/// Passes chunks of bytes to a second thread, which writes them to a file. Meanwhile the producer,
/// the thread that calls `exchange`, fills the next chunks. A follower (`WriteFollower`) can read
/// the chunks while they are still in memory.
///
/// An idle thread runs the follower: the second thread while there is no chunk to write, the
/// producer while it waits for a free chunk. Both threads are thus busy, and memory is limited: at
/// most `depth` chunks exist in addition to the one that is being filled. If the system refuses a
/// thread, the producer does everything.
final class WriteBehind: @unchecked Sendable {
    /// A buffer with consecutive bytes of the file. The producer fills it, another thread writes it
    /// to the file, a `WriteFollower` may read it, and then it is reused.
    struct Chunk {
        let bytes: UnsafeMutableRawPointer
        let capacity: Int
        /// Offset in the file of the chunk's first byte.
        var start: UInt64
        var count = 0

        /// - Parameter start: offset in the file of the chunk's first byte.
        init(capacity: Int, at start: UInt64 = 0) {
            self.start = start
            bytes = .allocate(byteCount: capacity, alignment: 64)
            self.capacity = capacity
        }

        /// Offset in the file after the chunk's last byte.
        var end: UInt64 { start + UInt64(count) }
    }

    private enum Step {
        case write(Chunk)
        case follow(ArraySlice<Chunk>)
        case goOn, wait, stop
    }

    /// Maximum number of chunks (buffers) in the queue `line`: chunks that are not yet written to
    /// the file, or not yet read by the `WriteFollower`.
    private static let depth = 12
    /// Maximum number of chunks in `line` that are left out when the `WriteFollower` is called: the
    /// oldest ones, if they are already written and read. They can be reused during the call.
    private static let slack = 4

    private let monitor = Monitor()
    private let write: (Chunk) throws(RealmError) -> Void
    private let follower: (any WriteFollower)?
    // The mutex of `monitor` guards the following properties.
    /// Queue of the chunks (buffers) that were passed to `exchange` and are still in memory, in the
    /// order of their offsets in the file.
    private var line: [Chunk] = []
    /// Number of chunks at the start of the queue `line` that have been written to the file.
    private var writtenCount = 0
    private var isWriting = false
    private var followed: UInt64 = 0
    /// File offset at which the current call of the `WriteFollower` began to read; nil while no
    /// thread runs the follower.
    private var following: UInt64?
    private var failure: RealmError?
    private var isClosing = false
    private var isRunning = false
    /// Whether `start` has tried to start the thread that writes the chunks, successfully or not.
    /// Used only by the thread that calls `exchange`.
    private var hasTried = false

    /// - Parameters:
    ///   - follower: object that reads the chunks while they are in memory; nil for none.
    ///   - write: writes a chunk to the file. Called with the chunks in order, never concurrently.
    ///     Runs on a second thread. If the system refuses to start a thread, runs on the thread
    ///     that calls `exchange`.
    init(
        _ follower: (any WriteFollower)?, _ write: @escaping (Chunk) throws(RealmError) -> Void
    ) {
        self.follower = follower
        self.write = write
    }

    deinit { for chunk in line { chunk.bytes.deallocate() } }

    // MARK: Producer

    /// Enqueues a filled buffer, `chunk`, for writing, and takes ownership of its memory. Returns
    /// an empty buffer of `capacity` bytes for the bytes that follow in the file. Throws the first
    /// error of writing or of the `WriteFollower`.
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
        // The capacities differ: a chunk for a large node has another size.
        free?.bytes.deallocate()
        return Chunk(capacity: capacity, at: chunk.end)
    }

    /// Returns when all chunks have been written to the file, and the `WriteFollower`, if there is
    /// one, has read them. Throws the first error of writing or of the follower.
    func drain() throws(RealmError) {
        if monitor.locked({ !isRunning }) {
            while let step = monitor.locked({ claimWriting() }) { perform(step) }
        }
        try takePart { self.writtenCount < self.line.count || self.isBehind }
    }

    /// Ends the thread that writes the chunks, after its current write or its current call of the
    /// `WriteFollower`. Chunks that are not written yet are discarded.
    func close() {
        monitor.signal { isClosing = true }
        monitor.wait { !isRunning }
    }

    /// Removes the oldest chunk from the queue `line` and returns it. Returns nil if that chunk is
    /// not yet written to the file, or if the `WriteFollower` has not read it or may be reading it.
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

    /// Runs the `WriteFollower` on the calling thread while `isTooMuch` returns true. Waits
    /// whenever there is nothing for the follower to read. Calls `isTooMuch` with the mutex of
    /// `monitor` held. Throws the first error of writing or of the follower.
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

    /// Claims the next call of the `WriteFollower` for the calling thread, and returns the chunks
    /// for that call as a `Step`. Returns nil if another thread is running the follower, or if
    /// there are no new bytes for it.
    private func claimFollowing() -> Step? {
        guard following == nil, isBehind else { return nil }
        // Leave out the oldest chunks: `follower` seldom reads them again, and the producer can
        // reuse them in the meantime.
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

    /// Starts the thread that writes the chunks, at the first call. Returns false if the system
    /// refused to start it.
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
