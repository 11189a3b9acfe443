import RealmEngine

/// `--format`, with `auto` still to be decided.
package enum OutputFormat: String, Sendable {
    case auto
    case table
    case text
    case json
    case ndjson
    case csv
    case tsv
}

/// `--access` (section "Access" of realm-tools(7)).
package enum AccessMode: String, Sendable {
    case auto
    case shared
    case immutable
}

/// `--color` and `--progress`.
package enum When: String, Sendable {
    case auto
    case always
    case never
}

/// `--wait`.
package enum WaitPolicy: Sendable, Equatable {
    /// Do not wait.
    case none
    case atMost(Duration)
    case forever
}

/// The options that mean the same in every tool, with their defaults applied.
///
/// Each may be asked of any command; one whose table lacks the option answers the default.
extension ParsedCommand {
    /// The last of `--format` and `--json`.
    package var format: OutputFormat {
        let chosen = occurrences.last { $0.name == "format" || $0.name == "json" }
        guard let chosen else { return .auto }
        return chosen.value.flatMap(OutputFormat.init) ?? .json
    }

    /// The database the command is about: `--file` where there is such an option, else the first
    /// operand; nil for standard input.
    var databasePath: String? {
        let path = table.option(named: "file") == nil ? operand(0) : text("file")
        return path == "-" ? nil : path
    }

    /// Errors as one JSON line: `--json`, not `--format json`.
    package var wantsJSONErrors: Bool { flag("json") }

    package var isQuiet: Bool { flag("quiet") }

    /// How often `--verbose` was given.
    package var verbosity: Int { times("verbose") }

    /// The file of `--output`; nil for standard output.
    package var outputPath: String? {
        let path = text("output")
        return path == "-" ? nil : path
    }

    package var mayReplaceOutput: Bool { flag("force") }

    /// Worker threads; 0 means one per processor.
    package var threads: Int { optional("threads") { count($0) } ?? 0 }

    /// Cap on private memory, in bytes.
    package var maxMemory: Int {
        max(Self.leastMemory, optional("max-memory") { size($0) } ?? 64 << 20)
    }

    /// A share of less may be nothing at all.
    static let leastMemory = 1 << 10

    package var access: AccessMode {
        optional("access") { text($0) }.flatMap(AccessMode.init) ?? .auto
    }

    package var wait: WaitPolicy {
        guard optional("wait", { flag($0) ? true : nil }) != nil else { return .none }
        return duration("wait").map { .atMost($0) } ?? .forever
    }

    package var color: When { text("color").flatMap(When.init) ?? .auto }

    package var progress: When { optional("progress") { text($0) }.flatMap(When.init) ?? .auto }

    /// Reads an option that not every table has.
    private func optional<T>(_ name: String, _ read: (String) -> T?) -> T? {
        table.option(named: name) == nil ? nil : read(name)
    }
}
