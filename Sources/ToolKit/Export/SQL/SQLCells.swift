import RealmEngine

/// Writes values as SQL. Confined to its snapshot's thread.
final class SQLCells {
    private let dialect: SQLDialect
    private let texts: SQLText
    private let json: JSONRenderer
    private let targets: LinkTargets
    private let kinds: [SQLKind]
    private let areMixed: [Bool]
    private var scratch = ByteBuffer(capacity: 4096)

    init(_ table: SQLTable, _ dialect: SQLDialect, _ json: JSONRenderer) {
        self.dialect = dialect
        texts = SQLText(dialect)
        self.json = json
        targets = LinkTargets(json.snapshot)
        kinds = table.columns.map(\.kind)
        areMixed = table.columns.map(\.isMixed)
    }
}

// MARK: - Values

extension SQLCells {
    /// Appends a value in the SQL type of its column.
    @inline(__always)
    func append(_ value: Value, to out: inout ByteBuffer) throws(RealmError) {
        switch value {
        case .null: out.append("NULL")
        case .int(let number): out.append(number: number)
        case .bool(let flag): out.append(flag)
        case .string(let text): texts.append(text, to: &out)
        case .link(let link): try appendLink(link, to: &out)
        default: try appendOther(value, to: &out)
        }
    }

    /// Appends a value of the column with this index.
    func append(
        _ value: Value, column: Int, to out: inout ByteBuffer
    ) throws(RealmError) {
        if kinds[column] == .json {
            try appendJSON(value, column, to: &out)
        } else {
            try append(value, to: &out)
        }
    }

    /// Appends a value of any type, or an embedded object, as JSON text.
    private func appendJSON(
        _ value: Value, _ column: Int, to out: inout ByteBuffer
    ) throws(RealmError) {
        if case .null = value { return out.append("NULL") }
        json.beginField()
        scratch.removeAll()
        let context = JSONRenderer.ValueContext(isWalking: false, isMixed: areMixed[column])
        try json.append(value, context, to: &scratch)
        appendScratch(to: &out)
    }

    private func appendOther(_ value: Value, to out: inout ByteBuffer) throws(RealmError) {
        switch value {
        case .float(let number):
            appendNumber(number.isNaN, Double(number), to: &out) { $0.append(number: number) }
        case .double(let number):
            appendNumber(number.isNaN, number, to: &out) { $0.append(number: number) }
        case .binary(let bytes): appendBytes(bytes, to: &out)
        case .timestamp(let time): out.appendInMarks { $0.append(rfc3339: time) }
        case .decimal(let number): out.appendInMarks { $0.append(number: number) }
        case .objectID(let id): out.appendInMarks { $0.append(id) }
        case .uuid(let id): out.appendInMarks { $0.append(json.style.guid.converted(id)) }
        case .list, .set, .dictionary:
            scratch.removeAll()
            json.beginField()
            try json.append(value, JSONRenderer.ValueContext(isWalking: false), to: &scratch)
            appendScratch(to: &out)
        default: out.append("NULL")
        }
    }

    /// Appends a floating-point number. It is written in quotation marks, because PostgreSQL and
    /// DuckDB then parse it as the column's type. Unquoted they parse it as a decimal number first,
    /// which is slower, and inexact in one of them. SQLite has no NaN and stores its text.
    private func appendNumber(
        _ isNaN: Bool, _ number: Double, to out: inout ByteBuffer,
        _ text: (inout ByteBuffer) -> Void
    ) {
        guard dialect == .sqlite, !isNaN else { return out.appendInMarks(text) }
        if number.isInfinite { return out.append(number < 0 ? "-9e999" : "9e999") }
        text(&out)
    }

    private func appendBytes(_ bytes: ByteView, to out: inout ByteBuffer) {
        switch dialect {
        case .sqlite: out.append("X'")
        case .postgres: out.append("'\\x")
        case .duckdb: out.append("from_hex('")
        }
        out.append(hex: bytes)
        out.append(dialect == .duckdb ? "')" : "'")
    }

    private func appendScratch(to out: inout ByteBuffer) {
        texts.append(
            ByteView(scratch.bytes.baseAddress!, count: scratch.count), isJSON: true, to: &out)
    }
}

extension ByteBuffer {
    /// Appends the output of `content` as an SQL string. The output must contain no quotation
    /// marks.
    @inline(__always)
    fileprivate mutating func appendInMarks(_ content: (inout ByteBuffer) -> Void) {
        append(UInt8(ascii: "'"))
        content(&self)
        append(UInt8(ascii: "'"))
    }
}

// MARK: - Links

extension SQLCells {
    private func appendLink(_ link: ObjectLink, to out: inout ByteBuffer) throws(RealmError) {
        let target = try targets[link.table]
        if target.table.info.sqlKey == nil { return out.append(number: link.key.raw) }
        if target.cache.append(link.key, to: &out) { return }
        let start = out.count
        try append(try target.primaryKey(link.key) ?? .null, to: &out)
        target.cache.store(link.key, out, from: start)
    }

    /// Appends the class, property or key of the object that contains an embedded object.
    func appendOwner(_ part: OwnerPart, of row: Row, to out: inout ByteBuffer) throws(RealmError) {
        for backlink in row.table.info.backlinks {
            var origins = try row.backlinks(backlink)
            guard let key = try origins.next(),
                let origin = json.snapshot.schema.table(backlink.origin)
            else { continue }
            switch part {
            case .className: append(name: origin.className, to: &out)
            case .property:
                let column = origin.columns.first { $0.key == backlink.originColumn }
                append(name: column?.name ?? "", to: &out)
            case .key:
                try appendKeyText(ObjectLink(table: backlink.origin, key: key), to: &out)
            }
            return
        }
        out.append("NULL")
    }

    /// Appends the key of an object as text, because the column contains keys of several types.
    private func appendKeyText(_ link: ObjectLink, to out: inout ByteBuffer) throws(RealmError) {
        let target = try targets[link.table]
        var key = Value.int(link.key.raw)
        if target.table.info.sqlKey != nil { key = try target.primaryKey(link.key) ?? .null }
        guard case .int(let number) = key else { return try append(key, to: &out) }
        out.appendInMarks { $0.append(number: number) }
    }

    private func append(name: String, to out: inout ByteBuffer) {
        var name = name
        name.withUTF8 { utf8 in
            guard let base = utf8.baseAddress else { return out.append("''") }
            texts.append(ByteView(base, count: utf8.count), isJSON: true, to: &out)
        }
    }
}
