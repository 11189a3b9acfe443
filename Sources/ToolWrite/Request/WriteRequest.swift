import RealmEngine
import RealmRecords
import ToolKit

/// A command line of `realm-write`. Everything that can be checked without the database is checked.
struct WriteRequest {
    enum Subject {
        case records(className: String, input: String)
        case bulk(className: String)
        case schema
    }

    typealias Mode = RecordRules.Mode
    typealias LinkMode = RecordRules.LinkMode

    enum InputFormat: String, CaseIterable {
        case ndjson, json, csv, tsv, changes
    }

    /// Treatment of rejected records.
    enum OnError: String, CaseIterable {
        case stop, skip
    }

    enum Durability: String, CaseIterable {
        case full, unsafe
    }

    /// Limits of a transaction. When one of the limits is reached, the records written so far are
    /// committed.
    struct Limits {
        var records = Int.max
        /// Maximum time in nanoseconds between reading a record and committing it.
        var interval = UInt64.max
        var bytes = Int.max
    }

    let command: ParsedCommand
    let path: String
    let subject: Subject
    let mode: Mode
    let form: InputForm
    var format: InputFormat { form.format }
    let links: LinkMode
    let limits: Limits
    /// Properties that take their values from a field with another name.
    let renamed: [(property: String, field: String)]
    /// Values of `--const`, in JSON, and the properties that they set in every record.
    let constants: [(property: String, json: String)]

    let classField: String
    let ignoresUnknown: Bool
    let isSingle: Bool
    let isDryRun: Bool
    let isDurable: Bool
    let skipsErrors: Bool
    let errorLimit: Int
    let skipped: Int
    let mayLoseData: Bool
    let creates: Bool
    let acknowledges: Bool
    /// Whether the position that a stream has reached is stored in a file beside the database
    /// (`--resume`).
    let resumes: Bool
    /// Timeout for the write mutex. Even without `--wait` it is a second, because processes hold
    /// the mutex only briefly.
    let lockTimeout: WriteSession.LockTimeout
    /// Memory limit of the command in bytes.
    let memoryLimit: Int
    /// Memory limit in bytes of a transaction's changes. Writing the changes takes about as much
    /// memory again, and records in queues take memory, too.
    var transactionMemory: Int { memoryLimit / 8 * 3 }
    /// Whether load summaries and schema plans are printed as JSON on standard output.
    let reportsJSON: Bool
    /// String properties that store JSON numbers as their digits, because `--infer` found no
    /// numeric type that represents all of them.
    var numbersAsText: Set<String> = []

    init(_ command: ParsedCommand) throws(RealmError) {
        self.command = command
        path = command.operand(0) ?? ""
        subject = try Self.subject(command)
        let (mode, format) = (command[WriteOption.mode], command[WriteOption.inputFormat])
        self.mode = mode ?? (format == .changes ? .apply : .insert)
        form = try Self.form(
            command, format ?? (mode == .apply ? .changes : InputFormat(of: subject)))
        links = command[WriteOption.links]
        limits = Self.limits(command)
        renamed = command[WriteOption.map].flatMap(\.self).map { ($0.name, $0.value) }
        constants = command[WriteOption.const].map { ($0.name, $0.value) }
        classField = command[WriteOption.classField]
        ignoresUnknown = command[WriteOption.ignoreUnknown]
        isSingle = command[WriteOption.singleTransaction]
        isDryRun = command[WriteOption.dryRun]
        isDurable = command[WriteOption.durability] == .full
        skipsErrors = command[WriteOption.onError] == .skip
        errorLimit = command[WriteOption.maxErrors]
        skipped = command[WriteOption.skipRecords]
        mayLoseData = command[WriteOption.force]
        creates = command[WriteOption.create]
        acknowledges = command[WriteOption.ack]
        resumes = command[WriteOption.resume]
        lockTimeout = command.wait.lockTimeout
        memoryLimit = command.maxMemory
        reportsJSON = command.format == .json
        try check()
    }

