/// Where mistakes of a program end it: what cannot be an error, because nobody could go on after it.
///
/// A library on top, or a harness for tests, may put something of its own in place.
package enum Misuse {
    /// Is told what is wrong, on the thread that did it, while no lock is held. Never returns.
    package typealias Handler = @Sendable (_ message: String) -> Never

    private static let handler = LockedValue<Handler?>(nil)

    /// From now on mistakes go to `other`; nil for what happens by itself, a fatal error with the
    /// message.
    static func replaceHandler(_ other: Handler?) { handler.withLock { $0 = other } }

    /// Ends the program, or what stands in for it.
    package static func trap(_ message: String) -> Never {
        if let standIn = ImpersonatedThread.current { standIn.park(message) }
        if let handler = handler.withLock({ $0 }) { handler(message) }
        fatalError(message)
    }
}
