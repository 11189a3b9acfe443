import Synchronization

/// How far long work is: told by whoever works, now and then, and read by whoever shows it, on any
/// thread.
public final class ProgressCounter: Sendable {
    /// What is counted.
    public enum Unit: Sendable {
        case bytes, objects
    }

    /// A part of the work, with a count of its own.
    public struct Stage: Sendable {
        /// One more for each stage.
        public let number: Int
        public let unit: Unit
        /// What the count reaches at the end, more or less; 0 if nobody knows.
        public let total: Int
        /// What is done in it, such as `sorting`; nil where it is what all the work is called.
        public let name: String?
    }

    private let stage = LockedValue<Stage?>(nil)
    private let done = Atomic<Int>(0)

    public init() {}

    /// A stage begins.
    func begin(_ unit: Unit, total: Int, name: String? = nil) {
        stage.withLock { stage in
            stage = Stage(
                number: (stage?.number ?? 0) + 1, unit: unit, total: total, name: name)
            done.store(0, ordering: .relaxed)
        }
    }

    /// So much of the stage is done.
    @inline(__always)
    func set(_ count: Int) { done.store(count, ordering: .relaxed) }

    /// So much more of the stage is done; called by one thread.
    @inline(__always)
    func add(_ count: Int) { set(done.load(ordering: .relaxed) &+ count) }

    /// The stage and its count; nil before the first.
    public var state: (stage: Stage, done: Int)? {
        stage.withLock { stage in stage.map { ($0, done.load(ordering: .relaxed)) } }
    }
}
