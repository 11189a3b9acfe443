import Synchronization

/// Posts a message to the context of each instance of a database after a commit by any process.
/// Instances in contexts that cannot receive work get no message. At most one message per instance
/// is pending. Free to cross threads.
final class CommitNotice: @unchecked Sendable {
    private struct Listener {
        let id: ObjectIdentifier
        let instance: WeakBox<Instance>
        let confinement: Confinement
        /// Whether a message was posted and has not been handled yet.
        let isPending = PendingFlag()
    }

    final class PendingFlag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    private struct State {
        var listeners: [Listener] = []
        var seen: UInt64
    }

    private let session: Session
    private let state: LockedValue<State>
    private var registration: CommitListener.Registration?

    private static let notices = LockedValue<[ObjectIdentifier: CommitNotice]>([:])

    private init(_ session: Session) {
        self.session = session
        state = LockedValue(State(seen: session.newestVersion))
        let target = Weak(self)
        registration = CommitListener.shared?.add(session.resolvedPath) {
            target.object?.look() ?? false
        }
    }

    /// Notifies `instance` of commits until it is removed.
    static func add(_ instance: Instance, of database: Database) {
        notices.withLock { notices in
            let key = ObjectIdentifier(database)
            // The entry may belong to a deinitialised database that had the same address, and thus
            // the same key, as this one.
            let known = notices[key].flatMap { $0.session === database.session ? $0 : nil }
            let notice = known ?? CommitNotice(database.session!)
            notices[key] = notice
            notice.add(instance)
        }
    }

    /// Stops notifying the instance with `id`, which is closed or being deinitialised. Removing the
    /// last instance of a database also removes its commit listener.
    ///
    /// Takes an id instead of an instance: a reference taken here could become the last one, and
    /// its deinitialiser would call this function again.
    static func remove(_ id: ObjectIdentifier, of database: Database) {
        // Release the notice after the lock: its deinitialiser takes other locks.
        let gone = notices.withLock { notices -> CommitNotice? in
            let key = ObjectIdentifier(database)
            guard let notice = notices[key], !notice.remove(id) else { return nil }
            return notices.removeValue(forKey: key)
        }
        withExtendedLifetime(gone) {}
    }

    private func add(_ instance: Instance) {
        let id = ObjectIdentifier(instance)
        state.withLock { state in
            if state.listeners.contains(where: { $0.id == id }) { return }
            state.listeners.append(
                Listener(
                    id: id, instance: instance.weakBox, confinement: instance.confinement))
        }
    }

    /// Ends the notification of an instance; returns whether other instances are still notified.
    private func remove(_ id: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.listeners.removeAll { $0.id == id }
            return !state.listeners.isEmpty
        }
    }

    /// Posts a message to each listener if the newest version has changed since the last call.
    /// Returns whether it has changed.
    private func look() -> Bool {
        let newest = session.newestVersion
        let listeners = state.withLock { state -> [Listener]? in
            if state.seen == newest { return nil }
            state.seen = newest
            return state.listeners
        }
        for listener in listeners ?? [] { Self.notify(listener) }
        return listeners != nil
    }

    private static func notify(_ listener: Listener) {
        let flag = listener.isPending
        guard !flag.isSet.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let target = listener.instance
        _ = listener.confinement.post {
            flag.isSet.store(false, ordering: .releasing)
            target.object?.handleCommit()
        }
    }
}
