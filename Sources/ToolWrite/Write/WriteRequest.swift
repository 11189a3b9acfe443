import RealmEngine
import ToolKit

/// What a `realm-write` command line asks for, checked as far as that goes without the database.
struct WriteRequest {
    enum Subject {
        case records(className: String, input: String)
        case bulk(className: String)
        case schema
    }

    enum Mode: String {
        case insert, upsert, merge, update, delete, apply
    }

    /// What becomes of links to objects that do not exist.
    enum LinkMode: String {
        case strict, create, null
    }

    enum InputFormat: String {
        case ndjson, json, csv, tsv, changes
    }

    /// When records that wait are committed.
    struct Limits {
        var records = 1000
        /// In nanoseconds.
        var interval: UInt64 = 250_000_000
        var bytes = 4 << 20
    }

    let command: ParsedCommand
    let path: String
    let subject: Subject
    let mode: Mode
    let format: InputFormat
    let links: LinkMode
    let limits: Limits
    /// Field names by the property that takes its value from them.
    let renamed: [(property: String, field: String)]
    /// JSON of properties that every record gets.
    let constants: [(property: String, json: String)]

    let classField: String
    let ignoresUnknown: Bool
    let isSingle: Bool
    let isDryRun: Bool
    let isDurable: Bool
    let skipsErrors: Bool
    let mostErrors: Int
    let skipped: Int
    let mayLoseData: Bool
    let creates: Bool
    let acknowledges: Bool
    /// How long to wait for a turn among writers: turns are short, so that even without `--wait` a
    /// second is spent on it.
    let patience: WriteSession.Patience
    /// Bytes of memory a transaction may take.
    let mostMemory: Int
    /// Summaries and plans as JSON on standard output.
    let reportsJSON: Bool

    init(_ command: ParsedCommand) throws(RealmError) {
        self.command = command
        path = command.operand(0) ?? ""
        subject = try Self.subject(command)
        let mode = command.text("mode").flatMap(Mode.init)
        let format = command.text("input-format").flatMap(InputFormat.init)
        self.mode = mode ?? (format == .changes ? .apply : .insert)
        self.format = format ?? (mode == .apply ? .changes : .ndjson)
        links = command.text("links").flatMap(LinkMode.init) ?? .strict
        limits = Self.limits(command)
        renamed = try Self.pairs(command, "map").map { ($0.0, $0.1) }
        constants = try command.all("const").map { text throws(RealmError) in
            try Self.pair(text, "--const")
        }
        classField = command.text("class-field") ?? "$class"
        ignoresUnknown = command.flag("ignore-unknown")
        isSingle = command.flag("single-transaction")
        isDryRun = command.flag("dry-run")
        isDurable = command.text("durability") != "unsafe"
        skipsErrors = command.text("on-error") == "skip"
        mostErrors = command.count("max-errors") ?? Int.max
        skipped = command.count("skip-records") ?? 0
        mayLoseData = command.flag("force")
        creates = command.flag("create")
        acknowledges = command.flag("ack")
        patience = command.wait.patience
        mostMemory = command.maxMemory
        reportsJSON = command.format == .json
        try check()
    }

    private static func subject(_ command: ParsedCommand) throws(RealmError) -> Subject {
        let name = command.operand(1)
        if command.flag("where") {
            guard let name, name != "-", command.operand(2) == nil else {
                throw usage("--where changes the objects of one CLASS and reads no INPUT")
            }
            guard command.flag("set") || command.flag("delete") else {
                throw usage("--where needs --set or --delete")
            }
            return .bulk(className: name)
        }
        if let name { return .records(className: name, input: command.operand(2) ?? "-") }
        guard
            command.flag("create")
                || schemaOptions.dropFirst().contains(where: { command.flag($0) })
        else {
            throw usage("CLASS is missing", hint: "see realm-write -h")
        }
        return .schema
    }

    private static let schemaOptions = [
        "infer", "schema-file", "schema-version", "rename", "drop", "index", "unindex", "optional",
        "required",
    ]

    /// The records are of one class and, mostly, make new objects: they are converted ahead, unless
    /// they are committed in such small pieces that preparing for each would take longer.
    func convertsAhead(_ className: String) -> Bool {
        guard limits.records >= 16, limits.bytes >= 1 << 12 else { return false }
        switch mode {
        case .insert, .upsert, .merge: return className != "-"
        case .update, .delete, .apply: return false
        }
    }

    /// Options ask for changes of the schema.
    var editsSchema: Bool { Self.schemaOptions.contains { command.flag($0) } }

    private static func limits(_ command: ParsedCommand) -> Limits {
        var limits = Limits()
        if command.flag("single-transaction") {
            return Limits(records: .max, interval: .max, bytes: .max)
        }
        if let records = command.count("commit-records") { limits.records = records }
        if let bytes = command.size("commit-bytes") { limits.bytes = bytes }
        if let interval = command.duration("commit-interval") {
            let (seconds, attoseconds) = interval.components
            let total =
                Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
            limits.interval = UInt64(clamping: total)
        }
        return limits
    }
    /// `A=B,C=D` of a repeatable option.
    private static func pairs(
        _ command: ParsedCommand, _ option: String
    ) throws(RealmError) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for text in command.all(option) {
            for item in text.split(separator: ",", omittingEmptySubsequences: false) {
                pairs.append(try pair(String(item), "--" + option))
            }
        }
        return pairs
    }

    /// `A=B` as two texts; neither is empty.
    static func pair(_ text: String, _ option: String) throws(RealmError) -> (String, String) {
        guard let sign = text.firstIndex(of: "="), sign != text.startIndex,
            text.index(after: sign) != text.endIndex
        else {
            throw .misuse(
                "\(option): '\(text)' is not of the form NAME=VALUE", code: "InvalidArgument",
                reason: "bad-value")
        }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    static func usage(_ message: String, hint: String? = nil) -> RealmError {
        .misuse(message, code: "InvalidArgument", hint: hint)
    }
}

// MARK: - What does not go together

extension WriteRequest {
    private func check() throws(RealmError) {
        guard path != "-" else {
            throw Self.usage("FILE is a database to change and cannot be standard input")
        }
        guard (mode == .apply) == (format == .changes) else {
            throw Self.usage("-m apply and -i changes go together")
        }
        if isSingle, skipsErrors {
            throw Self.usage("--single-transaction is all or nothing: --on-error skip is neither")
        }
        if command.flag("max-errors"), !skipsErrors {
            throw Self.usage("--max-errors counts what --on-error skip passes over")
        }
        try checkApplicable()
    }

    /// Options about records mean nothing without records.
    private func checkApplicable() throws(RealmError) {
        let ofRecords = [
            "input-format", "mode", "class-field", "map", "const", "ignore-unknown", "links",
            "commit-records", "commit-interval", "commit-bytes", "ack", "on-error",
            "rejects", "max-errors", "skip-records", "infer",
        ]
        var unsuitable = ofRecords
        let what: String
        switch subject {
        case .records:
            guard mode == .apply else { return }
            unsuitable = ["class-field", "map", "const", "infer"]
            what = "does not go with change records"
        case .bulk: what = "is about records, which --where does not read"
        case .schema: what = "is about records: CLASS is missing"
        }
        for name in unsuitable where command.flag(name) {
            throw Self.usage("--\(name) \(what)")
        }
    }
}
