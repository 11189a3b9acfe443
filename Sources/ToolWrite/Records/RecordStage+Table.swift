import RealmEngine
import RealmRecords
import ToolKit

/// Converts the rows of CSV and TSV to property values, and checks them against their classes. Does
/// not access the database.
final class TableStage {
    private let json: JSONStage
    private let header: [String]
    /// Indexes of the columns without a name in the header. The number of such a column is used as
    /// its name.
    private let unnamed: Set<Int>
    /// For each class, how each column is converted.
    private var layouts: [TableKey: [FieldAction?]] = [:]
    /// Index of the column with the class name; nil if there is none.
    private let classColumn: Int?
    /// For each column whose field is JSON, the parsed JSON. Valid until the next row is read.
    private var tapes: [JSONTape?]

    init(
        _ json: JSONStage, _ header: [String], _ request: WriteRequest
    ) throws(RealmError) {
        self.json = json
        self.header = FieldNames.named(header)
        unnamed = Set(header.indices.filter { header[$0].isEmpty })
        tapes = Array(repeating: nil, count: header.count)
        classColumn = header.firstIndex(of: request.classField)
        if let table = json.table {
            layouts[table.key] = try layout(table)
        } else if classColumn == nil {
            throw .misuse(
                "the header has no column \(request.classField), which names the class of each "
                    + "record",
                code: "InvalidArgument")
        }
    }

    /// Creates a converter that is used only for elements of a collection (`element`).
    init(elements json: JSONStage, columns: Int) {
        self.json = json
        header = []
        unnamed = []
        tapes = Array(repeating: nil, count: columns)
        classColumn = nil
    }

    /// Converts a row. Returns the `ClassPlan` of the row's class, which contains the converted
    /// values.
    @_optimize(speed)
    func take(
        _ reader: DelimitedReader, _ row: DelimitedRow
    ) throws(RecordError) -> ClassPlan {
        let table: TableInfo
        if let only = json.table { table = only } else { table = try self.table(reader, row) }
        let plan = json.plans.plan(table)
        plan.begin()
        let layout = try learned(table, reader)
        for column in 0..<row.count {
            guard let action = layout[column] else { continue }
            switch action.kind {
            case .scalar:
                plan.row[action.column] = try reader.scalar(
                    column, as: action.type, isNullable: action.isNullable)
                plan.given[action.column] = .inRow
            case .link, .structured:
                if json.readsKeyOnly { continue }
                try structure(plan, action.column, reader, row, column)
            case .objectKey:
                guard
                    case .int(let key) = try reader.scalar(column, as: .int, isNullable: false),
                    key >= 0
                else { throw reader.mismatch(column, expected: "an object key") }
                plan.objectKey = ObjectKey(key)
            case .className:
                if json.table != nil, try self.table(reader, row).key != table.key {
                    throw reader.mismatch(column, expected: "class \(table.className)")
                }
            case .identity, .reference, .ignored: continue
            }
        }
        return plan
    }

    private func table(
        _ reader: DelimitedReader, _ row: DelimitedRow
    ) throws(RecordError) -> TableInfo {
        guard let table = json.plans.table(named: row.text(classColumn!)) else {
            throw reader.mismatch(classColumn!, expected: "a class of the database")
        }
        return table
    }

    private func layout(_ table: TableInfo) throws(RealmError) -> [FieldAction?] {
        let (layout, unknown) = resolve(table)
        if let unknown {
            let near = Spelling.nearest(3, to: unknown, among: table.columns.map(\.name))
            throw .misuse(
                "class \(table.className) has no property \(unknown), which the header names",
                code: "InvalidProperty", reason: "unknown-property",
                hint: near.isEmpty
                    ? "--ignore-unknown ignores it"
                    : "did you mean \(near.joined(separator: ", "))? --ignore-unknown ignores it")
        }
        return layout
    }

    private func resolve(_ table: TableInfo) -> ([FieldAction?], unknown: String?) {
        let plan = json.plans.plan(table)
        var unknown: String?
        let layout = header.enumerated().map { fieldIndex, name -> FieldAction? in
            let bytes = Array(name.utf8)
            var index = bytes.withUnsafeBytes {
                plan.names.index(
                    of: ByteView($0.baseAddress!, count: $0.count), at: fieldIndex)
            }
            // Realm Studio identifiers occur in JSON only.
            if let found = index, plan.actions[found].kind.isOfStudio { index = nil }
            if index == nil, !json.ignoresUnknown, unknown == nil, !unnamed.contains(fieldIndex) {
                unknown = name
            }
            return index.map { plan.actions[$0] }
        }
        return (layout, unknown)
    }

    private func learned(
        _ table: TableInfo, _ reader: DelimitedReader
    ) throws(RecordError) -> [FieldAction?] {
        if let layout = layouts[table.key] { return layout }
        let (layout, unknown) = resolve(table)
        if let unknown, let column = header.firstIndex(of: unknown) {
            throw reader.mismatch(
                column, expected: "a property of \(table.className)", got: "an unknown one")
        }
        layouts[table.key] = layout
        return layout
    }
}

// MARK: - Structures

