import RealmEngine

/// Traps with `reason`, in the way the engine reports misuse (API specification D6).
///
/// Misuse is an error of the program in a call that cannot throw, so the process ends. Tests
/// replace the trap through `RealmTesting`.
func throwRealmException(_ reason: String) -> Never { Misuse.trap(reason) }

/// Runs `body` and traps with the message of an error that it throws.
@inline(__always)
func attempt<T>(_ body: () throws(RealmError) -> T) -> T {
    do throws(RealmError) { return try body() } catch { throwRealmException(error.message) }
}

/// Runs `body` and traps with the message of an error that it throws, followed by the text of the
/// condition that the engine refuses.
func attemptCondition<T>(_ body: () throws(RealmError) -> T) -> T {
    do throws(RealmError) { return try body() } catch {
        // The hint of an error in a query is the query's line with a mark below it.
        let lines = error.hint?.split(separator: "\n") ?? []
        guard lines.count == 2, lines[1].contains("^") else { throwRealmException(error.message) }
        throwRealmException("\(error.message), in predicate: \(lines[0])")
    }
}
