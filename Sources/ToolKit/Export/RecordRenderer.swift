import RealmEngine

/// Renders the objects of one table as records. Each worker has a renderer for each `RecordPlan`,
/// confined to its thread.
package final class RecordRenderer: RecordContent {
    package let plan: RecordPlan
    package let scan: TableScan
    private let form: any RecordForm
    /// Constant texts before and after a record; nil if the output format has no such texts, like
    /// SQL and the text table.
    private let frame: RecordFrame?
    /// The output format, if it is SQL; otherwise nil.
    private let statements: SQLForm?
    private let json: JSONRenderer
    private let cells: CellRenderer
    private let snapshot: Snapshot
    private let names: ConstantBytes
    private let fields: [Field]
    private let fieldCount: Int
    /// For each field, the data for rendering it if it is of a frequent kind.
    private let quick: UnsafeMutablePointer<QuickField>
    private let explode: PathFollower?
    private let sql: SQLCells?
    /// Row of the current record's object in the leaf that `scan` has open.
    private var row = 0
    /// With `--explode`, the element of the collection for which the current record is printed.
    /// `elementKey` is its key in a dictionary, `elementIndex` its position in a list or set.
    private var element = Value.null
    private var elementKey = Value.null
    private var elementIndex: Int64 = 0
    /// Values of the current record for fields that are not properties (`FieldPath.Source.fact`).
    /// The caller sets them before each record.
    package var facts: [RecordFact] = []

    private struct Field {
        let name: ConstantBytes.Piece
        let source: FieldPath.Source
        let isMixed: Bool
        let expansion: Expansion?
        /// Follows the field's path after `source`; nil if the path ends at the source.
        let path: PathFollower?
    }

    /// Data for rendering frequent kinds of fields. `column` is an index in `plan.columns` if the
    /// value is a property of the object itself. It is -2 if the value is in `facts`, and -1 for
    /// other fields. A trivial type, so that reading it costs no reference counting.
    private struct QuickField {
        let name: ConstantBytes.Piece
        let column: Int
    }

    package init(
        _ plan: RecordPlan, _ snapshot: Snapshot, _ json: JSONRenderer, _ style: RecordStyle
    ) {
        self.plan = plan
        form = style.form.init(
            RecordFields(
                plan.fields.map(\.label), isNumber: plan.fields.map(\.isNumber),
                title: plan.namesClass ? plan.table.className : nil, sql: plan.sql), style)
        frame = form.frame
        statements = form as? SQLForm
        self.json = json
        self.snapshot = snapshot
        cells = CellRenderer(json, style)
        scan = snapshot.table(plan.table).scan(columns: plan.columns)
        names = ConstantBytes(plan.memberNames)
        let (names, targets) = (names, json.targets)
        fields = plan.fields.enumerated().map { position, field in
            Field(
                name: names[position], source: field.path.source, isMixed: field.isMixed,
                expansion: field.expansion,
                path: field.path.steps.isEmpty && field.path.function == nil
                    ? nil
                    : PathFollower(field.path.steps, targets, snapshot, field.path.function))
        }
        fieldCount = fields.count
        quick = .allocate(capacity: max(1, fields.count))
        let isPlain = json.style.types == .plain
        for (position, field) in fields.enumerated() {
            var column = -1
            // Values of mixed properties are rendered by the slow path, which counts losses.
            if isPlain, !field.isMixed, !(plan.sql?.isJSON(position) ?? false),
                field.path == nil, field.expansion == nil,
                case .column(let index) = field.source
            {
                column = index
            }
            if case .fact = field.source { column = -2 }
            (quick + position).initialize(to: QuickField(name: field.name, column: column))
        }
        explode = plan.explode.map { PathFollower($0.steps, targets, snapshot) }
        sql = plan.sql.map { SQLCells($0, style.dialect, json) }
    }

    deinit { quick.deallocate() }

    /// Renews the read budget of the snapshot. The next record may then read as many bytes as a
    /// walk over the whole table. The budget ends walks in cycles of damaged files.
    package func beginWalk() { snapshot.beginWalk() }

    package func begin(isFirst: Bool, to out: inout ByteBuffer) {
        form.begin(isFirst: isFirst, to: &out)
    }

    package func finish(to out: inout ByteBuffer) { form.finish(to: &out) }

    func endBatch(to out: inout ByteBuffer) { form.endBatch(to: &out) }

    /// Appends one record: the object in `row` of the leaf that `scan` has open.
    @inline(__always)
    package func append(
        _ row: Int, to out: inout ByteBuffer
    ) throws(RealmError) {
        if let frame {
            frame.begin(&out)
            if let separator = frame.separator {
                try appendCells(row, separator, to: &out)
            } else {
                try appendObject(row, to: &out)
            }
            return frame.end(&out)
        }
        if let statements { return try appendTuple(row, statements, to: &out) }
        self.row = row
        try form.append(self, to: &out)
    }

    /// Creates a buffer into which the integers of many objects can be read at once, before their
    /// records are rendered. Nil unless a record consists of one to four integer properties.
    func integerRecords() -> IntegerRecords? {
        guard frame != nil, 1...4 ~= fieldCount,
            (0..<fieldCount).allSatisfy({ quick[$0].column >= 0 })
        else { return nil }
        return IntegerRecords(scan)
    }

    /// Appends the record of an object whose properties are all integers.
    ///
    /// - Parameters:
    ///   - integers: the integers of the object, in the order of `plan.columns`. If `hasNulls` is
    ///     true, a further word has a bit for each column: 1 for null.
    @inline(__always)
    func append(
        _ integers: UnsafePointer<Int64>, hasNulls: Bool, to out: inout ByteBuffer
    ) throws(RealmError) {
        guard let frame else { return }
        frame.begin(&out)
        for position in 0..<fieldCount {
            let field = quick[position]
            let isNull =
                hasNulls && integers[plan.columns.count] >> Int64(field.column) & 1 != 0
            if let separator = frame.separator {
                if position > 0 { out.append(separator) }
                try cells.append(
                    isNull ? .null : .int(integers[field.column]), JSONRenderer.ValueContext(),
                    isMixed: false, to: &out)
                continue
            }
            out.append(field.name)
            if isNull { out.append("null") } else { out.append(number: integers[field.column]) }
        }
        if frame.separator == nil { out.append(UInt8(ascii: "}")) }
        frame.end(&out)
    }

    /// Renders the record of the object in `row`, without parts such as separators, which depend on
    /// the records printed before it.
    package func spool(_ row: Int, to record: inout ByteBuffer) throws(RealmError) {
        self.row = row
        try form.spool(self, to: &record)
    }

    /// Prints a record that `spool` rendered, with the separators and other parts that depend on
    /// the records printed before it.
    package func print(_ record: UnsafeRawBufferPointer, to out: inout ByteBuffer) {
        form.print(record, to: &out)
    }
}