extension TableStage {
    /// Converts a field that contains one element of the collection property `info`.
    func element(
        _ info: ColumnInfo, _ reader: DelimitedReader, _ row: DelimitedRow, _ fieldIndex: Int
    ) throws(RecordError) -> StagedValue {
        guard info.type == .link || info.type == .mixed else {
            return .value(try reader.scalar(fieldIndex, as: info.type, isNullable: info.isNullable))
        }
        if row.isNull(fieldIndex) {
            guard info.isNullable else {
                throw reader.mismatch(fieldIndex, expected: info.type.name)
            }
            return .value(.null)
        }
        let text = row.text(fieldIndex)
        guard Self.mayBeJSON(text, info) else { return try single(text, info, reader, fieldIndex) }
        return try parsed(text, info, reader, fieldIndex, isElement: true)
    }

    @_optimize(speed)
    private func structure(
        _ plan: ClassPlan, _ column: Int, _ reader: DelimitedReader, _ row: DelimitedRow,
        _ fieldIndex: Int
    ) throws(RecordError) {
        let info = plan.table.columns[column]
        plan.take(try staged(info, reader, row, fieldIndex), column)
    }

    private func staged(
        _ info: ColumnInfo, _ reader: DelimitedReader, _ row: DelimitedRow, _ fieldIndex: Int
    ) throws(RecordError) -> StagedValue {
        let text = row.text(fieldIndex)
        // An empty field is an empty collection. In csv, a quoted empty field is a collection with
        // an empty element instead.
        let isEmpty =
            text.count == 0 && info.collection != nil && reader.dialect.escapes == .backslashes
        if row.isNull(fieldIndex) || isEmpty {
            switch info.collection {
            case .list, .set: return .list([])
            case .dictionary: return .dictionary([])
            case nil:
                guard info.isNullable else {
                    throw reader.mismatch(fieldIndex, expected: info.type.name)
                }
                return .value(.null)
            }
        }
        if Self.mayBeJSON(text, info) { return try parsed(text, info, reader, fieldIndex) }
        switch info.collection {
        case .list, .set: return .list(try joined(text, info, reader, fieldIndex))
        case .dictionary: throw reader.mismatch(fieldIndex, expected: "a dictionary as JSON")
        case nil: return try single(text, info, reader, fieldIndex)
        }
    }

    /// Whether the field may be JSON. A quoted string is JSON only in a mixed property.
    private static func mayBeJSON(_ text: ByteView, _ info: ColumnInfo) -> Bool {
        MixedText.mayBeJSON(text)
            && (text[0] != UInt8(ascii: "\"") || info.type == .mixed)
    }

    /// Converts a field that contains JSON.
    private func parsed(
        _ text: ByteView, _ info: ColumnInfo, _ reader: DelimitedReader, _ fieldIndex: Int,
        isElement: Bool = false
    ) throws(RecordError) -> StagedValue {
        let tape = tapes[fieldIndex] ?? JSONTape(reader.uuidOrder)
        tapes[fieldIndex] = tape
        let value: JSONValue
        do throws(RecordError) { value = try tape.parse(copying: text) } catch {
            if info.type == .mixed, isElement || info.collection == nil {
                return .value(.string(text))
            }
            throw reader.mismatch(fieldIndex, expected: error.expected, got: error.got)
        }
        do throws(ValueMismatch) {
            return try isElement ? json.element(value, info) : json.staged(value, info)
        } catch {
            throw reader.mismatch(fieldIndex, expected: error.expected, got: error.got)
        }
    }

    /// Converts a link, a scalar, or a mixed value that is not a collection.
    private func single(
        _ text: ByteView, _ info: ColumnInfo, _ reader: DelimitedReader, _ fieldIndex: Int
    ) throws(RecordError) -> StagedValue {
        if info.type == .mixed { return .value(reader.mixedValue(of: text)) }
        guard info.type == .link else {
            guard let value = reader.value(of: text, as: info.type) else {
                throw reader.mismatch(fieldIndex, expected: info.type.name)
            }
            return .value(value)
        }
        let target = json.plans.schema.table(info.target)!
        guard target.kind != .embedded else {
            throw reader.mismatch(fieldIndex, expected: "an embedded object as JSON")
        }
        let type = target.primaryKey.map { target.columns[$0].type } ?? .int
        guard let value = reader.value(of: text, as: type) else {
            throw reader.mismatch(fieldIndex, expected: "a link to \(target.className)")
        }
        if target.primaryKey == nil, case .int(let key) = value {
            guard key >= 0 else { throw reader.mismatch(fieldIndex, expected: "an object key") }
            return .reference(
                ObjectReference(table: target.key, name: .objectKey(ObjectKey(key))))
        }
        return .reference(ObjectReference(table: target.key, name: .primaryKey(value)))
    }

    /// Converts a collection whose elements are separated by semicolons.
    private func joined(
        _ text: ByteView, _ info: ColumnInfo, _ reader: DelimitedReader, _ fieldIndex: Int
    ) throws(RecordError) -> [StagedValue] {
        var elements: [StagedValue] = []
        var start = 0
        for end in 0...text.count where end == text.count || text[end] == UInt8(ascii: ";") {
            let part = ByteView(text.base + start, count: end - start)
            if part.count == 0, info.type != .string, info.isNullable {
                elements.append(.value(.null))
            } else {
                elements.append(try single(part, info, reader, fieldIndex))
            }
            start = end + 1
        }
        return elements
    }
}
