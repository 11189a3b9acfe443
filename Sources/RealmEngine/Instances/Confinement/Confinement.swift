/// Context in which an instance may be used: a thread, a serial queue or an actor.
///
/// Free to cross threads. `check` traps in any other context; the message names both contexts.
public final class Confinement: Sendable {
    /// Identity of a context, by which confinements are compared.
    package enum Identity: Hashable, Sendable {
        case thread(UInt)
        case object(ObjectIdentifier)
        /// Context of frozen instances, which may be used on any thread.
        case anywhere
    }

    package typealias Work = @Sendable () -> Void

    /// Fast check, without reference counting, whether the caller is in the context. If it returns
    /// false, `isCurrent` must decide.
    package struct Test: Sendable {
        let token: UInt
        let isPassed: @convention(c) (UInt) -> Bool

        /// - Parameter isPassed: returns whether the caller is in the context. It is called with
        ///   `token`.
        package init(_ token: UInt, _ isPassed: @escaping @convention(c) (UInt) -> Bool) {
            self.token = token
            self.isPassed = isPassed
        }
    }

    let identity: Identity
    /// Thread that is always in this context, so that comparing threads is sufficient; 0 if there
    /// is none.
    let resident: UInt
    /// Name in messages, such as "thread 12" or "queue mail".
    let name: String
    private let test: Test?
    /// Returns whether the caller is in the context, or traps if it is not; nil if comparing
    /// threads is sufficient.
    private let verify: (@Sendable () -> Bool)?
    private let send: (@Sendable (@escaping Work) -> Bool)?
    /// Whether `verify` returns false if the caller is in another context. If false, `verify` traps
    /// instead of returning false.
    private let isVerifiable: Bool

    /// Makes a confinement to a queue, an actor or another context.
    ///
    /// - Parameter isVerifiable: false if `isCurrent` traps in other contexts and does not return
    ///   false.
    /// - Parameter includesCaller: whether the calling thread is always in the context, as the
    ///   initial thread is always on the main queue.
    /// - Parameter isCurrent: returns whether the caller is in the context.
    /// - Parameter send: runs its argument later in the context, serially and in order, or returns
    ///   false if the context no longer runs work. Nil if no work can be sent to the context.
    package init(
        _ identity: Identity, name: String, isVerifiable: Bool = true, includesCaller: Bool = false,
        test: Test? = nil, isCurrent: @escaping @Sendable () -> Bool,
        send: (@Sendable (@escaping Work) -> Bool)?
    ) {
        self.identity = identity
        resident = includesCaller ? Threads.current : 0
        self.name = name
        self.test = test
        verify = isCurrent
        self.send = send
        self.isVerifiable = isVerifiable
    }

    private init(_ identity: Identity, name: String) {
        self.identity = identity
        resident = if case .thread(let owner) = identity { owner } else { 0 }
        self.name = name
        test = nil
        verify = nil
        send = nil
        isVerifiable = true
    }

    /// Confinement to the calling thread. No work can be sent to it; its instances move to newer
    /// versions only in `refresh`.
    public static var thread: Confinement {
        Confinement(.thread(Threads.identity), name: "thread \(ThreadNumber.current)")
    }

    static let anywhere = Confinement(.anywhere, name: "frozen")

    /// Whether this confinement and `other` have the same context.
    package func isSame(as other: Confinement) -> Bool { identity == other.identity }

    /// Whether this is the context of `actor`.
    package func isContext(of actor: any Actor) -> Bool {
        identity == .object(ObjectIdentifier(actor))
    }

    /// Whether work can be sent to this context.
    public var isDeliverable: Bool { send != nil }

    /// Traps if the caller is not in this context.
    @inline(__always)
    func check() {
        if !isCurrentContext { trap() }
    }

    /// Whether the caller is in this context. Traps if it is not and the context is not verifiable.
    @inline(__always)
    var isCurrentContext: Bool {
        if resident == Threads.current { return true }
        if let test, test.isPassed(test.token) { return true }
        // A context without `verify` is either a thread, or any thread (of a frozen instance). In
        // the second case, `resident` is 0.
        return ImpersonatedThread.current?.passes(for: identity) ?? verify?() ?? (resident == 0)
    }

    /// Whether `test`, which costs no reference counting, finds that the caller is on the serial
    /// queue or executor of this context, and the actor of this context still exists. If false, the
    /// caller may still be in the context.
    package var passesTest: Bool {
        guard let test, test.isPassed(test.token) else { return false }
        return verify?() ?? true
    }

    /// Whether the caller is surely in this context. False, without calling `verify`, if `verify`
    /// traps in other contexts.
    var isSurelyHere: Bool { isVerifiable && isCurrentContext }

    @inline(never)
    private func trap() -> Never {
        Misuse.trap(
            "Realm accessed from incorrect thread. It belongs to \(name), this is thread "
                + "\(ThreadNumber.current).\(Self.taskHint)")
    }

    /// Advice for a message about a wrong context: a Swift task may resume on another thread after
    /// each `await`. Empty if the caller is not in a task.
    static var taskHint: String {
        Threads.runsTask
            ? " A Swift task runs here: in code of an actor, open the realm with Realm(actor:)."
            : ""
    }

    /// Runs `work` later in this context. Returns false if it will never run, because the queue is
    /// closed or the actor deinitialised.
    package func post(_ work: @escaping Work) -> Bool { send?(work) ?? false }
}
