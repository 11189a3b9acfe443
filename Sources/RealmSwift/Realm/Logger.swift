import Foundation
import RealmEngine

/// Importance of a log message. A logger of a given level receives messages of that level and of
/// all levels before it in the declaration.
public enum LogLevel: Int, Sendable {
    /// No messages.
    case off = 0
    /// Messages up to this importance: `fatal` comes first, and `all` includes every message.
    case fatal, error, warn, info, detail, debug, trace, all
}

/// Receives log messages of the library and passes those up to its level to a function.
///
/// May be used from any thread; the function is called on the thread that logs.
///
/// ```swift
/// Logger.shared = Logger(level: .debug) { level, message in print(level, message) }
/// ```
public final class Logger: @unchecked Sendable {
    /// Function that receives each message with its level.
    public typealias LogFunction = @Sendable (_ level: LogLevel, _ message: String) -> Void

    /// The logger that `shared` returns.
    private static let standard = LockedValue(
        Logger(level: .info) { _, message in
            FileHandle.standardError.write(Data((message + "\n").utf8))
        })

    /// The logger of the process. Initially its level is `info`, and it writes to standard error.
    public static var shared: Logger {
        get { standard.withLock { $0 } }
        set { standard.withLock { $0 = newValue } }
    }

    private let threshold: LockedValue<LogLevel>
    private let function: LogFunction

    /// Creates a logger.
    ///
    /// - Parameter level: messages beyond this level are dropped.
    /// - Parameter logFunction: is called on the thread that logs; several threads may call it at
    ///   once.
    public init(level: LogLevel, logFunction: @escaping LogFunction) {
        threshold = LockedValue(level)
        function = logFunction
    }

    /// The level up to which messages are passed on. May be changed from any thread.
    public var level: LogLevel {
        get { threshold.withLock { $0 } }
        set { threshold.withLock { $0 = newValue } }
    }

    /// Logs a message of the library to `shared`; `message` is evaluated only if the level is
    /// enabled.
    static func logToShared(_ level: LogLevel, _ message: @autoclosure () -> String) {
        let logger = shared
        guard level.rawValue <= logger.level.rawValue else { return }
        let source = level == .detail ? "Details" : level == .trace ? "Trace" : "Info"
        logger.function(level, "\(source) DB: \(message())")
    }

    /// Passes a message to the log function, unless its level is `off` or beyond the level of the
    /// logger.
    public func log(level: LogLevel, message: String) {
        if level != .off, level.rawValue <= self.level.rawValue { function(level, message) }
    }
}