// MARK: - Encodings

extension RecordRenderer {
    package func appendObject(to out: inout ByteBuffer) throws(RealmError) {
        try appendObject(row, to: &out)
    }

    package func appendCells(separator: UInt8, to out: inout ByteBuffer) throws(RealmError) {
        try appendCells(row, separator, to: &out)
    }

    package func appendSQL(to out: inout ByteBuffer) throws(RealmError) {
        if let sql { try appendValues(row, sql, to: &out) }
    }

    @_optimize(speed)
    private func appendCells(
        _ row: Int, _ separator: UInt8, to out: inout ByteBuffer
    ) throws(RealmError) {
        for position in 0..<fieldCount {
            if position > 0 { out.append(separator) }
            let column = quick[position].column
            if column >= 0 {
                let value = try scan.value(row: row, column: column)
                try cells.append(value, JSONRenderer.ValueContext(), isMixed: false, to: &out)
            } else {
                try appendCell(row, fields[position], to: &out)
            }
        }
    }

    package func forEachCell(_ body: (UnsafeRawBufferPointer) -> Void) throws(RealmError) {
        var cell = ByteBuffer(capacity: 256)
        for field in fields {
            cell.removeAll()
            try appendCell(row, field, to: &cell)
            body(cell.bytes)
        }
    }

    @_optimize(speed)
    private func appendTuple(
        _ row: Int, _ statements: SQLForm, to out: inout ByteBuffer
    ) throws(RealmError) {
        guard let sql else { return }
        statements.beginRow(to: &out)
        try appendValues(row, sql, to: &out)
        statements.endRow(to: &out)
    }

    @inline(__always)
    private func appendValues(
        _ row: Int, _ sql: SQLCells, to out: inout ByteBuffer
    ) throws(RealmError) {
        for position in 0..<fieldCount {
            if position > 0 { out.append(UInt8(ascii: ",")) }
            let column = quick[position].column
            if column >= 0 {
                try sql.append(try scan.value(row: row, column: column), to: &out)
            } else if case .owner(let part) = fields[position].source {
                try sql.appendOwner(part, of: scan.row(row), to: &out)
            } else {
                try sql.append(try source(row, fields[position]), column: position, to: &out)
            }
        }
    }
}

