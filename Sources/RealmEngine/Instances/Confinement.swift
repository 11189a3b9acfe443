/// Where an instance may be used: a thread, a serial queue, or an actor.
///
/// Free to cross threads. `check` traps with a sentence naming both sides when called elsewhere.
public final class Confinement: Sendable {
    /// What makes two confinements the same one.
    public enum Identity: Hashable, Sendable {
        case thread(UInt)
        case object(ObjectIdentifier)
        /// Frozen views are used anywhere.
        case anywhere
    }

    public typealias Work = @Sendable () -> Void

    let identity: Identity
    /// For messages: "thread 12", "queue mail".
    public let name: String
    /// Traps when called elsewhere; nil where comparing threads says all.
    private let verify: (@Sendable () -> Bool)?
    private let send: (@Sendable (@escaping Work) -> Bool)?

    /// A place that is told by `isCurrent`, and reached by `send`, which runs what it is given there
    /// later, one after the other, in order, or drops it and says false when nothing is run there
    /// any more. Without `send` nothing can be delivered.
    public init(
        _ identity: Identity, name: String, isCurrent: @escaping @Sendable () -> Bool,
        send: (@Sendable (@escaping Work) -> Bool)?
    ) {
        self.identity = identity
        self.name = name
        verify = isCurrent
        self.send = send
    }

    private init(_ identity: Identity, name: String) {
        self.identity = identity
        self.name = name
        verify = nil
        send = nil
    }

    /// The calling thread, on which nothing can be delivered: instances move on by `refresh`.
    public static var thread: Confinement {
        Confinement(.thread(Threads.identity), name: "thread \(ThreadNumber.current)")
    }

    static let anywhere = Confinement(.anywhere, name: "frozen")

    /// An actor. Whoever opens an instance for it must be on it. The actor is not kept alive: it may
    /// keep the instance.
    public convenience init<A: Actor>(_ actor: A) {
        let mailbox = Mailbox(actor)
        self.init(
            .object(ObjectIdentifier(actor)), name: "actor \(A.self)",
            isCurrent: { [weak actor] in
                guard let actor else { return false }
                actor.preconditionIsolated("Realm accessed from incorrect actor.")
                return true
            },
            send: { mailbox.send($0) })
    }

    /// Whether both are one place.
    public func isSame(as other: Confinement) -> Bool { identity == other.identity }

    /// Whether work can be delivered here.
    public var isDeliverable: Bool { send != nil }

    /// Traps unless called where the instance may be used.
    @inline(__always)
    func check() {
        if !isHere { trap() }
    }

    /// Whether the caller is where the instance may be used.
    @inline(__always)
    var isHere: Bool {
        if case .thread(let owner) = identity {
            return owner == Threads.current || StandIn.current?.passes(for: identity) ?? false
        }
        return StandIn.current?.passes(for: identity) ?? verify?() ?? true
    }

    @inline(never)
    private func trap() -> Never {
        Misuse.trap(
            "Realm accessed from incorrect thread. It belongs to \(name), this is thread "
                + "\(ThreadNumber.current).")
    }

    /// Runs `work` here later; false when it never will: the queue is closed or the actor gone.
    func post(_ work: @escaping Work) -> Bool { send?(work) ?? false }
}

/// Keeps the order of what is sent to an actor, which tasks alone do not.
final class Mailbox: @unchecked Sendable {
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
    func drain(_ mailbox: Mailbox) { for work in mailbox.takeAll() { work() } }
}
