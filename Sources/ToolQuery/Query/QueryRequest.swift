import Glibc
import RealmEngine
import ToolKit

/// What a `realm-query` command line asks for, checked as far as that goes without the database.
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
    let subject: Subject
    let values: ValueStyle
    let fields: FieldRequest
    /// Nil when all objects are wanted.
    let filter: QueryFilter?
    /// Nil for `auto`, until it is known what is printed and where.
    let format: OutputFormat?

    var showsInternal: Bool { command.flag("internal") }
    var aggregates: String? { command.text("aggregate") }
    var isCount: Bool { command.flag("count") }
    var offset: Int { command.count("offset") ?? 0 }
    var limit: Int { command.count("limit") ?? Int.max }
    var directory: String? { command.text("output-dir") }
    /// `--at`; nil for the newest version.
    var version: VersionChoice? { get throws(RealmError) { try command.version } }
    /// Changes are asked for, not objects.
    var isAboutChanges: Bool {
        command.flag("watch") || command.flag("diff") || command.flag("since")
    }

    init(_ command: ParsedCommand) throws(RealmError) {
        self.command = command
        path = command.operand(0) ?? ""
        subject = try Self.subject(command)
        values = try Self.values(command)
        fields = try Self.fields(command, subject)
        filter = try QueryFilter(command)
        format = command.format == .auto ? nil : command.format
        try checkApplicable()
        try checkSeparator()
    }

    private static func subject(_ command: ParsedCommand) throws(RealmError) -> Subject {
        let name = command.operand(1)
        if command.flag("schema") { return .schema(name) }
        if command.flag("digest") { return .digest(name) }
        guard command.flag("all") else { return name.map(Subject.objects) ?? .classes }
        if let name {
            throw .misuse(
                "--all prints every class, \(name) too: leave one of them out",
                code: "InvalidArgument")
        }
        return .all
    }

    private static func values(_ command: ParsedCommand) throws(RealmError) -> ValueStyle {
        var style = ValueStyle()
        style.types = command.text("types").flatMap(ValueStyle.Types.init) ?? .plain
        style.time = command.text("time").flatMap(ValueStyle.Time.init) ?? .rfc3339
        style.binary = command.text("binary").flatMap(ValueStyle.Binary.init) ?? .base64
        if let join = command.text("join") { style.join = Array(join.utf8) }
        style.null = command.text("null").map { Array($0.utf8) }
        if style.types == .extended {
            let isHex = style.binary == .hex
            if let clash = command.flag("time") ? "--time" : isHex ? "--binary hex" : nil {
                throw .misuse(
                    "\(clash) has no meaning with --types extended, which has its own form",
                    code: "InvalidArgument")
            }
        }
        return style
    }

    private static func fields(
        _ command: ParsedCommand, _ subject: Subject
    ) throws(RealmError) -> FieldRequest {
        var request = FieldRequest()
        if let list = command.text("fields") {
            var fields: [(label: String?, path: String)] = []
            for item in try items(list, "--fields") {
                guard let sign = item.firstIndex(of: "=") else {
                    fields.append((nil, item))
                    continue
                }
                let path = String(item[item.index(after: sign)...])
                guard !path.isEmpty, sign != item.startIndex else { throw empty("--fields", list) }
                fields.append((String(item[..<sign]), path))
            }
            request.fields = fields
        }
        if let list = command.text("exclude") { request.excluded = try items(list, "--exclude") }
        if let list = command.text("expand") { request.expanded = try items(list, "--expand") }
        request.exploded = command.text("explode")
        request.hasBacklinks = command.flag("backlinks")
        if case .all = subject {
            request.hasKeys = true
            request.namesClass = command.text("output-dir") == nil
        }
        return request
    }

    /// The parts of a comma-separated list.
    private static func items(_ list: String, _ option: String) throws(RealmError) -> [String] {
        let items = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if items.contains("") { throw empty(option, list) }
        return items
    }

    private static func empty(_ option: String, _ list: String) -> RealmError {
        .misuse(
            "\(option): a name is missing in '\(list)'", code: "InvalidArgument",
            reason: "bad-value")
    }
}

