import RealmEngine

/// Argument of `--access` (section "Access" of realm-tools(7)).
package enum AccessMode: String, CaseIterable, Sendable {
    case auto
    case shared
    case immutable
}

/// Argument of `--wait`.
package enum WaitPolicy: Sendable, Equatable {
    /// Does not wait for locks that another process holds.
    case none
    case atMost(Duration)
    case forever
}

/// Values of the options that have the same meaning in all tools.
///
/// If the table of a command lacks an option, the value is the default.
extension ParsedCommand {
    /// The output format. Of `--format` and `--json`, the last one on the command line counts.
    package var format: OutputFormat {
        let isJSON = last(of: [SharedOptions.format, SharedOptions.json])?.value == nil
        return wantsJSONErrors && isJSON ? .json : self[ifKnown: SharedOptions.format]
    }

    /// Path of the database: the argument of `--file` if the tool has this option, else the first
    /// operand; nil for standard input.
    var databasePath: String? {
        let path = knows(SharedOptions.file) ? self[SharedOptions.file] : operand(0)
        return path == "-" ? nil : path
    }

    /// Whether errors are printed as one line of JSON. True with `--json`, but not with `--format
    /// json`.
    package var wantsJSONErrors: Bool { self[ifKnown: SharedOptions.json] }

    package var isQuiet: Bool { self[SharedOptions.quiet] }

    /// Number of `--verbose` options.
    package var verbosity: Int { self[SharedOptions.verbose] }

    /// Path of `--output`; nil for standard output.
    package var outputPath: String? {
        let path = self[SharedOptions.output]
        return path == "-" ? nil : path
    }

    package var mayReplaceOutput: Bool { self[SharedOptions.force] }

    /// Number of worker threads; 0 means one per processor.
    package var threads: Int { self[ifKnown: SharedOptions.threads] }

    /// Limit of private memory in bytes. The default is higher with a key, because decrypted pages
    /// are private memory: the pages of a medium-sized file then need not be decrypted twice.
    package var maxMemory: Int {
        let limit = max(Self.minimumMemory, self[ifKnown: SharedOptions.maxMemory])
        return namesKey && !isGiven(SharedOptions.maxMemory.spec)
            ? max(limit, Self.memoryWithKey) : limit
    }

    private static let memoryWithKey = 256 << 20

    /// Minimum of the memory limit in bytes. A part of a smaller limit, such as a quarter, could be
    /// rounded down to 0.
    static let minimumMemory = 1 << 10

    /// Query language of predicates.
    package var queryDialect: QueryDialect {
        switch self[ifKnown: SharedOptions.caseRule] {
        case .unicode: .extended
        case .reference: .language
        }
    }

    /// Time zone for date functions.
    package var zone: ZoneRules { self[ifKnown: SharedOptions.zone] }

    /// Byte order of UUIDs (`--guid`). The standard order for tools without `--guid`.
    package var uuidOrder: UUIDOrder { self[ifKnown: SharedOptions.guid] }

    package var access: AccessMode { self[ifKnown: SharedOptions.access] }

    package var wait: WaitPolicy { self[ifKnown: SharedOptions.wait] }

    package var color: When { self[SharedOptions.color] }

    package var progress: When { self[ifKnown: SharedOptions.progress] }

    /// Version of `--at`; nil for the newest version.
    package var version: VersionChoice? { self[ifKnown: SharedOptions.at] }
}
