import RealmEngine

/// Traps with `reason` as its message, in the same way as the engine reports misuse (API
/// specification D6).
///
/// Misuse is a programming error in a call that cannot throw. The trap ends the process. Tests
/// replace the trap through `RealmTesting`.
func throwRealmException(_ reason: String) -> Never { Misuse.trap(reason) }

/// Runs `body`. If it throws, traps with the message of the error.
@inline(__always)
func attempt<T>(_ body: () throws(RealmError) -> T) -> T {
    do throws(RealmError) { return try body() } catch { throwRealmException(error.message) }
}

/// Runs `body`, which evaluates a query. If it throws, traps with the message of the error,
/// followed by the text of the rejected condition.
func attemptCondition<T>(_ body: () throws(RealmError) -> T) -> T {
    do throws(RealmError) { return try body() } catch {
        // The hint of a query error has two lines: the line of the query, and a `^` below the
        // error.
        let lines = error.hint?.split(separator: "\n") ?? []
        guard lines.count == 2, lines[1].contains("^") else { throwRealmException(error.message) }
        throwRealmException("\(error.message), in predicate: \(lines[0])")
    }
}
