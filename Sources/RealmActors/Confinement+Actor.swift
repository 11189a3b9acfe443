import CRealmSystem
import RealmEngine

extension Confinement {
    /// Confines an instance to an actor. The caller that opens the instance must run on the actor. The
    /// actor is not retained, since it may retain the instance.
    public convenience init<A: Actor>(_ actor: A) {
        let mailbox = Mailbox(actor)
        // The address of the executor identifies it without retaining its actor.
        let (executor, _) = unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
        self.init(
            .object(ObjectIdentifier(actor)), name: "actor \(A.self)", isVerifiable: false,
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

/// Runs work on an actor, in the order in which it was sent. Separate tasks would not preserve the
/// order.
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

    /// Sends work to the actor. Returns false if the actor was deallocated. Pending work retains
    /// the actor.
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
    /// Runs the pending work on the actor.
    fileprivate func drain(_ mailbox: Mailbox) { for work in mailbox.takeAll() { work() } }
}
