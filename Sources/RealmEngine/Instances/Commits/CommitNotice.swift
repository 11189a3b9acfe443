import Synchronization

/// Tells the instances of a database of commits, whoever made them: each gets at most one message at
/// a time. Free to cross threads.
final class CommitNotice: @unchecked Sendable {
    private struct Listener {
        let id: ObjectIdentifier
        let instance: WeakBox<Instance>
        let confinement: Confinement
        /// A message is under way.
        let isTold = TellFlag()
    }

    final class TellFlag: Sendable {
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
        registration = CommitListener.shared?.add(session.place) { target.object?.look() ?? false }
    }

    /// Has an instance told of commits from now on, until it takes itself out.
    static func add(_ instance: Instance, of database: Database) {
        notices.withLock { notices in
            let key = ObjectIdentifier(database)
            // Another database may have come to lie where one was.
            let known = notices[key].flatMap { $0.session === database.session ? $0 : nil }
            let notice = known ?? CommitNotice(database.session!)
            notices[key] = notice
            notice.add(instance)
        }
    }

    /// The instance called `id` is told no more: it is closed, or ends. Without any, nobody listens.
    ///
    /// Known by name alone: whoever looked at instances here could be the last to hold one, whose end
    /// would come back here.
    static func remove(_ id: ObjectIdentifier, of database: Database) {
        // Whatever ends with the notice takes locks of its own.
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
                    id: id, instance: instance.whereabouts, confinement: instance.confinement))
        }
    }

    /// Whether somebody is left.
    private func remove(_ id: ObjectIdentifier) -> Bool {
        state.withLock { state in
            state.listeners.removeAll { $0.id == id }
            return !state.listeners.isEmpty
        }
    }

    /// Whether there is a version that was not there when this was called before.
    private func look() -> Bool {
        let newest = session.newestVersion
        let listeners = state.withLock { state -> [Listener]? in
            if state.seen == newest { return nil }
            state.seen = newest
            return state.listeners
        }
        for listener in listeners ?? [] { Self.tell(listener) }
        return listeners != nil
    }

    private static func tell(_ listener: Listener) {
        let flag = listener.isTold
        guard !flag.isSet.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let target = listener.instance
        _ = listener.confinement.post {
            flag.isSet.store(false, ordering: .releasing)
            target.object?.noticeCommit()
        }
    }
}
