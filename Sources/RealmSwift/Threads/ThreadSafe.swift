import Dispatch
import RealmEngine

/// A property wrapper that makes an object or collection of a realm available to all threads,
/// queues and actors. Each read returns the value in a realm of the caller's thread, queue or
/// actor.
///
/// A function with the parameter `@ThreadSafe dog: Dog?` can be called with an object of any
/// thread. The wrapper can also be created explicitly:
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

    /// Wraps a value; nil wraps no value. Must be called on the thread, queue or actor of the
    /// value. Traps for an unmanaged value.
    public init(wrappedValue: T?) { take(wrappedValue) }

    /// The value in a realm of the caller's thread, queue or actor, which is determined as by
    /// `Realm.thaw()`. Nil if the value was deleted.
    ///
    /// Reading opens that realm if necessary, and traps if the realm cannot be opened. Setting an
    /// unmanaged value traps. May be used on any thread.
    public var wrappedValue: T? {
        get {
            // Resolves the reference under the lock, because it can be resolved only once, and
            // replaces it by a new one.
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