    private static func subject(_ command: ParsedCommand) throws(RealmError) -> Subject {
        let name = command.operand(1)
        if command.isGiven(WriteOption.predicate) {
            guard let name, name != "-", command.operand(2) == nil else {
                throw usage("--where changes the objects of one CLASS and reads no INPUT")
            }
            guard command.isAnyGiven([WriteOption.set, WriteOption.delete]) else {
                throw usage("--where needs --set or --delete")
            }
            return .bulk(className: name)
        }
        if let name { return .records(className: name, input: command.operand(2) ?? "-") }
        guard
            command.isGiven(WriteOption.create)
                || WriteOption.schemaChanges.contains(where: {
                    command.isAnyGiven([$0]) && $0.spec.applies(for: WriteUse.schema)
                })
        else {
            throw usage("CLASS is missing", hint: "see realm-write -h")
        }
        return .schema
    }

    /// Whether the threads that read records also convert them. That is worthwhile if all records
    /// are of one class, most of them create objects, and a transaction has many records.
    func convertsAhead(_ className: String) -> Bool {
        guard limits.records >= 16, limits.bytes >= 1 << 12 else { return false }
        switch mode {
        case .insert, .upsert, .merge: return className != "-"
        case .update, .delete, .apply: return false
        }
    }

    /// Rules by which records become objects.
    var rules: RecordRules {
        var rules = RecordRules()
        (rules.mode, rules.links) = (mode, links)
        rules.renamed = renamed.map { (nil, $0.property, $0.field) }
        rules.constants = constants.map(\.property)
        rules.classField = classField
        rules.ignoresUnknown = ignoresUnknown
        rules.numbersAsText = numbersAsText
        rules.memoryLimit = memoryLimit
        rules.transactionMemory = transactionMemory
        rules.temporaryDirectory = Terminal.temporaryDirectory
        rules.isConfidential = Secrecy.hasReadKey
        return rules
    }

    /// Whether options change the schema.
    var editsSchema: Bool { command.isAnyGiven(WriteOption.schemaChanges) }

    private static func limits(_ command: ParsedCommand) -> Limits {
        if command[WriteOption.singleTransaction] { return Limits() }
        return Limits(
            records: command[WriteOption.commitRecords],
            interval: UInt64(clamping: command[WriteOption.commitInterval].wholeNanoseconds),
            bytes: command[WriteOption.commitBytes])
    }

    private static func form(
        _ command: ParsedCommand, _ format: InputFormat
    ) throws(RealmError) -> InputForm {
        var form = InputForm(format)
        form.encoding = command[WriteOption.encoding]
        form.classField = command[WriteOption.classField]
        form.uuidOrder = command.uuidOrder
        if let separator = command[WriteOption.delimiter] {
            guard format == .csv else {
                throw usage("--delimiter needs -i csv, not \(format.rawValue)")
            }
            form.dialect = .quoted(separator: separator)
        }
        if command[WriteOption.ragged] {
            guard format == .csv || format == .tsv else {
                throw usage("--ragged needs -i csv or -i tsv, not \(format.rawValue)")
            }
            form.dialect.isRagged = true
        }
        return form
    }

    static func usage(_ message: String, hint: String? = nil) -> RealmError {
        .misuse(message, code: "InvalidArgument", hint: hint)
    }
}

extension WriteRequest.InputFormat {
    /// Format that the suffix of INPUT indicates; NDJSON by default.
    fileprivate init(of subject: WriteRequest.Subject) {
        self = .ndjson
        guard case .records(_, let input) = subject else { return }
        let name = input.lowercased()
        for format in [Self.csv, .tsv, .json] where name.hasSuffix("." + format.rawValue) {
            self = format
        }
    }
}

// MARK: - Contradictory options

extension WriteRequest {
    private func check() throws(RealmError) {
        guard path != "-" else {
            throw Self.usage("FILE is a database to change and cannot be standard input")
        }
        guard (mode == .apply) == (format == .changes) else {
            throw Self.usage("-m apply and -i changes need each other")
        }
        if isSingle, skipsErrors {
            throw Self.usage(
                "--single-transaction is all or nothing: it cannot be used with --on-error skip")
        }
        if command.isGiven(WriteOption.maxErrors), !skipsErrors {
            throw Self.usage("--max-errors needs --on-error skip")
        }
        try command.check(for: use)
    }

    private var use: WriteUse {
        switch subject {
        case .records: mode == .apply ? .changes : .records
        case .bulk: .bulk
        case .schema: .schema
        }
    }
}