// MARK: - Fields

extension RecordRenderer {
    @inline(__always)
    private func appendObject(_ row: Int, to out: inout ByteBuffer) throws(RealmError) {
        for position in 0..<fieldCount {
            let field = quick[position]
            if field.column == -2 {
                appendFact(position, to: &out)
                continue
            }
            out.append(field.name)
            if field.column >= 0 {
                try appendPlain(try scan.value(row: row, column: field.column), to: &out)
            } else {
                try appendMember(row, fields[position], to: &out)
            }
        }
        if fieldCount == 0 { out.append(names[0]) }
        out.append(UInt8(ascii: "}"))
    }

    /// Appends a value. Renders frequent types inline, and other types through `json`.
    @inline(__always)
    private func appendPlain(_ value: Value, to out: inout ByteBuffer) throws(RealmError) {
        switch value {
        case .null: out.append("null")
        case .int(let number): out.append(number: number)
        case .bool(true): out.append("true")
        case .bool(false): out.append("false")
        case .string(let text): json.appendString(text, to: &out)
        case .list(let view) where view.root.isNone: out.append("[]")
        default: try json.append(value, JSONRenderer.ValueContext(), to: &out)
        }
    }

    private func appendMember(
        _ row: Int, _ field: Field, to out: inout ByteBuffer
    ) throws(RealmError) {
        json.beginField()
        if case .backlinks(let index) = field.source {
            return try appendBacklinks(row, index, field, to: &out)
        }
        if case .provenance(.values) = field.source { return appendOffsets(to: &out) }
        var index = 0
        var value = try source(row, field)
        if let path = field.path {
            value = try path.follow(value, from: &index)
            if index < path.count {
                let context = JSONRenderer.ValueContext(
                    expansion: field.expansion, isWalking: false)
                return try json.append(through: value, path, index, context, to: &out)
            }
        }
        try json.append(value, context(field), to: &out)
    }

    private func appendCell(
        _ row: Int, _ field: Field, to out: inout ByteBuffer
    ) throws(RealmError) {
        json.beginField()
        if case .fact(let index) = field.source { return appendFactCell(index, to: &out) }
        if case .provenance(.values) = field.source {
            var object = ByteBuffer(capacity: 256)
            appendOffsets(to: &object)
            cells.appendEscaped(object.view, to: &out)
            return
        }
        if case .backlinks(let index) = field.source {
            var array = ByteBuffer(capacity: 256)
            try appendBacklinks(row, index, field, to: &array)
            cells.appendEscaped(array.view, to: &out)
            return
        }
        var index = 0
        var value = try source(row, field)
        if let path = field.path {
            value = try path.follow(value, from: &index)
            if index < path.count {
                return try cells.append(through: value, path, index, context(field), to: &out)
            }
        }
        try cells.append(value, context(field), isMixed: field.isMixed, to: &out)
    }

    private func context(_ field: Field) -> JSONRenderer.ValueContext {
        guard field.path == nil, case .column = field.source else {
            return JSONRenderer.ValueContext(
                expansion: field.expansion, isWalking: false, isMixed: field.isMixed)
        }
        return JSONRenderer.ValueContext(expansion: field.expansion, isMixed: field.isMixed)
    }

    private func source(_ row: Int, _ field: Field) throws(RealmError) -> Value {
        try source(row, field.source)
    }

    private func source(_ row: Int, _ source: FieldPath.Source) throws(RealmError) -> Value {
        switch source {
        case .column(let column): try scan.value(row: row, column: column)
        case .key: .int(scan.key(row).raw)
        case .element: element
        case .elementKey: elementKey
        case .elementIndex: .int(elementIndex)
        case .provenance(.offset): .int(Int64(clamping: scan.leafOffset))
        case .provenance(.row): .int(Int64(row))
        case .backlinks, .owner, .fact, .provenance(.values): .null
        }
    }

    /// Appends an array of the objects that link to this object.
    private func appendBacklinks(
        _ row: Int, _ index: Int, _ field: Field, to out: inout ByteBuffer
    ) throws(RealmError) {
        let info = plan.table.backlinks[index]
        var origins = try scan.row(row).backlinks(info)
        let context = JSONRenderer.ValueContext(
            expansion: field.expansion, depth: 1, isWalking: false)
        out.append("[")
        let start = out.count
        while let key = try origins.next() {
            if out.count > start { out.append(",") }
            let link = Value.link(ObjectLink(table: info.origin, key: key))
            var next = 0
            let value = try field.path?.follow(link, from: &next) ?? link
            if let path = field.path, next < path.count {
                try json.append(through: value, path, next, context, to: &out)
            } else {
                try json.append(value, context, to: &out)
            }
        }
        out.append("]")
    }
}

