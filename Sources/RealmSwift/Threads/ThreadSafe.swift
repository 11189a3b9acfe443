import Dispatch
import RealmEngine

/// Something of a realm that every thread may ask for: each time it is looked for in the realm of the
/// place that asks. Free to cross threads.
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: @unchecked Sendable {
    private struct State {
        var reference: ThreadSafeReference<T>?
        var configuration: Realm.Configuration?
    }

    private let state = LockedValue(State())

    /// Traps for what is in no realm.
    public init(wrappedValue: T?) { take(wrappedValue) }

    /// Nil when it was deleted. Traps when the realm cannot be opened.
    public var wrappedValue: T? {
        get {
            // One at a time: a reference is resolved once, and another takes its place.
            state.withLock { state in
                guard let reference = state.reference, let configuration = state.configuration
                else {
                    return Carried<T?>(nil)
                }
                do {
                    let realm = try RealmInstance.open(configuration, on: Scheduler.here())
                    let found = reference.resolve(in: realm)
                    state.reference = found.map { ThreadSafeReference(to: $0) }
                    return Carried(found)
                } catch { throwRealmException("\(error)") }
            }.value
        }
        set { take(newValue) }
    }

    private func take(_ value: T?) {
        guard let value else { return state.withLock { $0 = State() } }
        guard let realm = value.realm else {
            throwRealmException("Only managed objects may be wrapped as thread safe.")
        }
        let fresh = State(
            reference: ThreadSafeReference(to: value), configuration: realm.configuration)
        state.withLock { $0 = fresh }
    }
}
