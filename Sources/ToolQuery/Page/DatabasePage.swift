import RealmEngine
import ToolKit

extension OutputFormat { static let html = Self(rawValue: "html") }

/// Output format: the whole file as one HTML page without external resources. Shows the classes, a
/// diagram of them, and tables of their objects, which can be sorted and filtered in the browser.
/// The page makes no network requests.
///
/// The data is JSON in a script element that is not executed. Every `<` in it is escaped, so that
/// data cannot act as markup.
struct DatabasePage {
    private let database: Database
    private let name: String
    private let tables: [TableInfo]
    private let values: ValueStyle
    private let output: VerifiedOutput
    private let snapshot: Snapshot
    /// Maximum number of objects of a class on the page.
    private let limit: Int

    static let defaultLimit = 1000
    static let manual = "A page of the whole file; see PAGES."

    /// - Parameters:
    ///   - path: path of the file, whose last component is shown.
    ///   - limit: maximum number of objects per class; nil for `defaultLimit`.
    init(
        _ database: Database, path: String, _ tables: [TableInfo], limit: Int?,
        _ values: ValueStyle, _ output: VerifiedOutput
    ) {
        self.database = database
        self.tables = tables
        self.values = values
        self.output = output
        self.limit = limit ?? Self.defaultLimit
        name = path.split(separator: "/").last.map(String.init) ?? path
        snapshot = database.snapshot()
    }

    /// Writes the HTML page. Returns the number of objects that the page shows.
    func print() throws(RealmError) -> Int {
        snapshot.beginWalk()
        var buffer = ByteBuffer(capacity: 1 << 16)
        buffer.append(PageText.head)
        buffer.append("<script type=\"application/json\" id=\"data\">")
        appendFacts(to: &buffer)
        var objects = 0
        for (position, table) in tables.enumerated() {
            if position > 0 { buffer.append(",\n") }
            objects += try append(table, to: &buffer)
        }
        buffer.append("]}</script>\n<script>\n")
        buffer.append(PageText.script)
        buffer.append("</script>\n</body>\n</html>\n")
        try output.flush(&buffer)
        return objects
    }

    private func appendFacts(to out: inout ByteBuffer) {
        let facts = JSONItem.object([
            ("file", .text(name)), ("format", .literal("\(database.header.format)")),
            ("version", .number(database.version)), ("limit", .count(limit)),
            ("schemaVersion", .known(database.schema.version)), ("classes", .list([])),
        ])
        append(open: facts, to: &out)
    }

    /// Appends a JSON object whose last member is an array, without the closing brackets of the
    /// array and the object.
    private func append(open object: JSONItem, to out: inout ByteBuffer) {
        var text = ByteBuffer(capacity: 1024)
        object.append(to: &text)
        out.append(script: UnsafeRawBufferPointer(rebasing: text.bytes.dropLast(2)))
    }

    /// Appends a class with its first objects. Returns the number of objects.
    private func append(_ table: TableInfo, to out: inout ByteBuffer) throws(RealmError) -> Int {
        let count = try snapshot.table(table).count()
        let facts = JSONItem.object([
            ("name", .text(table.className)), ("kind", .text(table.kind.name)),
            ("count", .count(count)),
            ("primaryKey", .known(table.primaryKey.map { table.columns[$0].name })),
            ("properties", .list(table.columns.map(json))), ("rows", .list([])),
        ])
        append(open: facts, to: &out)
        // Embedded objects are shown only inside the objects that contain them.
        let rows = table.kind == .embedded ? 0 : try appendRows(of: table, to: &out)
        out.append("]}")
        return rows
    }

    private func json(_ column: ColumnInfo) -> JSONItem {
        let target = column.type == .link ? database.schema.table(column.target) : nil
        let isNumber = [.int, .float, .double].contains(column.type)
        return .object([
            ("name", .text(column.name)),
            ("type", .text(PropertyDescription(column, database.schema).typeText)),
            ("collection", .known(column.collection?.rawValue)),
            ("target", .known(target?.className)),
            ("isNumber", .flag(isNumber && column.collection == nil)),
            ("isIndexed", .flag(column.index != .none)),
        ])
    }

    private func appendRows(
        of table: TableInfo, to out: inout ByteBuffer
    ) throws(RealmError) -> Int {
        var fields = FieldRequest()
        fields.hasKeys = true
        var planner = RecordPlanner(table, database.schema, fields, values)
        let json = JSONRenderer(snapshot, values)
        let renderer = RecordRenderer(
            try planner.plan(), snapshot, json, RecordStyle(NDJSONForm.self))
        var record = ByteBuffer(capacity: 4096)
        var count = 0
        while count < limit, try renderer.scan.next() {
            for row in 0..<min(renderer.scan.count, limit - count) {
                record.removeAll()
                try renderer.append(row, to: &record)
                if count > 0 { out.append(",") }
                out.append(script: record.bytes)
                count += 1
                try output.write(&out)
            }
        }
        return count
    }
}

extension ByteBuffer {
    /// Appends JSON for a script element: `<`, which occurs only in strings, is escaped.
    fileprivate mutating func append(script json: UnsafeRawBufferPointer) {
        var start = 0
        while let next = json[start...].firstIndex(of: UInt8(ascii: "<")) {
            append(UnsafeRawBufferPointer(rebasing: json[start..<next]))
            append("\\u003c")
            start = next + 1
        }
        append(UnsafeRawBufferPointer(rebasing: json[start...]))
    }
}
