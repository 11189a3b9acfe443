import Glibc

/// Points at which tests of debug builds stop a process, to kill it or to examine memory. Not
/// compiled into release builds.
enum Failpoint: String, CaseIterable, Sendable {
    /// The lock file is being initialised; its exclusive `flock` is held.
    case initializing
    /// A session is being joined; the control mutex is held.
    case attaching, joining
    /// A write transaction begins; the write mutex is held.
    case turn
    /// A commit is being stored; the write mutex and the control mutex are held.
    case storing
    /// `slotWritten`: the inactive header slot was written. `flipped`: the select bit was written
    /// and synced.
    case slotWritten, flipped
    /// `critical`: a commit is about to add its version to the version list. `published`: it has
    /// added the version. The write mutex is held.
    case critical, published
    /// A published commit is being announced; the write mutex is held, the control mutex is not.
    case signalling
    /// The commit is complete; the write transaction is about to end.
    case ending
    /// An operation of the version list is running; the mutex of the list is held.
    case listAllocating, listRoot, listVersion, listNewest
    case listPurging, listPinning, listPinned, listReleasing
    /// A session is being left; the control mutex is held.
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
