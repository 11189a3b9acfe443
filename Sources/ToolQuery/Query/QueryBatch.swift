import Glibc
import RealmEngine
import ToolKit

/// `--batch`: answers queries from standard input, one JSON object a line, in the same order.
///
/// A request names a class, may have a predicate with arguments, and an id that is sent back:
/// `{"id":1,"class":"Email","where":"_id == $0","args":["65e5…"]}`. The class may be left out where
/// the command line names one. Each answer is one line, written
/// at once: `{"id":1,"count":1,"objects":[…]}`, or `{"id":1,"error":{…}}`.
final class QueryBatch {
    private let request: QueryRequest
    private let database: Database
    private let output: VerifiedOutput
    private let snapshot: Snapshot
    private let json: JSONRenderer
    private var renderers: [TableKey: RecordRenderer] = [:]
    private var hasFailed = false

    init(_ request: QueryRequest, _ database: Database, _ output: VerifiedOutput) {
        self.request = request
        self.database = database
        self.output = output
        snapshot = database.snapshot()
        json = JSONRenderer(snapshot, request.values)
    }

    /// Answers until the input ends; `data` when some request could not be answered.
    func run() throws(RealmError) -> ExitCode {
        let reader = JSONReader(
            ByteSource(descriptor: STDIN_FILENO, path: "-"), layout: .lines)
        var buffer = ByteBuffer()
        while true {
            switch try reader.next() {
            case .end: return hasFailed ? .data : .ok
            case .rejected(let error):
                append(error: error.realmError(file: "-"), id: nil, to: &buffer)
            case .record(let value): try answer(value, to: &buffer)
            }
            try output.flush(&buffer)
        }
    }

    private func answer(_ value: JSONValue, to buffer: inout ByteBuffer) throws(RealmError) {
        let id = value.kind == .object ? value.field("id") : nil
        let start = buffer.count
        do throws(RealmError) {
            try appendAnswer(value, id, to: &buffer)
        } catch {
            guard error.kind == .misuse || error.kind == .data else { throw error }
            buffer.truncate(to: start)
            append(error: error, id: id, to: &buffer)
        }
    }

    private func appendAnswer(
        _ value: JSONValue, _ id: JSONValue?, to buffer: inout ByteBuffer
    ) throws(RealmError) {
        let table = try table(value)
        var arguments: [QueryArgument] = []
        if let list = value.field("args") {
            guard list.kind == .array else {
                throw .misuse("args is an array", code: "InvalidArgument")
            }
            var children = list.children
            while let child = children.next() {
                arguments.append(try Self.argument(child))
            }
        }
        var text = "TRUEPREDICATE"
        if let predicate = value.field("where") {
            guard predicate.kind == .string else {
                throw .misuse("where is a string", code: "InvalidArgument")
            }
            text = predicate.text.string
        }
        let filter = QueryFilter(text: text, arguments: arguments, request.command)
        let plan = try filter.plan(table, snapshot)
        // Objects that are only counted are not gathered.
        let keys = request.isCount ? nil : try plan.rows(in: snapshot).keys
        appendStart(id, to: &buffer)
        buffer.append("\"count\":")
        if let keys {
            buffer.append(number: keys.count)
            buffer.append(",\"objects\":[")
            try appendObjects(keys, table, to: &buffer)
            buffer.append("]")
        } else {
            buffer.append(number: try plan.count(in: snapshot))
        }
        buffer.append("}\n")
    }

    private static func argument(_ value: JSONValue) throws(RealmError) -> QueryArgument {
        do throws(Objection) { return try ArgumentJSON.argument(value) } catch {
            throw .misuse(
                "--argjson: \(error.message)", code: "InvalidArgument",
                reason: ArgumentJSON.reason)
        }
    }

    /// The class a request names, else the one of the command line.
    private func table(_ value: JSONValue) throws(RealmError) -> TableInfo {
        if value.kind == .object {
            if let name = value.field("class") {
                if name.kind == .string {
                    return try request.table(name.text.string, database.schema)
                }
            } else if case .objects(let name) = request.subject {
                return try request.table(name, database.schema)
            }
        }
        throw .misuse("a request names its class: {\"class\":\"…\"}", code: "InvalidArgument")
    }

    private func appendObjects(
        _ keys: RowKeys, _ table: TableInfo, to buffer: inout ByteBuffer
    ) throws(RealmError) {
        let renderer = try renderer(table)
        let start = buffer.count
        for key in keys {
            guard let row = try renderer.scan.seek(key) else { continue }
            try renderer.append(row, to: &buffer)
        }
        // Every object ends with a separator, the last one with one too many.
        if buffer.count > start { buffer.truncate(to: buffer.count - 1) }
    }

    private func renderer(_ table: TableInfo) throws(RealmError) -> RecordRenderer {
        if let known = renderers[table.key] { return known }
        var style = RecordStyle(format: .ndjson)
        style.terminator = UInt8(ascii: ",")
        let plan = try request.plans([table], database.schema)[0]
        let fresh = RecordRenderer(plan, snapshot, json, style)
        renderers[table.key] = fresh
        return fresh
    }

    private func appendStart(_ id: JSONValue?, to buffer: inout ByteBuffer) {
        buffer.append("{")
        guard let id else { return }
        buffer.append("\"id\":")
        buffer.append(id.source)
        buffer.append(",")
    }

    private func append(error: RealmError, id: JSONValue?, to buffer: inout ByteBuffer) {
        hasFailed = true
        appendStart(id, to: &buffer)
        var text = ByteBuffer(capacity: 256)
        ErrorText.append(
            error.inDatabase(request.path), tool: "realm-query", asJSON: true, to: &text)
        // The error's own object without its brace: {"error":{…}} and a line feed.
        buffer.append(UnsafeRawBufferPointer(rebasing: text.bytes.dropFirst(1)))
    }
}
