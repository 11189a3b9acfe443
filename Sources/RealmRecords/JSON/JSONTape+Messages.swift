import RealmEngine

/// Paths and phrases for error messages. Computed only after a failure.
extension JSONTape {
    /// Creates the error for a syntax error in the record that was parsed last. `end` is the size
    /// of the record in bytes.
    func describe(
        _ fault: JSONFault, end: Int, record: Int, position: TextPosition, endsInput: Bool = false
    ) -> RecordError {
        var expected = fault.kind.expectation
        var got = Self.summary(of: bytes, at: fault.offset, end: end)
        var path = openPath()
        switch fault.kind {
        case .control where fault.offset >= end: expected = "a closing quote"
        case .loneSurrogate: got = "the second half of a surrogate pair alone"
        case .depth:
            expected = "at most \(depthLimit) levels of nesting"
            got = "more"
        case .duplicate:
            got = "the same name again"
            path = repeatedPath(fault, path)
        default: break
        }
        return RecordError(
            fault.kind.code, record: record, position: position,
            property: path.isEmpty ? nil : path, expected: expected, got: got,
            endsInput: endsInput)
    }

    /// Returns the path of a token, such as `tags[3].name`; nil for the root.
    package func path(to index: Int) -> String? {
        var path = ""
        var container = 0
        while container < index {
            let isObject = tokens[container].kind == .object
            var child = container + 1
            var place = 0
            while child + Int(tokens[child].next) <= index {
                child += Int(tokens[child].next)
                place += 1
            }
            append(child, isObject: isObject, place: place, to: &path)
            container = child
        }
        return path.isEmpty ? nil : path
    }

    /// Returns the path in the record at which the parser stopped, such as `tags[3].name`.
    private func openPath() -> String {
        var path = ""
        for level in 1..<max(1, stopped.depth) {
            let parent = frames[level]
            let child = level + 1 < stopped.depth ? frames[level + 1] : stopped.frame
            append(
                Int(child.token), isObject: parent.isObject, place: Int(parent.count), to: &path)
        }
        if stopped.depth > 0 && stopped.isReadingValue {
            let frame = stopped.frame
            append(count, isObject: frame.isObject, place: Int(frame.count), to: &path)
        }
        return path
    }

    private func append(_ token: Int, isObject: Bool, place: Int, to path: inout String) {
        if isObject {
            if !path.isEmpty { path += "." }
            path += key(of: tokens + token).excerpt(of: 200)
        } else {
            path += "[\(place)]"
        }
    }

    /// Returns the path of a field whose name occurs twice in its object.
    ///
    /// - Parameters:
    ///   - fault: error with an offset in the second field. The first 32 names of an object are
    ///     compared as soon as they are parsed. The field then has no token, so the offset is the
    ///     quotation mark before the name, which is scanned again. Larger objects are compared at
    ///     their end, and the offset is the offset of the field's token.
    ///   - path: path of the object; empty for the record itself.
    private func repeatedPath(_ fault: JSONFault, _ path: String) -> String {
        let prefix = path.isEmpty ? "" : path + "."
        for index in 0..<count where Int(tokens[index].offset) == fault.offset {
            return prefix + key(of: tokens + index).excerpt(of: 200)
        }
        var flags: UInt8 = 0
        let start = fault.offset + 1
        guard let end = try? JSONScan.string(bytes, start, &flags) else { return path }
        let out = scratch.allocate(end - start)
        let length = JSONEscapes.unescape(bytes + start, end - start, to: out)
        return prefix + ByteView(out, count: length).excerpt(of: 200)
    }

    /// Describes the text at an offset, for a message: a character, a word, a byte, or the end.
    package static func summary(of p: UnsafePointer<UInt8>, at offset: Int, end: Int) -> String {
        guard offset < end else { return "the end" }
        let first = p[offset]
        if first >= 0x80 {
            if let after = try? JSONScan.sequence(p, offset), after <= end {
                return "'" + ByteView(p + offset, count: after - offset).string + "'"
            }
            return "byte 0x" + String(first, radix: 16, uppercase: true)
        }
        if first < 0x20 || first == 0x7F {
            return "byte 0x" + (first < 16 ? "0" : "") + String(first, radix: 16, uppercase: true)
        }
        var length = 1
        if first.isWordByte {
            while length < 16, offset + length < end, p[offset + length].isWordByte { length += 1 }
        }
        return "'" + ByteView(p + offset, count: length).string + "'"
    }
}

extension JSONValue {
    /// Describes the value, for a message: its kind and its shortened text.
    package var summary: String {
        switch kind {
        case .null: "null"
        case .bool, .int, .number: text.excerpt(of: 40)
        case .string: "string \"\(text.excerpt(of: 40))\""
        case .array: source.count <= 60 ? "array \(source.string)" : "an array"
        case .object: source.count <= 60 ? "object \(source.string)" : "an object"
        }
    }

    /// Offset of the value in the record. The offset of a string is its opening quotation mark.
    var sourceOffset: Int { Int(token.pointee.offset) - (kind == .string ? 1 : 0) }
}

extension ByteView {
    /// The text, cut at a character boundary after at most `limit` bytes.
    package func excerpt(of limit: Int) -> String {
        guard count > limit else { return string }
        var end = limit
        while end > 0 && self[end] & 0xC0 == 0x80 { end -= 1 }
        return ByteView(base, count: end).string + "…"
    }
}

extension UInt8 {
    fileprivate var isWordByte: Bool {
        let letter = self | 0x20
        return (letter >= 0x61 && letter <= 0x7A) || (self >= 0x30 && self <= 0x39)
    }
}

extension JSONFault.Kind {
    fileprivate var code: RecordError.Code {
        switch self {
        case .utf8, .loneSurrogate, .lowSurrogate: .invalidText
        case .depth: .limitExceeded
        case .duplicate: .duplicateProperty
        default: .invalidJSON
        }
    }

    fileprivate var expectation: String {
        switch self {
        case .value: "a value"
        case .fieldName: "a field name in quotes"
        case .fieldNameOrEnd: "a field name in quotes or '}'"
        case .colon: "':'"
        case .commaOrObjectEnd: "',' or '}'"
        case .commaOrArrayEnd: "',' or ']'"
        case .digit: "a digit"
        case .digitAfterZero: "no digit after a leading zero"
        case .escape: "one of \" \\ / b f n r t u after the backslash"
        case .hexDigit: "four hexadecimal digits"
        case .lowSurrogate: "the second half of a surrogate pair"
        case .loneSurrogate: "a character"
        case .control: "control characters to be escaped"
        case .utf8: "UTF-8"
        case .depth: "less nesting"
        case .duplicate: "each name once"
        case .recordEnd: "nothing after the value"
        }
    }
}