// MARK: - What does not go together

extension QueryRequest {
    /// Options that say something about objects, and the subjects they apply to.
    private func checkApplicable() throws(RealmError) {
        _ = try version
        if isAboutChanges { return }
        for name in ["before", "initial", "heartbeat"] where command.flag(name) {
            throw .misuse("--\(name) needs --watch or --diff", code: "InvalidArgument")
        }
        let ofObjects = [
            "fields", "explode", "raw", "exclude", "expand", "backlinks", "types", "time", "binary",
            "join",
        ]
        let ofQueries = [
            "sort", "distinct", "aggregate", "arg", "argjson", "query-file", "explain",
        ]
        if command.flag("batch") { return try checkBatch(ofQueries) }
        let unsuitable: [String]
        let what: String
        switch subject {
        case .objects:
            if aggregates != nil {
                for name in ofObjects + ["limit", "offset", "count"] where command.flag(name) {
                    throw .misuse("--\(name) does not go with --aggregate", code: "InvalidArgument")
                }
            }
            return
        case .all: (unsuitable, what) = (["fields", "explode", "raw"] + ofQueries, "needs a CLASS")
        case .classes: (unsuitable, what) = (ofObjects + ofQueries, "needs a CLASS")
        case .schema, .digest:
            unsuitable = ofObjects + ofQueries + ["limit", "offset", "exit-status"]
            what = "does not go with --schema or --digest"
        }
        if command.operand(2) != nil {
            throw .misuse("a PREDICATE needs a CLASS and nothing else", code: "InvalidArgument")
        }
        for name in unsuitable where command.flag(name) {
            throw .misuse("--\(name) \(what)", code: "InvalidArgument")
        }
        for name in ["count", "limit", "offset"] where directory != nil && command.flag(name) {
            throw .misuse("--\(name) does not go with --output-dir", code: "InvalidArgument")
        }
    }

    /// Requests bring their own predicates, and answers are JSON lines.
    private func checkBatch(_ ofQueries: [String]) throws(RealmError) {
        if command.operand(2) != nil {
            throw .misuse(
                "with --batch predicates come from standard input", code: "InvalidArgument",
                hint: "{\"where\":\"…\"} is the predicate of a request")
        }
        let unsuitable =
            ofQueries + [
                "limit", "offset", "exit-status", "explode", "raw", "join", "null", "no-header",
                "null-separated",
            ]
        for name in unsuitable where command.flag(name) {
            throw .misuse("--\(name) does not go with --batch", code: "InvalidArgument")
        }
        switch format {
        case nil, .auto, .ndjson: return
        case .json where command.wantsJSONErrors: return
        default: throw .misuse("--batch prints ndjson only", code: "InvalidArgument")
        }
    }

    private func checkSeparator() throws(RealmError) {
        guard command.flag("null-separated"), let format else { return }
        if format == .json || format == .table {
            throw .misuse(
                "--null-separated separates records, which \(format.rawValue) does not have",
                code: "InvalidArgument", hint: "ndjson, csv and tsv have them")
        }
    }

    /// The form of records in the given format.
    func recordStyle(_ format: RecordFormat) -> RecordStyle {
        var style = RecordStyle(format: format)
        style.hasHeader = !command.flag("no-header")
        if command.flag("null-separated") { style.terminator = 0 }
        if format == .table {
            style.width =
                command.outputPath == nil
                ? Terminal.columns(STDOUT_FILENO) : Terminal.columns(-1)
            style.isColored =
                Terminal.usesColor(command.color, command.outputPath == nil ? STDOUT_FILENO : -1)
        }
        return style
    }

    /// `auto` decided: a table for a person at a terminal, else NDJSON.
    var recordFormat: RecordFormat {
        switch format {
        case .table, .text: return .table
        case .json: return .json
        case .csv: return .csv
        case .tsv: return .tsv
        case .ndjson: return .ndjson
        case nil, .auto:
            let isForPeople =
                command.outputPath == nil && directory == nil && !command.flag("null-separated")
                && Terminal.isTerminal(STDOUT_FILENO)
            return isForPeople ? .table : .ndjson
        }
    }
}
