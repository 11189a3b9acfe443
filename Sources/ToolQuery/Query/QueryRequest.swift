import Glibc
import RealmEngine
import ToolKit

/// A command line of `realm-query`. Everything that can be checked without the database is checked.
struct QueryRequest {
    enum Subject {
        /// The list of classes.
        case classes
        case objects(String)
        case all
        case schema(String?)
        case digest(String?)
    }

    let command: ParsedCommand
    let path: String
    /// Whether this is one of several files that the command names.
    let isOneOfSeveral: Bool
    /// File name at the beginning of lines and records; nil if it is not printed.
    var file: String? { fields.file }
    let use: QueryUse
    let subject: Subject
    private(set) var values: ValueStyle
    let fields: FieldRequest
    /// The query; nil for all objects.
    let filter: QueryFilter?
    /// Output format; nil for `auto`, which depends on the kind of output.
    let format: OutputFormat?

    var showsInternal: Bool { command[QueryOption.internals] }
    var aggregates: String? { command[QueryOption.aggregate] }
    var isCount: Bool { command[QueryOption.count] }
    var isStat: Bool { command[QueryOption.stat] }
    /// Range of records to print.
    var window: RecordWindow {
        RecordWindow(skip: command[QueryOption.offset], take: command[QueryOption.limit])
    }
    /// Byte at the end of lines that are not records.
    var terminator: UInt8 { recordStyle(NDJSONForm.self).terminator }
    var directory: String? { command[QueryOption.outputDirectory] }

    /// - Parameter file: file name at the beginning of lines and records; nil if it is not printed.
    init(
        _ command: ParsedCommand, isOneOfSeveral: Bool = false, file: String? = nil
    ) throws(RealmError) {
        self.command = command
        self.isOneOfSeveral = isOneOfSeveral
        path = command.operand(0) ?? ""
        use = QueryUse(command)
        subject = try Self.subject(command)
        values = try Self.values(command)
        fields = Self.fields(command, subject, file: file)
        filter = try QueryFilter(command)
        format = command.format == .auto ? nil : command.format
        values.isReadBack = recordForm.isReadBack
        try checkApplicable()
        try checkClasses()
        try checkSQL()
        try checkPage()
        try checkSeparator()
    }

    private static func subject(_ command: ParsedCommand) throws(RealmError) -> Subject {
        let name = command.operand(1)
        if command[QueryOption.schema] { return .schema(name) }
        if command[QueryOption.digest] { return .digest(name) }
        guard command[QueryOption.all] else { return name.map(Subject.objects) ?? .classes }
        if let name {
            throw .misuse(
                "--all already prints every class: omit --all or \(name)",
                code: "InvalidArgument")
        }
        return .all
    }

    private static func values(_ command: ParsedCommand) throws(RealmError) -> ValueStyle {
        var style = ValueStyle()
        style.types = command[QueryOption.types]
        style.time = command[QueryOption.time]
        style.binary = command[QueryOption.binary]
        style.guid = command[QueryOption.guid]
        style.join = Array(command[QueryOption.join].utf8)
        if style.types == .extended {
            let isHex = style.binary == .hex
            if let clash = command.isGiven(QueryOption.time)
                ? "--time" : isHex ? "--binary hex" : nil
            {
                throw .misuse(
                    "\(clash) cannot be used with --types extended, which has its own form of "
                        + "values",
                    code: "InvalidArgument")
            }
        }
        return style
    }

    private static func fields(
        _ command: ParsedCommand, _ subject: Subject, file: String?
    ) -> FieldRequest {
        var request = FieldRequest()
        request.file = file
        request.fields = command[QueryOption.fields]
        request.excluded = command[QueryOption.exclude] ?? []
        request.expanded = command[QueryOption.expand] ?? []
        request.exploded = command[QueryOption.explode]
        request.hasBacklinks = command[QueryOption.backlinks]
        request.provenance = command[QueryOption.provenance]
        request.zone = command.zone
        if case .all = subject {
            request.hasKeys = true
            request.namesClass = !command.isGiven(QueryOption.outputDirectory)
        }
        return request
    }
}

// MARK: - Contradictory options

extension QueryRequest {
    private func checkApplicable() throws(RealmError) {
        try command.check(for: use)
        switch use {
        case .diff, .watch, .objects, .aggregates, .groups: return
        case .remnants: return try checkRemnants()
        case .batch: return try checkBatch()
        case .classes, .everything, .directory, .schema, .digests: break
        }
        if command.operand(2) != nil {
            throw .misuse(
                "a PREDICATE needs a CLASS before it, and nothing after it", code: "InvalidArgument"
            )
        }
    }

    /// Throws an error for options that `--batch` does not permit: requests have their own
    /// predicates, and answers are always JSON lines.
    private func checkBatch() throws(RealmError) {
        if command.operand(2) != nil {
            throw .misuse(
                "with --batch predicates come from standard input", code: "InvalidArgument",
                hint: "{\"where\":\"…\"} is the predicate of a request")
        }
        switch format {
        case nil, .auto, .ndjson: return
        case .json where command.wantsJSONErrors: return
        default: throw .misuse("--batch prints ndjson only", code: "InvalidArgument")
        }
    }

