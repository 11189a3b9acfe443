/// Where an instance may be used: a thread, a serial queue, or an actor.
///
/// Free to cross threads. `check` traps with a sentence naming both sides when called elsewhere.
public final class Confinement: Sendable {
    /// What makes two confinements the same one.
    package enum Identity: Hashable, Sendable {
        case thread(UInt)
        case object(ObjectIdentifier)
        /// Frozen views are used anywhere.
        case anywhere
    }

    package typealias Work = @Sendable () -> Void

    /// Tells quickly that the caller is where it should be: no reference is counted. Where it says
    /// false, who can say more is asked.
    package struct Test: Sendable {
        let token: UInt
        let isPassed: @convention(c) (UInt) -> Bool

        /// `isPassed` is asked with `token`.
        package init(_ token: UInt, _ isPassed: @escaping @convention(c) (UInt) -> Bool) {
            self.token = token
            self.isPassed = isPassed
        }
    }

    let identity: Identity
    /// The thread that is here whatever it does, which need not be asked for more; 0 where there is none.
    let resident: UInt
    /// For messages: "thread 12", "queue mail".
    let name: String
    private let test: Test?
    /// Traps when called elsewhere; nil where comparing threads says all.
    private let verify: (@Sendable () -> Bool)?
    private let send: (@Sendable (@escaping Work) -> Bool)?
    /// Asking does not trap elsewhere.
    private let isAskable: Bool

    /// A place that is told by `isCurrent`, and reached by `send`, which runs what it is given there
    /// later, one after the other, in order, or drops it and says false when nothing is run there
    /// any more. Without `send` nothing can be delivered. Where `isCurrent` traps instead of saying
    /// false, `isAskable` is false. With `includesCaller` the calling thread is here for as long as it
    /// lives, as the initial thread is on the main queue.
    package init(
        _ identity: Identity, name: String, isAskable: Bool = true, includesCaller: Bool = false,
        test: Test? = nil, isCurrent: @escaping @Sendable () -> Bool,
        send: (@Sendable (@escaping Work) -> Bool)?
    ) {
        self.identity = identity
        resident = includesCaller ? Threads.current : 0
        self.name = name
        self.test = test
        verify = isCurrent
        self.send = send
        self.isAskable = isAskable
    }

    private init(_ identity: Identity, name: String) {
        self.identity = identity
        resident = if case .thread(let owner) = identity { owner } else { 0 }
        self.name = name
        test = nil
        verify = nil
        send = nil
        isAskable = true
    }

    /// The calling thread, on which nothing can be delivered: instances move on by `refresh`.
    public static var thread: Confinement {
        Confinement(.thread(Threads.identity), name: "thread \(ThreadNumber.current)")
    }

    static let anywhere = Confinement(.anywhere, name: "frozen")

    /// Whether both are one place.
    package func isSame(as other: Confinement) -> Bool { identity == other.identity }

    /// Whether this is where an actor runs what it is given.
    package func isPlace(of actor: any Actor) -> Bool {
        identity == .object(ObjectIdentifier(actor))
    }

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
        if resident == Threads.current { return true }
        if let test, test.isPassed(test.token) { return true }
        // What nothing verifies is a thread's, or anywhere.
        return ImpersonatedThread.current?.passes(for: identity) ?? verify?() ?? (resident == 0)
    }

    /// Whether the caller is where the instance may be used, as far as that can be told without
    /// trapping.
    var isSurelyHere: Bool { isAskable && isHere }

    @inline(never)
    private func trap() -> Never {
        Misuse.trap(
            "Realm accessed from incorrect thread. It belongs to \(name), this is thread "
                + "\(ThreadNumber.current).\(Self.taskHint)")
    }

    /// The next step for messages about a wrong place inside a Swift task, which may continue on another
    /// thread after each `await`; empty outside of one.
    static var taskHint: String {
        Threads.runsTask
            ? " A Swift task runs here: in code of an actor, open the realm with Realm(actor:)."
            : ""
    }

    /// Runs `work` here later; false when it never will: the queue is closed or the actor gone.
    package func post(_ work: @escaping Work) -> Bool { send?(work) ?? false }
}
