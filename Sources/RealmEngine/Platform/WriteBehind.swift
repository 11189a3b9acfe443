/// Told what has reached a file, chunk by chunk.
protocol WriteFollower: AnyObject {
    /// What comes from now on belongs to the next chunk. Called by the thread that makes the bytes.
    func chunkEnds()
    /// The file holds the bytes up to `position`. Called by either thread, never by two at a time,
    /// and for growing positions.
    func follow(upTo position: UInt64) throws(RealmError)
}

/// Hands chunks of bytes to a thread of its own, which writes them while the next ones are made, and
/// has a follower look at what was written.
///
/// Who has nothing else to do follows: the second thread while no chunk waits, the maker while too
/// many do, or while the follower lags behind. So both have work all the time, and memory is bounded:
/// at most `depth` chunks wait. Where the system refuses a thread, the maker does everything.
final class WriteBehind: @unchecked Sendable {
    /// Memory that is filled, written and filled again.
    struct Chunk {
        let bytes: UnsafeMutableRawPointer
        let capacity: Int
        var count = 0

        init(capacity: Int) {
            bytes = .allocate(byteCount: capacity, alignment: 64)
            self.capacity = capacity
        }
    }

    private enum Step {
        case write(Chunk)
        case follow(upTo: UInt64)
        case goOn, wait, stop
    }

    /// Chunks that wait or are being written, at most.
    private static let depth = 6
    /// The maker follows when more than this is written and not looked at.
    private static let longestLag: UInt64 = 4 << 20

    private let monitor = Monitor()
    private let write: (Chunk) throws(RealmError) -> Void
    private let follower: (any WriteFollower)?
    // Guarded by `monitor`.
    private var waiting: [Chunk] = []
    private var spare: [Chunk] = []
    private var inWork = 0
    private var written: UInt64 = 0
    private var followed: UInt64 = 0
    private var isFollowing = false
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

    deinit { for chunk in spare + waiting { chunk.bytes.deallocate() } }

    // MARK: The maker

    /// Has `chunk` written, whose memory it takes over, and returns an empty one of `capacity`
    /// bytes. Throws what went wrong with an earlier chunk.
    func exchange(_ chunk: Chunk, capacity: Int) throws(RealmError) -> Chunk {
        follower?.chunkEnds()
        if start() {
            do throws(RealmError) {
                try takePart { self.inWork >= Self.depth || self.lag > Self.longestLag }
            } catch {
                chunk.bytes.deallocate()
                throw error
            }
            monitor.signal {
                waiting.append(chunk)
                inWork += 1
            }
        } else {
            monitor.locked { inWork += 1 }
            perform(.write(chunk))
            try drain()
        }
        guard let free = monitor.locked({ spare.popLast() }) else {
            return Chunk(capacity: capacity)
        }
        if free.capacity == capacity { return free }
        // One large node asked for more than is kept, or asks for it now.
        free.bytes.deallocate()
        return Chunk(capacity: capacity)
    }

    /// Returns when everything handed over is written and followed.
    func drain() throws(RealmError) { try takePart { self.inWork > 0 || self.lag > 0 } }

    /// Ends the thread once it has finished what it is at; chunks that wait are not written.
    func close() {
        monitor.signal { isClosing = true }
        monitor.wait { !isRunning }
    }

    private var lag: UInt64 { follower == nil ? 0 : written - followed }

    /// Follows, or waits where that is not possible, while there is too much to do. `isTooMuch` is
    /// asked with the monitor held.
    private func takePart(while isTooMuch: () -> Bool) throws(RealmError) {
        while true {
            var step = Step.wait
            monitor.wait {
                step = failure != nil ? .stop : !isTooMuch() ? .goOn : self.claim() ?? .wait
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

    /// Takes up following, unless somebody is at it or nothing is to be seen.
    private func claim() -> Step? {
        if isFollowing || lag == 0 { return nil }
        isFollowing = true
        return .follow(upTo: written)
    }

    // MARK: Both

    private func perform(_ step: Step) {
        var failed: RealmError?
        switch step {
        case .write(let chunk):
            do throws(RealmError) { try write(chunk) } catch { failed = error }
            monitor.signal {
                var empty = chunk
                empty.count = 0
                inWork -= 1
                spare.append(empty)
                written += UInt64(chunk.count)
                failure = failure ?? failed
            }
        case .follow(let position):
            do throws(RealmError) { try follower?.follow(upTo: position) } catch { failed = error }
            monitor.signal {
                isFollowing = false
                followed = position
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
                } else if !waiting.isEmpty {
                    step = .write(waiting.removeFirst())
                } else if let claimed = self.claim() {
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
