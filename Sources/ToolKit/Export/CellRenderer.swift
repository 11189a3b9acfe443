import RealmEngine
import RealmRecords

/// Renders a value as the text of a cell of csv, tsv or a table, or as a raw line. Confined to its
/// snapshot's thread.
///
/// Scalars are rendered as text. In csv and tsv the elements of lists and sets are joined.
/// Dictionaries and nested values are JSON.
final class CellRenderer {
    let json: JSONRenderer
    let cells: CellText
    let style: ValueStyle
    let snapshot: Snapshot
    /// Whether cells are fields of a line of csv or tsv.
    let isDelimited: Bool
    private let keepsBytes: Bool
    let arena = ScratchArena()
    /// Buffer for a cell that consists of several parts, such as the elements of a list. The whole
    /// text is then escaped at once.
    var scratch = ByteBuffer(capacity: 4096)
    let targets: LinkTargets

    init(_ json: JSONRenderer, _ records: RecordStyle) {
        self.json = json
        cells = CellText(records)
        isDelimited = records.form.cells.isDelimited
        keepsBytes = records.form.cells.keepsBytes
        style = json.style
        snapshot = json.snapshot
        targets = LinkTargets(snapshot)
    }

    func appendNull(to out: inout ByteBuffer) {
        out.append(cells.null)
        if cells.isNullChosen { style.countChosen() }
    }

    /// Appends the cell of `value`. With `--types extended`, values of mixed properties and
    /// collections are JSON that names their type.
    @inline(__always)
    func append(
        _ value: Value, _ context: JSONRenderer.ValueContext, isMixed: Bool,
        to out: inout ByteBuffer
    ) throws(RealmError) {
        if style.types == .extended, isMixed || value.isCollection {
            if case .null = value { return appendNull(to: &out) }
            return try appendJSON(value, context, to: &out)
        }
        if isMixed, isDelimited, try losesType(value, context) { style.countUntyped() }
        switch value {
        case .null: appendNull(to: &out)
        case .string(let text): appendText(text, to: &out)
        case .link(let link): try appendLink(link, value, context, to: &out)
        case .list(let view), .set(let view):
            // `realm-write` reads a list in a mixed property as a list only if it is JSON.
            if !isMixed, joins(view, context) {
                try appendJoined(view, value, context, to: &out)
            } else {
                try appendJSON(value, context, to: &out)
            }
        case .dictionary: try appendJSON(value, context, to: &out)
        default:
            let start = out.count
            appendScalar(value, to: &out)
            cells.quoteNull(from: start, in: &out)
        }
    }

    /// Appends, in one cell, the values at the end of a path that passes through lists or sets.
    func append(
        through value: Value, _ path: PathFollower, _ index: Int,
        _ context: JSONRenderer.ValueContext,
        to out: inout ByteBuffer
    ) throws(RealmError) {
        scratch.removeAll()
        if isDelimited, style.types == .plain {
            var isFirst = true
            try appendJoined(value, path, index, context, &isFirst)
        } else {
            try json.append(through: value, path, index, context, to: &scratch)
        }
        appendScratch(to: &out)
    }

    /// Appends stored text.
    ///
    /// Text that is not UTF-8 has three notations. Raw lines contain the bytes as stored. With
    /// `--types extended`, cells of csv and tsv contain `{"$string":{"base64":"…"}}`. In all other
    /// output, U+FFFD replaces the invalid bytes.
    func appendText(_ text: ByteView, to out: inout ByteBuffer) {
        // Raw lines print the bytes as stored.
        guard text.isUTF8 || keepsBytes else {
            scratch.removeAll()
            if style.types == .extended, isDelimited {
                scratch.append(spelledOut: text)
            } else {
                scratch.append(repairing: text)
                style.losses.countIllFormed()
            }
            return appendScratch(to: &out)
        }
        guard isDelimited, SpelledString.looksSpelled(text) else {
            return appendEscaped(text, to: &out)
        }
        appendSpelled(text, to: &out)
    }

    private func appendSpelled(_ text: ByteView, to out: inout ByteBuffer) {
        scratch.removeAll()
        scratch.append(spelled: text)
        appendScratch(to: &out)
    }

    func appendScratch(to out: inout ByteBuffer) {
        if scratch.count == 0 { return }
        appendEscaped(ByteView(scratch.bytes.baseAddress!, count: scratch.count), to: &out)
    }

