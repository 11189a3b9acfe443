import RealmEngine

/// The exit status of a tool. The numbers never change (realm-tools(7), EXIT STATUS).
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// Success. If the command is a test, the test holds.
    case ok = 0
    /// The command is a test, and the test does not hold.
    case no = 1
    /// A bad option, class, property or query.
    case usage = 2
    /// The input is missing, unreadable or not a Realm file.
    case input = 3
    /// The database is corrupt or truncated.
    case damaged = 4
    /// A key is missing, wrong, malformed or superfluous.
    case key = 5
    /// A format, lock layout or history that the operation does not support.
    case incompatible = 6
    /// A lock was not available in time, or other processes kept changing the file.
    case busy = 7
    /// Input records were rejected.
    case data = 8
    /// Output could not be written, synced or renamed.
    case output = 9
    /// A bug in the tool.
    case bug = 10

    package init(_ kind: RealmError.Kind) {
        switch kind {
        case .corrupt: self = .damaged
        case .input: self = .input
        case .output: self = .output
        case .key: self = .key
        case .incompatible: self = .incompatible
        case .busy: self = .busy
        case .misuse: self = .usage
        case .data: self = .data
        case .internal: self = .bug
        }
    }

    /// All codes in the order of decreasing severity.
    static let bySeverity: [ExitCode] = [
        .bug, .output, .damaged, .key, .incompatible, .busy, .input, .data, .usage, .no, .ok,
    ]

    /// Returns the more serious of two codes, for a run that has both results.
    package func combined(with other: ExitCode) -> ExitCode {
        Self.bySeverity.first { $0 == self || $0 == other }!
    }
}
