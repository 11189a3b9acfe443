import Synchronization

/// Progress of a long operation. The thread that does the work updates it; any thread may read it
/// to display it.
public final class ProgressCounter: Sendable {
    /// The unit in which the progress of a stage is counted.
    public enum Unit: Sendable {
        case bytes, objects
    }

    /// A part of the long operation, such as reading or sorting. Progress is counted separately in
    /// each stage.
    public struct Stage: Sendable {
        /// Number of the stage, from 1.
        public let number: Int
        public let unit: Unit
        /// Approximate number of bytes or objects (see `unit`) to process in this stage; 0 if
        /// unknown.
        public let total: Int
        /// Name of the stage, such as `sorting`; nil if the operation's own name describes it.
        public let name: String?
    }

    private let stage = LockedValue<Stage?>(nil)
    private let done = Atomic<Int>(0)

    public init() {}

    /// Begins the next stage of the operation, with a count of 0.
    func begin(_ unit: Unit, total: Int, name: String? = nil) {
        stage.withLock { stage in
            stage = Stage(
                number: (stage?.number ?? 0) + 1, unit: unit, total: total, name: name)
            done.store(0, ordering: .relaxed)
        }
    }

    /// Sets the progress, in units of the current stage.
    @inline(__always)
    func set(_ count: Int) { done.store(count, ordering: .relaxed) }

    /// Adds `count` units to the progress of the current stage. Only one thread may call this.
    @inline(__always)
    func add(_ count: Int) { set(done.load(ordering: .relaxed) &+ count) }

    /// The current stage and its count; nil before the first stage.
    public var state: (stage: Stage, done: Int)? {
        stage.withLock { stage in stage.map { ($0, done.load(ordering: .relaxed)) } }
    }
}
