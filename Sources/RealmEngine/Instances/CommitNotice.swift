import Synchronization

/// Tells the instances of a database of commits, whoever made them: one thread a database waits for
/// them, and each instance gets at most one message at a time.
///
/// The thread looks for a newer version as `Session.waitForVersion` does, every 20 ms whether an
/// instance is left, and ends when there is none. Free to cross threads.
final class CommitNotice: @unchecked Sendable {
    private struct Listener {
        weak var instance: Instance?
        let confinement: Confinement
        /// A message is under way.
        let isTold = TellFlag()
    }

    final class TellFlag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    private let session: Session
    private let monitor = Monitor()
    private var listeners: [Listener] = []
    private var hasThread = false

    private static let notices = Guarded<[ObjectIdentifier: CommitNotice]>([:])

    private init(_ session: Session) { self.session = session }

    static func of(_ database: Database) -> CommitNotice {
        notices.withLock { notices in
            let key = ObjectIdentifier(database)
            // Another database may have come to lie where one was.
            if let known = notices[key], known.session === database.session { return known }
            let fresh = CommitNotice(database.session!)
            notices[key] = fresh
            return fresh
        }
    }

    func add(_ instance: Instance) {
        var mustStart = false
        // Known here: a commit before the thread runs is one the instance has not seen.
        let seen = session.newestVersion
        monitor.signal {
            if listeners.contains(where: { $0.instance === instance }) { return }
            listeners.append(Listener(instance: instance, confinement: instance.confinement))
            mustStart = !hasThread
            hasThread = true
        }
        if mustStart { _ = Threads.detach { self.listen(after: seen) } }
    }

    private func listen(after version: UInt64) {
        var seen = version
        while true {
            let isDone = monitor.locked { () -> Bool in
                listeners.removeAll { $0.instance == nil }
                if listeners.isEmpty { hasThread = false }
                return listeners.isEmpty
            }
            if isDone { return remove() }
            _ = try? session.waitForVersion(after: seen, until: .after(milliseconds: 20))
            let newest = session.newestVersion
            if newest == seen { continue }
            seen = newest
            tell()
        }
    }

    private func remove() {
        Self.notices.withLock { notices in
            guard !monitor.locked({ hasThread }) else { return }
            notices = notices.filter { $0.value !== self }
        }
    }

    private func tell() {
        for listener in monitor.locked({ listeners }) {
            let flag = listener.isTold
            guard !flag.isSet.exchange(true, ordering: .acquiringAndReleasing) else { continue }
            let target = Weak(listener.instance)
            _ = listener.confinement.post {
                flag.isSet.store(false, ordering: .releasing)
                target.object?.noticeCommit()
            }
        }
    }
}
