import Glibc

/// Moments at which tests of debug builds stop a process, to kill it there, or look at memory.
/// Release builds contain nothing of it.
enum Failpoint: String, CaseIterable, Sendable {
    /// The lock file is being filled in, its `flock` held exclusively.
    case initializing
    /// Joining; the control mutex is held.
    case attaching, joining
    /// The write mutex is held.
    case turn
    /// Committing; the write mutex is held, and the control mutex too.
    case storing
    /// The inactive slot of the header is written; the select bit, and its sync, are done.
    case slotWritten, flipped
    /// The critical phase began, ended; the write mutex is held.
    case critical, published
    /// The control mutex is held after a commit.
    case signalling
    /// All is done but for giving up the turn.
    case ending
    /// Inside an operation of the version list, its mutex held.
    case listAllocating, listRoot, listVersion, listNewest
    case listPurging, listPinning, listPinned, listReleasing
    /// Leaving; the control mutex is held.
    case leaving

    @inline(__always) static func reach(_ point: Failpoint) {
        #if DEBUG
            observer?(point)
            if point == wanted { stop(point) }
        #endif
    }

    #if DEBUG
        /// Told of every point that the current task's code reaches.
        @TaskLocal static var observer: (@Sendable (Failpoint) -> Void)?

        private static let wanted = getenv("REALM_TEST_PAUSE").flatMap {
            Failpoint(rawValue: String(cString: $0))
        }

        /// Says so and waits to be killed.
        private static func stop(_ point: Failpoint) -> Never {
            let line = Array("paused \(point.rawValue)\n".utf8)
            write(1, line, line.count)
            while true { pause() }
        }
    #endif
}
