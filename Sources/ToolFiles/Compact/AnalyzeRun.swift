import RealmEngine
import ToolKit

/// `--analyze FILE`: where the bytes are.
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
        let rows = Self.rows(usage, total: database.fileBytes)
        var buffer = ByteBuffer(capacity: 4096)
        switch request.format {
        case .json: appendJSON(rows, usage, database, to: &buffer)
        case .ndjson: appendLines(rows, usage, to: &buffer)
        default: appendText(rows, usage, total: database.fileBytes, to: &buffer)
        }
        let output = try OutputFile(
            path: request.command.outputPath, force: request.mayReplace)
        try output.flush(&buffer)
        try output.commit()
    }

    /// One line of the table.
    private struct Line {
        let name: String
        /// What it counts; nil for what has no number.
        let count: Int?
        let isProperty: Bool
        let bytes: UInt64
        let note: String
    }

    private static func rows(_ usage: SpaceUsage, total: UInt64) -> [Line] {
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
        lines.append(rest("(free space)", nil, usage.freeBytes, "given back by compaction"))
        lines.append(rest("(directory)", nil, usage.directoryBytes, "header, root, class names"))
        let known = lines.reduce(0) { $0 + $1.bytes }
        if total > known {
            lines.append(rest("(other)", nil, total - known, "behind the end, or leaked"))
        }
        return lines
    }

    // MARK: Forms

    private static func append(_ line: Line, to buffer: inout ByteBuffer) {
        buffer.append("{\"name\":")
        JSONText.append(line.name, to: &buffer)
        if let count = line.count {
            buffer.append(line.isProperty ? ",\"objects\":\(count)" : ",\"entries\":\(count)")
        }
        buffer.append(",\"bytes\":\(line.bytes),\"note\":")
        JSONText.append(line.note, to: &buffer)
        buffer.append("}")
    }

    private static func append(_ value: SpaceUsage.LargeValue, to buffer: inout ByteBuffer) {
        buffer.append("{\"class\":")
        JSONText.append(value.className, to: &buffer)
        buffer.append(",\"key\":\(value.key.raw),\"property\":")
        JSONText.append(value.property, to: &buffer)
        buffer.append(",\"bytes\":\(value.bytes)}")
    }

    private func appendJSON(
        _ lines: [Line], _ usage: SpaceUsage, _ database: Database, to buffer: inout ByteBuffer
    ) {
        JSONReport.begin("realm-compact", to: &buffer)
        buffer.append(",\"file\":")
        JSONText.append(request.path, to: &buffer)
        buffer.append(
            ",\"bytes\":\(database.fileBytes),\"version\":\(database.version),\"usage\":[")
        for (i, line) in lines.enumerated() {
            if i > 0 { buffer.append(",") }
            Self.append(line, to: &buffer)
        }
        buffer.append("],\"largest\":[")
        for (i, value) in usage.largestValues.enumerated() {
            if i > 0 { buffer.append(",") }
            Self.append(value, to: &buffer)
        }
        buffer.append("]}\n")
    }

    private func appendLines(
        _ lines: [Line], _ usage: SpaceUsage, to buffer: inout ByteBuffer
    ) {
        for line in lines {
            Self.append(line, to: &buffer)
            buffer.append("\n")
        }
        for value in usage.largestValues {
            Self.append(value, to: &buffer)
            buffer.append("\n")
        }
    }

    private func appendText(
        _ lines: [Line], _ usage: SpaceUsage, total: UInt64, to buffer: inout ByteBuffer
    ) {
        var table = TextColumns([
            "CLASS.PROPERTY", "OBJECTS", "BYTES", "SHARE", "PER OBJECT", "NOTE",
        ])
        for line in lines {
            let share = Double(line.bytes) * 100 / Double(max(1, total))
            var each = "-"
            if line.isProperty, let count = line.count, count > 0 {
                each = Quantity.bytes(Int(clamping: line.bytes) / count)
            }
            table.add([
                line.name, line.count.map { String($0) } ?? "-",
                Quantity.bytes(Int(clamping: line.bytes)), Quantity.oneDecimal(share) + "%", each,
                line.note,
            ])
        }
        table.append(to: &buffer)
        guard !usage.largestValues.isEmpty else { return }
        var values = TextColumns(["LARGEST VALUE", "KEY", "BYTES"])
        for value in usage.largestValues {
            values.add([
                "\(value.className).\(value.property)", String(value.key.raw),
                Quantity.bytes(Int(clamping: value.bytes)),
            ])
        }
        buffer.append("\n")
        values.append(to: &buffer)
    }
}

/// Columns for people: the first and, where there are more than three, the last flush left, numbers
/// flush right.
struct TextColumns {
    private var rows: [[String]]

    init(_ titles: [String]) { rows = [titles] }

    mutating func add(_ row: [String]) { rows.append(row) }

    func append(to buffer: inout ByteBuffer) {
        let count = rows[0].count
        let widths = (0..<count).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let isLastText = count > 3
        for row in rows {
            for (i, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[i] - cell.count)
                let isText = i == 0 || (isLastText && i == count - 1)
                if !isText { buffer.append(padding) }
                ErrorText.appendPrintable(cell, to: &buffer)
                if i == count - 1 { break }
                if isText { buffer.append(padding) }
                buffer.append("  ")
            }
            buffer.append("\n")
        }
    }
}
