import RealmEngine

/// Every misuse of the API ends where the engine's does (API specification D6): a mistake of the
/// program that nobody could go on after, because the call it was made with cannot throw.
func throwRealmException(_ reason: String) -> Never { Misuse.trap(reason) }

/// What the engine refuses here is a mistake of the program.
@inline(__always)
func attempt<T>(_ body: () throws(RealmError) -> T) -> T {
    do throws(RealmError) { return try body() } catch { throwRealmException(error.message) }
}
