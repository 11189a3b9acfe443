import Foundation
import RealmEngine

/// Importance of a log message. A logger with a given level receives messages of that level and of
/// the levels that are declared before it.
public enum LogLevel: Int, Sendable {
    /// No messages.
    case off = 0
    /// Levels in the order of decreasing importance: `fatal` is the most important one, and `all`
    /// includes every message.
    case fatal, error, warn, info, detail, debug, trace, all
}

/// Passes log messages of the library, up to a level, to a function.
///
/// May be used on any thread. The function is called on the thread that logs.
///
/// ```swift
/// Logger.shared = Logger(level: .debug) { level, message in print(level, message) }
/// ```
public final class Logger: @unchecked Sendable {
    /// Function that receives each message with its level.
    public typealias LogFunction = @Sendable (_ level: LogLevel, _ message: String) -> Void

    /// The current value of the property `shared`.
    private static let standard = LockedValue(
        Logger(level: .info) { _, message in
            FileHandle.standardError.write(Data((message + "\n").utf8))
        })

    /// The logger that receives the messages of the library. Initially its level is `info`, and it
    /// writes to standard error. May be set on any thread.
    public static var shared: Logger {
        get { standard.withLock { $0 } }
        set { standard.withLock { $0 = newValue } }
    }

    private let threshold: LockedValue<LogLevel>
    private let function: LogFunction

    /// Creates a logger.
    ///
    /// - Parameter level: the logger ignores less important messages.
    /// - Parameter logFunction: called on the thread that logs, possibly by several threads at
    ///   once.
    public init(level: LogLevel, logFunction: @escaping LogFunction) {
        threshold = LockedValue(level)
        function = logFunction
    }

    /// The level up to which messages are passed to the function. May be changed on any thread.
    public var level: LogLevel {
        get { threshold.withLock { $0 } }
        set { threshold.withLock { $0 = newValue } }
    }

    /// Passes a message of the library to `shared`. `message` is evaluated only if the level of
    /// `shared` includes it.
    static func logToShared(_ level: LogLevel, _ message: @autoclosure () -> String) {
        let logger = shared
        guard level.rawValue <= logger.level.rawValue else { return }
        let source = level == .detail ? "Details" : level == .trace ? "Trace" : "Info"
        logger.function(level, "\(source) DB: \(message())")
    }

    /// Passes a message to the log function. Ignores a message that is less important than the
    /// logger's level, or whose level is `off`. May be called on any thread.
    public func log(level: LogLevel, message: String) {
        if level != .off, level.rawValue <= self.level.rawValue { function(level, message) }
    }
}
