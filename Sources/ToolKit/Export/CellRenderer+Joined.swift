import RealmEngine

/// Lists and sets in one cell of csv or tsv, their elements joined by a separator.
extension CellRenderer {
    /// Objects are not joined: their JSON is more use as an array.
    func joins(_ view: CollectionView, _ place: JSONRenderer.Place) -> Bool {
        guard isDelimited else { return false }
        guard view.element.type == .link else { return true }
        return place.expansion == nil
            && snapshot.schema.table(view.element.target)?.kind != .embedded
    }

    /// The elements of `value`, which `view` shows; as JSON where joined they could not be read.
    func appendJoined(
        _ view: CollectionView, _ value: Value, _ place: JSONRenderer.Place,
        to out: inout ByteBuffer
    ) throws(RealmError) {
        scratch.removeAll()
        var elements = snapshot.elements(of: view, walking: place.isWalking)
        var count = 0
        var isSound = true
        while let element = try elements.next() {
            if try isNameless(element) { return try appendJSON(value, place, to: &out) }
            if count > 0 { scratch.append(style.join) }
            count += 1
            let start = scratch.count
            try appendElement(element, place)
            if isSound { isSound = try self.isSound(element, from: start, view.element, place) }
        }
        if count == 0 { return }
        if scratch.count == 0 {
            // One element without text: quotes tell it from none in csv.
            if cells.escape == .backslashes { return try appendJSON(value, place, to: &out) }
            out.append("\"\"")
        }
        let isSeparated = count == 1 || style.join == [Self.separator]
        if !isSound || !isSeparated || looksLikeJSON(view.element.type) { style.noteJoined() }
        appendScratch(to: &out)
    }

    /// Byte that `realm-write` expects between elements.
    private static let separator = UInt8(ascii: ";")

    /// A link whose target has null for its key is named by JSON alone.
    private func isNameless(_ element: Value) throws(RealmError) -> Bool {
        guard case .link(let link) = element, !style.showsLostLinks else { return false }
        if case .null? = try targets[link.table].primaryKey(link.key) { return true }
        return false
    }

    /// Whether the whole cell would be taken for JSON.
    private func looksLikeJSON(_ type: ColumnType) -> Bool {
        guard let first = scratch.bytes.first else { return false }
        return first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
            || (first == UInt8(ascii: "\"") && type == .mixed)
    }

    /// Whether what was joined last would be read as the same element.
    private func isSound(
        _ element: Value, from start: Int, _ type: ElementType, _ place: JSONRenderer.Place
    ) throws(RealmError) -> Bool {
        let text = UnsafeRawBufferPointer(rebasing: scratch.bytes[start...])
        if text.count == 0 {
            if case .null = element { return type.type != .string }
            return type.type == .string || !type.isNullable
        }
        if text.contains(Self.separator) { return false }
        if type.type == .mixed {
            if element.isCollection { return false }
            return try !losesType(element, place)
        }
        return !SpelledString.looksSpelled(ByteView(text.baseAddress!, count: text.count))
    }

    func appendSeparator(_ isFirst: inout Bool) {
        if !isFirst { scratch.append(style.join) }
        isFirst = false
    }

    /// Text between separators.
    private func appendPart(_ text: ByteView) {
        if text.isUTF8 { return scratch.append(text) }
        style.losses.noteIllFormed()
        scratch.append(repairing: text)
    }

    /// One element, unescaped; the whole cell is escaped later.
    func appendElement(_ value: Value, _ place: JSONRenderer.Place) throws(RealmError) {
        switch value {
        case .null: if cells.isNullGiven { appendNull(to: &scratch) }
        case .string(let text): appendPart(text)
        case .binary(let bytes) where bytes.count == 0: return
        case .list, .set, .dictionary:
            try json.append(value, place.inside(place.expansion, .mixed), to: &scratch)
        case .link(let link):
            let target = try targets[link.table]
            let isLost = style.showsLostLinks ? try target.isLost(link.key) : false
            if target.isEmbedded || isLost || place.expansion != nil {
                try json.append(value, place.inside(place.expansion), to: &scratch)
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
    /// Whether the cell of a value in a mixed property would be read as another value. What is in
    /// collections is counted where their JSON is made.
    func losesType(_ value: Value, _ place: JSONRenderer.Place) throws(RealmError) -> Bool {
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
            if target.isEmbedded || place.expansion != nil { return false }
            return try !isNameless(value)
        case .float, .binary, .timestamp, .decimal, .objectID, .uuid: return true
        }
    }

    private func losesType(_ text: ByteView) -> Bool {
        // A string that is not UTF-8 has a count of its own.
        if !text.isUTF8 || SpelledString.looksSpelled(text) { return false }
        if MixedText.mayBeJSON(text) { return (try? JSONTape().parse(copying: text)) != nil }
        if case .string = MixedText.value(text, in: arena) { return false }
        return true
    }
}
