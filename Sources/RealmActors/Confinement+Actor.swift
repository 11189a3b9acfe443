import CRealmSystem
import RealmEngine

extension Confinement {
    /// An actor. Whoever opens an instance for it must be on it. The actor is not kept alive: it may
    /// keep the instance.
    public convenience init<A: Actor>(_ actor: A) {
        let mailbox = Mailbox(actor)
        // Nothing else tells an executor from others without keeping its actor.
        let (executor, _) = unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
        self.init(
            .object(ObjectIdentifier(actor)), name: "actor \(A.self)", isAskable: false,
            test: Confinement.Test(executor) {
                UInt(bitPattern: realm_current_executor()) == $0
            },
            isCurrent: { [weak actor] in
                guard let actor else { return false }
                actor.preconditionIsolated("Realm accessed from incorrect actor.")
                return true
            },
            send: { mailbox.send($0) })
    }
}

/// Keeps the order of what is sent to an actor, which tasks alone do not.
private final class Mailbox: @unchecked Sendable {
    private let monitor = Monitor()
    private var pending: [Confinement.Work] = []
    private var isScheduled = false
    private let kick: @Sendable (Mailbox) -> Bool

    init<A: Actor>(_ actor: A) {
        kick = { [weak actor] mailbox in
            guard let actor else { return false }
            Task { await actor.drain(mailbox) }
            return true
        }
    }

    /// False when the actor is gone. One that has work is kept alive by it.
    func send(_ work: @escaping Confinement.Work) -> Bool {
        monitor.locked {
            guard isScheduled || kick(self) else { return false }
            isScheduled = true
            pending.append(work)
            return true
        }
    }

    func takeAll() -> [Confinement.Work] {
        monitor.locked {
            isScheduled = false
            defer { pending = [] }
            return pending
        }
    }
}

extension Actor {
    /// Runs what was sent, on the actor.
    fileprivate func drain(_ mailbox: Mailbox) { for work in mailbox.takeAll() { work() } }
}
