import Glibc
import RealmEngine
import RealmRecords
import ToolKit

/// `--batch`: reads queries from standard input, one JSON object per line, and prints the answers
/// in the same order.
///
/// `BatchRequest` defines the members of a request. Each answer is one line, which is written at
/// once: `{"id":1,"count":1,"objects":[…]}`, or `{"id":1,"error":{…}}`.
final class QueryBatch {
    private let request: QueryRequest
    private let database: Database
    private let output: VerifiedOutput
    private let snapshot: Snapshot
    private let json: JSONRenderer
    /// Options of the command line that apply to all requests.
    private let options: QueryOptions
    private let isCount: Bool
    private var renderers: [TableKey: RecordRenderer] = [:]
    /// Cached renderers of records, for requests that select fields.
    private var renderersOfFields: [Shape: RecordRenderer] = [:]
    private var hasFailed = false

    /// The class and the fields of records: the key of a cached renderer.
    private struct Shape: Hashable {
        let table: TableKey
        let fields: [String]
    }

    /// Maximum number of cached renderers.
    private static let rendererLimit = 64

    init(_ request: QueryRequest, _ database: Database, _ output: VerifiedOutput) {
        self.request = request
        self.database = database
        self.output = output
        snapshot = database.snapshot()
        json = JSONRenderer(snapshot, request.values)
        options = QueryOptions(request.command)
        isCount = request.isCount
    }

    /// Answers requests until the input ends. Returns `data` if at least one request could not be
    /// answered.
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
        let asked = try BatchRequest(value)
        let table = try table(asked)
        let filter = try asked.filter(options, QueryLanguage(request.command))
        appendStart(id, to: &buffer)
        if let aggregate = asked.aggregate {
            if let groupBy = asked.groupBy {
                try appendGroups(
                    try Grouping(
                        groupBy, aggregate, order: asked.sort ?? [], table, database.schema),
                    filter, table, asked.window, to: &buffer)
            } else {
                try appendAggregates(try Aggregation(aggregate, table), filter, table, to: &buffer)
            }
        } else {
            try appendObjects(asked, filter, table, to: &buffer)
        }
        buffer.append("}\n")
    }

    /// Returns the class that the request names; otherwise the class of the command line.
    private func table(_ asked: BatchRequest) throws(RealmError) -> TableInfo {
        if let name = asked.className { return try request.table(name, database.schema) }
        if case .objects(let name) = request.subject {
            return try request.table(name, database.schema)
        }
        throw .misuse(
            "the request has no class: add {\"class\":\"…\"}, or CLASS to the command",
            code: "InvalidArgument")
    }

    private func appendAggregates(
        _ aggregation: Aggregation, _ filter: QueryFilter, _ table: TableInfo,
        to buffer: inout ByteBuffer
    ) throws(RealmError) {
        let count = try aggregation.run(try filter.plan(table, snapshot), snapshot)
        buffer.append("\"count\":")
        buffer.append(number: count)
        buffer.append(",\"aggregate\":")
        try aggregation.append(style, request.values, snapshot, to: &buffer)
        buffer.truncate(to: buffer.count - 1)
    }

    private func appendGroups(
        _ grouping: Grouping, _ filter: QueryFilter, _ table: TableInfo, _ window: RecordWindow,
        to buffer: inout ByteBuffer
    ) throws(RealmError) {
        var groups = ByteBuffer()
        let count = try grouping.append(
            try grouping.plan(filter, table, snapshot), snapshot, window: window, request.values,
            style, to: &groups)
        buffer.append("\"count\":")
        buffer.append(number: count)
        buffer.append(",\"groups\":[")
        buffer.append(UnsafeRawBufferPointer(rebasing: groups.bytes.dropLast(1)))
        buffer.append("]")
    }

    private func appendObjects(
        _ asked: BatchRequest, _ filter: QueryFilter, _ table: TableInfo,
        to buffer: inout ByteBuffer
    ) throws(RealmError) {
        let window = asked.window
        let plan = try filter.plan(table, snapshot, most: window.end)
        buffer.append("\"count\":")
        if asked.isCount ?? isCount {
            // If objects are only counted, their keys are not collected.
            let count = try plan.count(in: snapshot)
            buffer.append(number: max(0, min(count, window.end) - window.skip))
            return
        }
        let renderer = try renderer(table, asked.fields)
        let keys = window.of(try plan.rows(in: snapshot).keys)
        buffer.append(number: keys.count)
        buffer.append(",\"objects\":[")
        let start = buffer.count
        if plan.isArranged, keys.count >= ArrangedRecords.minimumObjects {
            _ = try ArrangedRecords.append(
                keys, renderer, memory: request.command.maxMemory / 2, to: &buffer
            ) { _ in true }
        } else {
            for key in keys {
                guard let row = try renderer.scan.seek(key) else { continue }
                try renderer.append(row, to: &buffer)
            }
        }
        // Each object ends with a comma. The last comma is removed.
        if buffer.count > start { buffer.truncate(to: buffer.count - 1) }
        buffer.append("]")
    }

    /// Style in which records end with a comma.
    private var style: RecordStyle {
        RecordStyle(NDJSONForm.self, terminator: UInt8(ascii: ","))
    }

    private func renderer(
        _ table: TableInfo, _ fields: [String]?
    ) throws(RealmError) -> RecordRenderer {
        let shape = fields.map { Shape(table: table.key, fields: $0) }
        let known = shape.map { renderersOfFields[$0] } ?? renderers[table.key]
        if let known { return known }
        let plan = try plan(table, fields)
        let fresh = RecordRenderer(plan, snapshot, json, style)
        if let shape {
            if renderersOfFields.count == Self.rendererLimit { renderersOfFields = [:] }
            renderersOfFields[shape] = fresh
        } else {
            renderers[table.key] = fresh
        }
        return fresh
    }

    private func plan(
        _ table: TableInfo, _ fields: [String]?
    ) throws(RealmError) -> RecordPlan {
        guard let fields else { return try request.plans([table], database.schema)[0] }
        var own = request.fields
        own.excluded = []
        do throws(OptionValueError) {
            own.fields = try fields.map { (item) throws(OptionValueError) in
                try FieldRequest.field(item)
            }
        } catch { throw .misuse("fields: \(error.message)", code: "InvalidArgument") }
        var planner = RecordPlanner(table, database.schema, own, request.values)
        return try planner.plan()
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
        // The text is `{"error":{…}}` and a line feed. Its opening brace is left out.
        buffer.append(UnsafeRawBufferPointer(rebasing: text.bytes.dropFirst(1)))
    }
}
