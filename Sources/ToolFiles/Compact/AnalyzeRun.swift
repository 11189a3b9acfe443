import RealmEngine
import ToolKit

/// `--analyze FILE`: reports the use of the file's bytes.
struct AnalyzeRun {
    private let request: CompactRequest

    init(_ request: CompactRequest) { self.request = request }

    func run() throws(RealmError) -> ExitCode {
        let most = request.command[CompactOption.top] ?? 0
        do throws(RealmError) {
            return try CompactSource(request: request).read { (database) throws(RealmError) in
                let usage = try SpaceUsage(database.snapshot(), largest: most)
                try print(usage, database)
                return .ok
            }
        } catch {
            throw error.kind == .output ? error : error.inDatabase(request.path)
        }
    }

    private func print(_ usage: SpaceUsage, _ database: Database) throws(RealmError) {
        var buffer = ByteBuffer(capacity: 4096)
        AnalyzeDocument(request, usage, database).append(request.format, to: &buffer)
        let output = try OutputFile(
            path: request.command.outputPath, force: request.mayReplace)
        try output.flush(&buffer)
        try output.commit()
    }
}

/// The report: the bytes of a file by property.
private struct AnalyzeDocument: ReportDocument {
    private let request: CompactRequest
    private let usage: SpaceUsage
    private let database: Database
    private let entries: [Line]

    init(_ request: CompactRequest, _ usage: SpaceUsage, _ database: Database) {
        self.request = request
        self.usage = usage
        self.database = database
        entries = Self.entries(usage, total: database.fileBytes)
    }

    /// One line of the table that `--analyze` prints.
    private struct Line {
        let name: String
        /// Number of objects of the class, or of changesets in the history; nil for lines about
        /// other space, such as the free lists.
        let count: Int?
        let isProperty: Bool
        let bytes: UInt64
        let note: String
    }

    private static func entries(_ usage: SpaceUsage, total: UInt64) -> [Line] {
        var lines: [Line] = []
        for column in usage.columns {
            var notes = [column.kind]
            if column.isEnumerated { notes.append("enumerated") }
            if let saving = column.enumerationSaves {
                notes.append("--enumerate saves \(Quantity.bytes(Int(clamping: saving)))")
            }
            if column.indexBytes > 0 {
                let name = column.isFullText ? "fulltext index" : "index"
                notes.append("\(name) \(Quantity.bytes(Int(clamping: column.indexBytes)))")
            }
            if column.backlinkBytes > 0 {
                let size = Quantity.bytes(Int(clamping: column.backlinkBytes))
                notes.append("incoming links \(size)")
            }
            lines.append(
                Line(
                    name: "\(column.className).\(column.name)", count: column.objects,
                    isProperty: true,
                    bytes: column.bytes + column.indexBytes + column.backlinkBytes,
                    note: notes.joined(separator: ", ")))
        }
        for (name, objects, bytes) in usage.overhead {
            lines.append(
                Line(
                    name: name, count: objects, isProperty: true, bytes: bytes,
                    note: "keys, schema"))
        }
        lines.order { $0.bytes > $1.bytes }
        func rest(_ name: String, _ count: Int?, _ bytes: UInt64, _ note: String) -> Line {
            Line(name: name, count: count, isProperty: false, bytes: bytes, note: note)
        }
        lines.append(rest("(history)", usage.historyEntries, usage.historyBytes, "change log"))
        lines.append(
            rest("(free lists)", nil, usage.freeListBytes, "\(usage.freeListEntries) entries"))
        lines.append(rest("(free space)", nil, usage.freeBytes, "freed by compaction"))
        lines.append(rest("(directory)", nil, usage.directoryBytes, "header, root, class names"))
        let known = lines.reduce(0) { $0 + $1.bytes }
        if total > known {
            lines.append(rest("(other)", nil, total - known, "after the end, or leaked"))
        }
        return lines
    }

    // MARK: Forms

    var json: JSONItem {
        JSONReport.object(
            "realm-compact",
            [
                ("file", .text(request.path)), ("bytes", .number(database.fileBytes)),
                ("version", .number(database.version)), ("usage", .list(entries.map(Self.json))),
                ("largest", .list(usage.largestValues.map(Self.json))),
            ])
    }

    var lines: [JSONItem] { entries.map(Self.json) + usage.largestValues.map(Self.json) }

    private static func json(_ line: Line) -> JSONItem {
        var members: JSONItem.Members = [("name", .text(line.name))]
        if let count = line.count {
            members.append((line.isProperty ? "objects" : "entries", .count(count)))
        }
        return .object(members + [("bytes", .number(line.bytes)), ("note", .text(line.note))])
    }

    private static func json(_ value: SpaceUsage.LargeValue) -> JSONItem {
        .object([
            ("class", .text(value.className)), ("key", .literal("\(value.key.raw)")),
            ("property", .text(value.property)), ("bytes", .literal("\(value.bytes)")),
        ])
    }

    func appendText(_ style: RecordStyle, to out: inout ByteBuffer) {
        let lines = entries.map { line -> [JSONItem] in
            let share = Double(line.bytes) * 100 / Double(max(1, database.fileBytes))
            var each = "-"
            if line.isProperty, let count = line.count, count > 0 {
                each = Quantity.bytes(Int(clamping: line.bytes) / count)
            }
            return [
                .text(line.name), .known(line.count),
                .text(Quantity.bytes(Int(clamping: line.bytes))),
                .text(Quantity.oneDecimal(share) + "%"), .text(each), .text(line.note),
            ]
        }
        Report(
            headings: ["class.property", "objects", "bytes", "share", "per object", "note"],
            isNumber: [false, true, true, true, true, false], rows: lines
        ).append(style, to: &out)
        if usage.largestValues.isEmpty { return }
        let values = usage.largestValues.map { value -> [JSONItem] in
            [
                .text("\(value.className).\(value.property)"), .literal("\(value.key.raw)"),
                .text(Quantity.bytes(Int(clamping: value.bytes))),
            ]
        }
        out.append("\n")
        Report(figures: ["largest value", "key", "bytes"], rows: values).append(style, to: &out)
    }
}