    func appendJSON(
        _ value: Value, _ context: JSONRenderer.ValueContext, to out: inout ByteBuffer
    ) throws(RealmError) {
        scratch.removeAll()
        try json.append(value, context, to: &scratch)
        appendScratch(to: &out)
    }

    /// Appends text with the escapes of this format.
    @inline(__always)
    func appendEscaped(_ text: ByteView, to out: inout ByteBuffer) {
        cells.append(text, to: &out)
    }

    /// Appends a number, date or id, which never needs quotes.
    func appendScalar(_ value: Value, to out: inout ByteBuffer) {
        switch value {
        case .int(let number): out.append(number: number)
        case .bool(let flag): out.append(flag)
        case .float(let number): out.append(number: number)
        case .double(let number): out.append(number: number)
        case .decimal(let number): out.append(number: number)
        case .objectID(let id): out.append(id)
        case .uuid(let id): out.append(style.guid.converted(id))
        case .timestamp(let time):
            switch style.time {
            case .rfc3339: out.append(rfc3339: time)
            case .unix: out.append(unixSeconds: time)
            case .unixNanoseconds:
                out.append(unixNanoseconds: time)
                style.countChosen()
            }
        case .binary(let bytes):
            switch style.binary {
            // An empty value gets quotes to distinguish it from null.
            case _ where bytes.count == 0: appendEscaped(bytes, to: &out)
            case .base64: out.append(base64: bytes)
            case .hex:
                out.append(hex: bytes)
                style.countChosen()
            case .omit: appendNull(to: &out)
            }
        default: appendNull(to: &out)
        }
    }
}

// MARK: - Links and paths

extension CellRenderer {
    /// Appends a link as the primary key of its target, or as the object key if the class has no
    /// primary key. An expanded or embedded object is appended as JSON.
    private func appendLink(
        _ link: ObjectLink, _ value: Value, _ context: JSONRenderer.ValueContext,
        to out: inout ByteBuffer
    ) throws(RealmError) {
        let target = try targets[link.table]
        if target.isEmbedded || context.expansion != nil {
            return try appendJSON(value, context, to: &out)
        }
        if style.showsLostLinks, try target.isLost(link.key) {
            return try appendJSON(value, context, to: &out)
        }
        if target.cache.append(link.key, to: &out) { return }
        let start = out.count
        if let key = try target.primaryKey(link.key) {
            switch key {
            case .string(let text):
                // `realm-write` would read a primary key that looks like JSON as an object.
                if isDelimited, MixedText.mayBeJSON(text), text[0] != UInt8(ascii: "\"") {
                    appendSpelled(text, to: &out)
                } else {
                    appendText(text, to: &out)
                    // A lossy rendering is not cached, because each use must count the loss.
                    if !text.isUTF8 { return }
                }
            case .null:
                // `realm-write` would read a link to an object whose primary key is null as no
                // link.
                scratch.removeAll()
                scratch.append("{\"$link\":{\"table\":")
                scratch.append(json: target.table.info.className)
                scratch.append(",\"key\":null}}")
                appendScratch(to: &out)
            default: appendScalar(key, to: &out)
            }
        } else {
            out.append(number: link.key.raw)
        }
        target.cache.store(link.key, out, from: start)
    }

    /// Appends the elements of nested lists as one list.
    private func appendJoined(
        _ value: Value, _ path: PathFollower, _ index: Int, _ context: JSONRenderer.ValueContext,
        _ isFirst: inout Bool
    ) throws(RealmError) {
        guard case .list(let view) = value.asList else { return }
        var elements = snapshot.elements(of: view, walking: false)
        while let element = try elements.next() {
            var next = index
            let value = try path.follow(element, from: &next)
            if next < path.count {
                try appendJoined(value, path, next, context, &isFirst)
            } else {
                appendSeparator(&isFirst)
                try appendElement(value, context)
            }
        }
    }
}

extension Value {
    var isCollection: Bool {
        switch self {
        case .list, .set, .dictionary: true
        default: false
        }
    }

    /// A set as a list, since both are iterated in the same way. Other values are unchanged.
    var asList: Value {
        if case .set(let view) = self { return .list(view) }
        return self
    }
}