// MARK: - Facts

extension RecordRenderer {
    private func fact(_ index: Int) -> RecordFact {
        facts.indices.contains(index) ? facts[index] : .none
    }

    /// Appends a member whose value is in `facts`. Appends nothing if that value is `.none`.
    private func appendFact(_ position: Int, to out: inout ByteBuffer) {
        guard case .fact(let index) = fields[position].source else { return }
        let fact = fact(index)
        if case .none = fact { return }
        out.append(fields[position].name)
        fact.appendJSON(to: &out)
    }

    private func appendFactCell(_ index: Int, to out: inout ByteBuffer) {
        var text = ByteBuffer(capacity: 256)
        switch fact(index) {
        case .none, .unknown: return cells.appendNull(to: &out)
        case .text(let name): text.append(Array(name.utf8))
        case .names(let names):
            for (position, name) in names.enumerated() {
                if position > 0 { text.append(json.style.join) }
                text.append(Array(name.utf8))
            }
        case .number, .range: fact(index).appendJSON(to: &text)
        }
        if text.count > 0 { cells.appendEscaped(text.view, to: &out) }
    }

    /// Appends the offsets of the leaves with the record's properties: `{"name":4096,...}`.
    private func appendOffsets(to out: inout ByteBuffer) {
        out.append("{")
        let start = out.count
        for (position, column) in plan.columns.enumerated() {
            guard let offset = scan.columnOffset(position) else { continue }
            if out.count > start { out.append(",") }
            out.append(json: plan.table.columns[column].name)
            out.append(":")
            out.append(number: Int64(clamping: offset))
        }
        out.append("}")
    }
}

extension RecordFact {
    fileprivate func appendJSON(to out: inout ByteBuffer) {
        switch self {
        case .none, .unknown: out.append("null")
        case .number(let number): out.append(number: number)
        case .text(let text): out.append(json: text)
        case .names(let names):
            out.append("[")
            for (position, name) in names.enumerated() {
                if position > 0 { out.append(",") }
                out.append(json: name)
            }
            out.append("]")
        case .range(let range):
            out.append("[")
            out.append(number: Int64(clamping: range.lowerBound))
            out.append(",")
            out.append(number: Int64(clamping: range.upperBound))
            out.append("]")
        }
    }
}

extension ByteBuffer {
    /// The content as a view; the buffer must not be empty.
    fileprivate var view: ByteView { ByteView(bytes.baseAddress!, count: count) }
}

// MARK: - Exploding

extension RecordRenderer {
    /// Calls `body` for each element of the collection that `--explode` names, in the object in
    /// `row`. Stops when `body` returns true.
    func explode(
        _ row: Int, _ body: () throws(RealmError) -> Bool
    ) throws(RealmError) {
        guard let path = explode, let source = plan.explode?.source else { return }
        var index = 0
        let value = try path.follow(try self.source(row, source), from: &index)
        // The path ends early at a list that has no elements.
        if index < path.count { return }
        switch value {
        case .list(let view), .set(let view):
            var elements = snapshot.elements(of: view)
            elementIndex = -1
            while let next = try elements.next() {
                element = next
                elementIndex += 1
                if try body() { return }
            }
        case .dictionary(let view):
            var entries = try snapshot.entries(of: view)
            while let (key, next) = try entries.next() {
                (elementKey, element) = (key, next)
                if try body() { return }
            }
        default: return
        }
    }
}

extension RecordPlan {
    /// Constant parts of a JSON record, before each value. A record without fields has a single
    /// part: the record without its closing brace.
    fileprivate var memberNames: [[UInt8]] {
        var opening = Array("{".utf8)
        for (name, text) in firstMembers {
            var member = ByteBuffer(capacity: 64)
            if opening.count > 1 { member.append(",") }
            member.append(json: name)
            member.append(":")
            member.append(json: text)
            opening += member.bytes
        }
        let isOpen = opening.count > 1
        if fields.isEmpty { return [opening] }
        return fields.enumerated().map { position, field in
            if position > 0 { return MemberNames.rendered(field.label, prefix: ",") }
            return opening + MemberNames.rendered(field.label, prefix: isOpen ? "," : "")
        }
    }
}
