import Foundation
import RealmEngine

/// How much is told to a logger: messages up to its level.
public enum LogLevel: Int, Sendable {
    case off = 0
    case fatal, error, warn, info, detail, debug, trace, all
}

/// Is told what happens. Free to cross threads.
public final class Logger: @unchecked Sendable {
    public typealias LogFunction = @Sendable (_ level: LogLevel, _ message: String) -> Void

    private static let standard = LockedValue(
        Logger(level: .info) { _, message in
            FileHandle.standardError.write(Data((message + "\n").utf8))
        })

    /// The one of the process.
    public static var shared: Logger {
        get { standard.withLock { $0 } }
        set { standard.withLock { $0 = newValue } }
    }

    private let threshold: LockedValue<LogLevel>
    private let function: LogFunction

    public init(level: LogLevel, logFunction: @escaping LogFunction) {
        threshold = LockedValue(level)
        function = logFunction
    }

    public var level: LogLevel {
        get { threshold.withLock { $0 } }
        set { threshold.withLock { $0 = newValue } }
    }

    /// Tells the logger of the process what the library does, if that wants to know.
    static func tell(_ level: LogLevel, _ message: @autoclosure () -> String) {
        let logger = shared
        guard level.rawValue <= logger.level.rawValue else { return }
        let source = level == .detail ? "Details" : level == .trace ? "Trace" : "Info"
        logger.function(level, "\(source) DB: \(message())")
    }

    /// Passes a message on, unless it is of a level beyond the logger's.
    public func log(level: LogLevel, message: String) {
        if level != .off, level.rawValue <= self.level.rawValue { function(level, message) }
    }
}
