/// Looks at what is made of a file, chunk by chunk.
protocol WriteFollower: AnyObject {
    /// What comes from now on belongs to the next chunk. Called by the thread that makes the bytes.
    func chunkEnds()
    /// All bytes before the end of the last of `chunks` are made. They are in memory from the start of
    /// the first one on, and in the file before. Called by any thread, never by two at a time, and
    /// for growing positions.
    func follow(_ chunks: ArraySlice<WriteBehind.Chunk>) throws(RealmError)
}

/// Hands chunks of bytes to a thread of its own, which writes them while the next ones are made, and
/// has a follower look at what was made while that is still in memory.
///
/// Who has nothing else to do follows: the second thread while no chunk waits, the maker while there
/// is no free one. So both have work all the time, and memory is bounded: there are at most `depth`
/// chunks besides the one that is filled. Where the system refuses a thread, the maker does
/// everything.
final class WriteBehind: @unchecked Sendable {
    /// Memory that is filled, written, looked at and filled again.
    struct Chunk {
        let bytes: UnsafeMutableRawPointer
        let capacity: Int
        /// Place of its first byte in the file.
        var start: UInt64
        var count = 0

        /// - Parameter start: where the bytes go in the file.
        init(capacity: Int, at start: UInt64 = 0) {
            self.start = start
            bytes = .allocate(byteCount: capacity, alignment: 64)
            self.capacity = capacity
        }

        /// Place in the file behind its last byte.
        var end: UInt64 { start + UInt64(count) }
    }

    private enum Step {
        case write(Chunk)
        case follow(ArraySlice<Chunk>)
        case goOn, wait, stop
    }

    /// Chunks that were handed over and not filled again, at most.
    private static let depth = 12
    /// So many of them are left to the maker while the follower is at work.
    private static let slack = 4

    private let monitor = Monitor()
    private let write: (Chunk) throws(RealmError) -> Void
    private let follower: (any WriteFollower)?
    // Guarded by `monitor`.
    /// What was handed over, in order, and is still in memory.
    private var line: [Chunk] = []
    /// So many of the line, from its beginning, are written.
    private var writtenCount = 0
    private var isWriting = false
    private var followed: UInt64 = 0
    /// Begin of what the follower looks at now.
    private var following: UInt64?
    private var failure: RealmError?
    private var isClosing = false
    private var isRunning = false
    /// The maker's own.
    private var hasTried = false

    /// `write` gets the chunks in order, on the other thread, and never two at a time.
    init(
        _ follower: (any WriteFollower)?, _ write: @escaping (Chunk) throws(RealmError) -> Void
    ) {
        self.follower = follower
        self.write = write
    }

    deinit { for chunk in line { chunk.bytes.deallocate() } }

    // MARK: The maker

    /// Has `chunk` written, whose memory it takes over, and returns an empty one for what follows it,
    /// of `capacity` bytes. Throws what went wrong with an earlier chunk.
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
        // One large node asked for more than is kept, or asks for it now.
        free?.bytes.deallocate()
        return Chunk(capacity: capacity, at: chunk.end)
    }

    /// Returns when everything handed over is written and followed.
    func drain() throws(RealmError) {
        if monitor.locked({ !isRunning }) {
            while let step = monitor.locked({ claimWriting() }) { perform(step) }
        }
        try takePart { self.writtenCount < self.line.count || self.isBehind }
    }

    /// Ends the thread once it has finished what it is at; chunks that wait are not written.
    func close() {
        monitor.signal { isClosing = true }
        monitor.wait { !isRunning }
    }

    /// The oldest chunk, if nobody needs it any more.
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

    /// Follows, or waits where that is not possible, while there is too much to do. `isTooMuch` is
    /// asked with the monitor held.
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

    // MARK: Both

    /// Takes up following, unless somebody is at it or there is nothing new.
    private func claimFollowing() -> Step? {
        guard following == nil, isBehind else { return nil }
        // The oldest chunks are seldom looked at again, and the maker may need them meanwhile.
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

    // MARK: The second thread

    /// False when there is none.
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
