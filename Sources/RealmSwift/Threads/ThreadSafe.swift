import Dispatch
import RealmEngine

/// A property wrapper around an object or collection of a realm that any thread may read. Each read
/// returns the value in the realm of the context that the reader is in, which may be an actor.
///
/// As a parameter, `@ThreadSafe dog: Dog?`, the wrapper lets a function be called with an object of
/// any thread. It can also be created explicitly:
///
/// ```swift
/// let dog = ThreadSafe(wrappedValue: realm.objects(Dog.self).first)
/// queue.async {
///     let realm = try! Realm()
///     try! realm.write { dog.wrappedValue?.age += 1 }
/// }
/// ```
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: @unchecked Sendable {
    private struct State {
        var reference: ThreadSafeReference<T>?
        var configuration: Realm.Configuration?
    }

    private let state = LockedValue(State())

    /// Wraps a value; nil wraps nothing. Traps for an unmanaged value.
    public init(wrappedValue: T?) { take(wrappedValue) }

    /// The value in the realm of the context that the caller is in, as `Realm.thaw()` finds it; nil
    /// after it was deleted.
    ///
    /// Reading opens the realm if necessary and traps if that fails. Setting an unmanaged value
    /// traps.
    public var wrappedValue: T? {
        get {
            // Serialised: a reference is resolved once, and a new reference replaces it.
            state.withLock { state in
                guard let reference = state.reference, let configuration = state.configuration
                else {
                    return ThreadTransfer<T?>(nil)
                }
                do {
                    let realm = try RealmInstance.open(configuration, on: Scheduler.current())
                    let found = reference.resolve(in: realm)
                    state.reference = found.map { ThreadSafeReference(to: $0) }
                    return ThreadTransfer(found)
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
