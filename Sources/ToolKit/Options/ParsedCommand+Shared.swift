import RealmEngine

/// `--access` (section "Access" of realm-tools(7)).
package enum AccessMode: String, CaseIterable, Sendable {
    case auto
    case shared
    case immutable
}

/// `--wait`.
package enum WaitPolicy: Sendable, Equatable {
    /// Do not wait.
    case none
    case atMost(Duration)
    case forever
}

/// The options that mean the same in every tool.
///
/// Each may be asked of any command; one whose table lacks the option answers the default.
extension ParsedCommand {
    /// The last of `--format` and `--json`.
    package var format: OutputFormat {
        let isJSON = last(of: [SharedOptions.format, SharedOptions.json])?.value == nil
        return wantsJSONErrors && isJSON ? .json : self[ifKnown: SharedOptions.format]
    }

    /// The database the command is about: `--file` where there is such an option, else the first
    /// operand; nil for standard input.
    var databasePath: String? {
        let path = knows(SharedOptions.file) ? self[SharedOptions.file] : operand(0)
        return path == "-" ? nil : path
    }

    /// Errors as one JSON line: `--json`, not `--format json`.
    package var wantsJSONErrors: Bool { self[ifKnown: SharedOptions.json] }

    package var isQuiet: Bool { self[SharedOptions.quiet] }

    /// How often `--verbose` was given.
    package var verbosity: Int { self[SharedOptions.verbose] }

    /// The file of `--output`; nil for standard output.
    package var outputPath: String? {
        let path = self[SharedOptions.output]
        return path == "-" ? nil : path
    }

    package var mayReplaceOutput: Bool { self[SharedOptions.force] }

    /// Worker threads; 0 means one per processor.
    package var threads: Int { self[ifKnown: SharedOptions.threads] }

    /// Cap on private memory, in bytes. Pages of an encrypted file have to be private once they are
    /// decrypted: where nobody says how much, those of a middling file are not decrypted twice.
    package var maxMemory: Int {
        let limit = max(Self.leastMemory, self[ifKnown: SharedOptions.maxMemory])
        return namesKey && !isGiven(SharedOptions.maxMemory.spec)
            ? max(limit, Self.memoryWithKey) : limit
    }

    private static let memoryWithKey = 256 << 20

    /// A share of less may be nothing at all.
    static let leastMemory = 1 << 10

    /// The query language that predicates are in.
    package var queryDialect: QueryDialect {
        switch self[ifKnown: SharedOptions.caseRule] {
        case .unicode: .extended
        case .reference: .language
        }
    }

    /// The time zone of functions of dates.
    package var zone: ZoneRules { self[ifKnown: SharedOptions.zone] }

    package var access: AccessMode { self[ifKnown: SharedOptions.access] }

    package var wait: WaitPolicy { self[ifKnown: SharedOptions.wait] }

    package var color: When { self[SharedOptions.color] }

    package var progress: When { self[ifKnown: SharedOptions.progress] }

    /// `--at`; nil for the newest version.
    package var version: VersionChoice? { self[ifKnown: SharedOptions.at] }
}
