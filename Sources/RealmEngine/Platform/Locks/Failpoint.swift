import Glibc

/// Points at which tests of debug builds stop a process to kill it, or examine memory. Compiled out
/// of release builds.
enum Failpoint: String, CaseIterable, Sendable {
    /// The lock file is being initialised; its exclusive `flock` is held.
    case initializing
    /// Joining a session; the control mutex is held.
    case attaching, joining
    /// The turn to write has begun; the write mutex is held.
    case turn
    /// Committing; the write mutex and the control mutex are held.
    case storing
    /// `slotWritten`: the inactive header slot is written. `flipped`: the select bit is written and
    /// synced.
    case slotWritten, flipped
    /// `critical`: the critical phase has begun. `published`: it has ended. The write mutex is
    /// held.
    case critical, published
    /// A published commit is being signalled; the write mutex is held, the control mutex is not.
    case signalling
    /// The commit is complete; the turn is about to end.
    case ending
    /// In an operation of the version list; its mutex is held.
    case listAllocating, listRoot, listVersion, listNewest
    case listPurging, listPinning, listPinned, listReleasing
    /// Leaving a session; the control mutex is held.
    case leaving

    @inline(__always) static func reach(_ point: Failpoint) {
        #if DEBUG
            observer?(point)
            if point == wanted { stop(point) }
        #endif
    }

    #if DEBUG
        /// Called at every failpoint that the current task reaches.
        @TaskLocal static var observer: (@Sendable (Failpoint) -> Void)?

        private static let wanted = getenv("REALM_TEST_PAUSE").flatMap {
            Failpoint(rawValue: String(cString: $0))
        }

        /// Prints the name of the failpoint and waits to be killed.
        private static func stop(_ point: Failpoint) -> Never {
            let line = Array("paused \(point.rawValue)\n".utf8)
            write(1, line, line.count)
            while true { pause() }
        }
    #endif
}
