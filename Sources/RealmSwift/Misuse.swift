import RealmEngine

/// Every misuse of the API ends where the engine's does (API specification D6): a mistake of the
/// program that nobody could go on after, because the call it was made with cannot throw.
func throwRealmException(_ reason: String) -> Never { Misuse.trap(reason) }

/// What the engine refuses here is a mistake of the program.
@inline(__always)
func attempt<T>(_ body: () throws(RealmError) -> T) -> T {
    do throws(RealmError) { return try body() } catch { throwRealmException(error.message) }
}

/// Traps, as `attempt` does, with the text of the condition that the engine refuses.
func attemptCondition<T>(_ body: () throws(RealmError) -> T) -> T {
    do throws(RealmError) { return try body() } catch {
        // The hint of an error in a query is the query's line with a mark below it.
        let lines = error.hint?.split(separator: "\n") ?? []
        guard lines.count == 2, lines[1].contains("^") else { throwRealmException(error.message) }
        throwRealmException("\(error.message), in predicate: \(lines[0])")
    }
}
