/// Ends the program after a programmer error from which it cannot recover.
///
/// A higher layer or a test harness may replace the function that receives the message.
package enum Misuse {
    /// Receives the message about a programmer error, on the thread that made the error, while no
    /// lock is held. Must not return.
    package typealias Handler = @Sendable (_ message: String) -> Never

    private static let handler = LockedValue<Handler?>(nil)

    /// Replaces the function that receives the message about a programmer error. If nil, a fatal
    /// error with the message ends the program.
    static func replaceHandler(_ other: Handler?) { handler.withLock { $0 = other } }

    /// Reports a programmer error and ends the program. On an `ImpersonatedThread`, only stops the
    /// thread.
    package static func trap(_ message: String) -> Never {
        if let impersonated = ImpersonatedThread.current { impersonated.park(message) }
        if let handler = handler.withLock({ $0 }) { handler(message) }
        fatalError(message)
    }
}
