/// Context in which an instance may be used: a thread, a serial queue or an actor.
///
/// Free to cross threads. `check` traps in any other context, with a message that names both.
public final class Confinement: Sendable {
    /// Key by which two confinements are compared.
    package enum Identity: Hashable, Sendable {
        case thread(UInt)
        case object(ObjectIdentifier)
        /// Context of frozen instances, which may be used on any thread.
        case anywhere
    }

    package typealias Work = @Sendable () -> Void

    /// Fast check, without reference counting, that the caller is in the context. A false result is
    /// not final: `isCurrent` decides.
    package struct Test: Sendable {
        let token: UInt
        let isPassed: @convention(c) (UInt) -> Bool

        /// - Parameter isPassed: called with `token`.
        package init(_ token: UInt, _ isPassed: @escaping @convention(c) (UInt) -> Bool) {
            self.token = token
            self.isPassed = isPassed
        }
    }

    let identity: Identity
    /// Thread that is always in this context, so that no further check is needed; 0 if there is
    /// none.
    let resident: UInt
    /// Name in messages, such as "thread 12" or "queue mail".
    let name: String
    private let test: Test?
    /// Returns whether the caller is in the context, or traps if not; nil if comparing threads is
    /// sufficient.
    private let verify: (@Sendable () -> Bool)?
    private let send: (@Sendable (@escaping Work) -> Bool)?
    /// Whether `verify` returns false in other contexts instead of trapping.
    private let isVerifiable: Bool

    /// Makes a confinement to a queue, an actor or another context.
    ///
    /// - Parameter isVerifiable: false if `isCurrent` traps in other contexts instead of returning
    ///   false.
    /// - Parameter includesCaller: whether the calling thread is in the context as long as it
    ///   lives, as the initial thread is on the main queue.
    /// - Parameter isCurrent: returns whether the caller is in the context.
    /// - Parameter send: runs its argument later in the context, serially and in order, or returns
    ///   false if the context no longer runs work. Nil if nothing can be delivered.
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

    /// Confinement to the calling thread. Nothing can be delivered to it; its instances move on by
    /// `refresh`.
    public static var thread: Confinement {
        Confinement(.thread(Threads.identity), name: "thread \(ThreadNumber.current)")
    }

    static let anywhere = Confinement(.anywhere, name: "frozen")

    /// Whether both are the same context.
    package func isSame(as other: Confinement) -> Bool { identity == other.identity }

    /// Whether this is the context of `actor`.
    package func isContext(of actor: any Actor) -> Bool {
        identity == .object(ObjectIdentifier(actor))
    }

    /// Whether work can be delivered to this context.
    public var isDeliverable: Bool { send != nil }

    /// Traps if the caller is not in this context.
    @inline(__always)
    func check() {
        if !isCurrentContext { trap() }
    }

    /// Whether the caller is in this context.
    @inline(__always)
    var isCurrentContext: Bool {
        if resident == Threads.current { return true }
        if let test, test.isPassed(test.token) { return true }
        // Without `verify` the context is a thread, or any thread, for which `resident` is 0.
        return ImpersonatedThread.current?.passes(for: identity) ?? verify?() ?? (resident == 0)
    }

    /// Whether the fast check finds that the caller is in this context, on the same serial queue or
    /// executor, and that its actor still exists. False does not exclude it.
    package var passesTest: Bool {
        guard let test, test.isPassed(test.token) else { return false }
        return verify?() ?? true
    }

    /// Whether the caller is in this context. False if the check could trap.
    var isSurelyHere: Bool { isVerifiable && isCurrentContext }

    @inline(never)
    private func trap() -> Never {
        Misuse.trap(
            "Realm accessed from incorrect thread. It belongs to \(name), this is thread "
                + "\(ThreadNumber.current).\(Self.taskHint)")
    }

    /// Advice for messages about a wrong context inside a Swift task, which may resume on another
    /// thread after each `await`; empty outside of tasks.
    static var taskHint: String {
        Threads.runsTask
            ? " A Swift task runs here: in code of an actor, open the realm with Realm(actor:)."
            : ""
    }

    /// Runs `work` later in this context. Returns false if it will never run, because the queue is
    /// closed or the actor deinitialised.
    package func post(_ work: @escaping Work) -> Bool { send?(work) ?? false }
}
