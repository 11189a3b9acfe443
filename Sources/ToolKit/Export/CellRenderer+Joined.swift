import RealmEngine
import RealmRecords

/// Renders lists and sets in one cell of csv or tsv: their elements, joined by a separator.
extension CellRenderer {
    /// Whether a list or set becomes one text such as `a;b;c`. A list of embedded or expanded
    /// objects becomes a JSON array instead.
    func joins(_ view: CollectionView, _ context: JSONRenderer.ValueContext) -> Bool {
        guard isDelimited else { return false }
        guard view.element.type == .link else { return true }
        return context.expansion == nil
            && snapshot.schema.table(view.element.target)?.kind != .embedded
    }

    /// Appends the elements of a list or set as one text such as `a;b;c`. Appends JSON instead if
    /// `realm-write` could not read the text back.
    ///
    /// - Parameters:
    ///   - view: the list or set.
    ///   - value: the same list or set as a value.
    func appendJoined(
        _ view: CollectionView, _ value: Value, _ context: JSONRenderer.ValueContext,
        to out: inout ByteBuffer
    ) throws(RealmError) {
        scratch.removeAll()
        var elements = snapshot.elements(of: view, walking: context.isWalking)
        var count = 0
        var isSound = true
        while let element = try elements.next() {
            if try isNameless(element) { return try appendJSON(value, context, to: &out) }
            if count > 0 { scratch.append(style.join) }
            count += 1
            let start = scratch.count
            try appendElement(element, context)
            if isSound { isSound = try self.isSound(element, from: start, view.element, context) }
        }
        if count == 0 { return }
        if scratch.count == 0 {
            // For a single empty element, csv has quotation marks to distinguish it from an empty
            // list; tsv has only JSON.
            if cells.escape == .backslashes { return try appendJSON(value, context, to: &out) }
            out.append("\"\"")
        }
        let isSeparated = count == 1 || style.join == [Self.separator]
        if !isSound || !isSeparated || looksLikeJSON(view.element.type) { style.countJoined() }
        appendScratch(to: &out)
    }

    /// Separator that `realm-write` expects between elements.
    private static let separator = UInt8(ascii: ";")

    /// Whether an element is a link to an object whose primary key is null. Only JSON can express
    /// such a link.
    private func isNameless(_ element: Value) throws(RealmError) -> Bool {
        guard case .link(let link) = element, !style.showsLostLinks else { return false }
        if case .null? = try targets[link.table].primaryKey(link.key) { return true }
        return false
    }

    /// Whether `realm-write` would read the cell in `scratch` as JSON, and not as elements
    /// such as `a;b;c`.
    private func looksLikeJSON(_ type: ColumnType) -> Bool {
        guard let first = scratch.bytes.first else { return false }
        return first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
            || (first == UInt8(ascii: "\"") && type == .mixed)
    }

    /// Whether `realm-write` would read an element as the same value. The text of the element is in
    /// `scratch`, from `start` on.
    private func isSound(
        _ element: Value, from start: Int, _ type: ElementType, _ context: JSONRenderer.ValueContext
    ) throws(RealmError) -> Bool {
        let text = UnsafeRawBufferPointer(rebasing: scratch.bytes[start...])
        if text.count == 0 {
            if case .null = element { return type.type != .string }
            return type.type == .string || !type.isNullable
        }
        if text.contains(Self.separator) { return false }
        if type.type == .mixed {
            if element.isCollection { return false }
            return try !losesType(element, context)
        }
        return !SpelledString.looksSpelled(ByteView(text.baseAddress!, count: text.count))
    }

    func appendSeparator(_ isFirst: inout Bool) {
        if !isFirst { scratch.append(style.join) }
        isFirst = false
    }

    /// Appends text of an element. U+FFFD replaces bytes that are not UTF-8, and the text is
    /// counted as a loss.
    private func appendPart(_ text: ByteView) {
        if text.isUTF8 { return scratch.append(text) }
        style.losses.countIllFormed()
        scratch.append(repairing: text)
    }

    /// Appends one element without escapes; the cell is escaped later as a whole.
    func appendElement(_ value: Value, _ context: JSONRenderer.ValueContext) throws(RealmError) {
        switch value {
        case .null: if cells.isNullGiven { appendNull(to: &scratch) }
        case .string(let text): appendPart(text)
        case .binary(let bytes) where bytes.count == 0: return
        case .list, .set, .dictionary:
            try json.append(value, context.inside(context.expansion, .mixed), to: &scratch)
        case .link(let link):
            let target = try targets[link.table]
            let isLost = style.showsLostLinks ? try target.isLost(link.key) : false
            if target.isEmbedded || isLost || context.expansion != nil {
                try json.append(value, context.inside(context.expansion), to: &scratch)
            } else if let key = try target.primaryKey(link.key) {
                if case .string(let text) = key {
                    appendPart(text)
                } else {
                    appendScalar(key, to: &scratch)
                }
            } else {
                scratch.append(number: link.key.raw)
            }
        default: appendScalar(value, to: &scratch)
        }
    }
}

// MARK: - Mixed values

extension CellRenderer {
    /// Whether `realm-write` would read this cell of a mixed property as a value other than
    /// `value`. An example is the string `1`, which would become an integer.
    ///
    /// Elements of collections are counted elsewhere, when their JSON is rendered.
    func losesType(_ value: Value, _ context: JSONRenderer.ValueContext) throws(RealmError) -> Bool
    {
        switch value {
        case .null, .int, .bool, .list, .set, .dictionary: return false
        case .string(let text): return losesType(text)
        case .double(let number):
            var text = ByteBuffer(capacity: 64)
            text.append(number: number)
            let view = ByteView(text.bytes.baseAddress!, count: text.count)
            guard case .double(let read) = MixedText.value(view, in: arena) else { return true }
            return read.bitPattern != number.bitPattern
        case .link(let link):
            let target = try targets[link.table]
            if target.isEmbedded || context.expansion != nil { return false }
            return try !isNameless(value)
        case .float, .binary, .timestamp, .decimal, .objectID, .uuid: return true
        }
    }

    private func losesType(_ text: ByteView) -> Bool {
        // Strings that are not UTF-8 are counted as another kind of loss.
        if !text.isUTF8 || SpelledString.looksSpelled(text) { return false }
        if MixedText.mayBeJSON(text) { return (try? JSONTape().parse(copying: text)) != nil }
        if case .string = MixedText.value(text, in: arena) { return false }
        return true
    }
}