    private func checkRemnants() throws(RealmError) {
        if command.operand(1) == nil,
            let option = [QueryOption.fields].first(where: command.isGiven)
        {
            throw .misuse("\(option.spelling) needs a CLASS", code: "InvalidArgument")
        }
        if let format, [.sql, .html].contains(format) {
            throw .misuse(
                "-f \(format.rawValue) cannot be used with --remnants", code: "InvalidArgument")
        }
    }

    private func checkClasses() throws(RealmError) {
        if format == .diff, use != .diff || isStat || isCount {
            throw .misuse(
                "-f diff prints changes: use it with --diff only", code: "InvalidArgument")
        }
        if let format, SchemaForms.form(format) != nil, use != .schema {
            throw .misuse(
                "-f \(format.rawValue) prints classes, not objects: use it with --schema",
                code: "InvalidArgument")
        }
    }

    /// Throws an error for options that `-f sql` does not permit, because SQL output always
    /// contains all values.
    private func checkSQL() throws(RealmError) {
        if use == .remnants { return }
        guard format == .sql else {
            guard command.isGiven(QueryOption.dialect) else { return }
            throw .misuse("--dialect needs -f sql", code: "InvalidArgument")
        }
        guard [.objects, .everything, .directory].contains(use) else {
            throw .misuse(
                "-f sql prints objects: it needs --all or a CLASS", code: "InvalidArgument")
        }
        if let option = QueryOption.withoutSQL.first(where: { command.isAnyGiven([$0]) }) {
            throw .misuse(
                "\(option.spec.spelling) cannot be used with -f sql", code: "InvalidArgument")
        }
        if use == .everything, window != .all {
            throw .misuse(
                "--limit and --offset cannot be used with -f sql and --all, which leaves nothing out",
                code: "InvalidArgument")
        }
    }

    /// Throws an error for options that `-f html` does not permit, because an HTML page always
    /// shows a whole file.
    private func checkPage() throws(RealmError) {
        guard format == .html else { return }
        guard use == .classes || use == .everything, !isCount else {
            throw .misuse(
                "-f html shows a whole file: it takes no CLASS", code: "InvalidArgument")
        }
        let refused = QueryOption.withoutSQL + [QueryOption.offset]
        if let option = refused.first(where: { command.isAnyGiven([$0]) }) {
            throw .misuse(
                "\(option.spec.spelling) cannot be used with -f html", code: "InvalidArgument")
        }
    }

    private func checkSeparator() throws(RealmError) {
        let form = recordForm
        let forLines: [any OptionDeclaration] = [
            QueryOption.carriageReturns, QueryOption.byteOrderMark,
        ]
        if command.isGiven(QueryOption.delimiter), form != CSVForm.self {
            throw .misuse("--delimiter needs -f csv", code: "InvalidArgument")
        }
        if !form.cells.isDelimited, let option = forLines.first(where: { command.isAnyGiven([$0]) })
        {
            throw .misuse(
                "\(option.spec.spelling) needs -f csv or -f tsv", code: "InvalidArgument")
        }
        if command[QueryOption.nullSeparated], let format, !form.hasTerminators {
            throw .misuse(
                "--null-separated cannot be used with -f \(format.rawValue)",
                code: "InvalidArgument",
                hint: "-f ndjson, csv and tsv print one record after "
                    + "another")
        }
    }

    /// Returns the style for an output format for records, with the options of the command.
    func recordStyle(_ form: any RecordForm.Type) -> RecordStyle {
        var style = RecordStyle(form)
        style.hasHeader = !command[QueryOption.noHeader]
        if command[QueryOption.nullSeparated] { style.terminator = 0 }
        style.dialect = command[QueryOption.dialect]
        style.delimiter = command[QueryOption.delimiter]
        style.null = command[QueryOption.null].map { Array($0.utf8) }
        style.hasCarriageReturns = command[QueryOption.carriageReturns]
        style.hasByteOrderMark = command[QueryOption.byteOrderMark]
        if form.isLayout {
            style.width =
                command.outputPath == nil
                ? Terminal.columns(STDOUT_FILENO) : Terminal.columns(-1)
            style.isColored =
                Terminal.usesColor(command.color, command.outputPath == nil ? STDOUT_FILENO : -1)
        }
        return style
    }

    /// The output format for records. With `auto`, a table on a terminal, and otherwise NDJSON.
    var recordForm: any RecordForm.Type {
        if let form = format.flatMap(RecordForms.form) { return form }
        let areRecords = use == .objects || use == .everything
        let isForPeople =
            !(isOneOfSeveral && areRecords) && command.outputPath == nil && directory == nil
            && !command[QueryOption.nullSeparated]
            && Terminal.isTerminal(STDOUT_FILENO)
        return isForPeople ? TableForm.self : NDJSONForm.self
    }
}
