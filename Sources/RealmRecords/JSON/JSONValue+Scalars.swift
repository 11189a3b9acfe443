import RealmEngine

/// Error for a value that its property cannot contain. The reader converts it to a `RecordError`.
/// Valid until the next record is read, like `value`, and confined to the reader's thread.
package struct ValueMismatch: Error, @unchecked Sendable {
    package let value: JSONValue
    package let code: RecordError.Code
    package let expected: String
    package let got: String

    @inline(never)
    package init(
        _ value: JSONValue, _ code: RecordError.Code = .typeMismatch, expected: String,
        got: String? = nil
    ) {
        self.value = value
        self.code = code
        self.expected = expected
        self.got = got ?? value.summary
    }
}

/// Converts values to the types of properties, from plain or extended form (realm-tools(7),
/// VALUES).
extension JSONValue {
    /// Converts the value for a property of a scalar type. A string or binary in the result refers
    /// to memory that is valid until the next record is read.
    @inline(__always)
    package func scalar(_ type: ColumnType, isNullable: Bool) throws(ValueMismatch) -> Value {
        switch (type, kind) {
        case (.int, .int): return .int(Int64(bitPattern: token.pointee.payload))
        case (.string, .string): return .string(text)
        case (.bool, .bool): return .bool(token.pointee.payload != 0)
        case (.double, .int): return .double(Double(Int64(bitPattern: token.pointee.payload)))
        case (_, .null) where isNullable: return .null
        default:
            guard let value = unusualScalar(type) else {
                throw ValueMismatch(self, expected: ScalarText.form(type))
            }
            return value
        }
    }

    @inline(never)
    private func unusualScalar(_ type: ColumnType) -> Value? {
        switch kind {
        case .null, .bool, .array: nil
        case .int, .number: number(type)
        case .string: string(type)
        case .object: extended(type)
        }
    }

    private func number(_ type: ColumnType) -> Value? {
        let text = text
        switch type {
        case .int: return ScalarText.wholeNumber(text).map { .int($0) }
        case .float, .double, .decimal:
            return ScalarText.value(text, as: type, in: scratch)
        case .timestamp: return ScalarText.unixTime(text).map { .timestamp($0) }
        default: return nil
        }
    }

    private func string(_ type: ColumnType) -> Value? {
        let text = text
        switch type {
        case .decimal, .objectID, .uuid, .binary:
            return ScalarText.value(text, as: type, in: scratch)
        case .timestamp: return ScalarText.time(text).map { .timestamp($0) }
        case .double: return text.nonFinite.map { .double($0) }
        case .float: return text.nonFinite.map { .float(Float($0)) }
        default: return nil
        }
    }
}

// MARK: - Extended forms

extension JSONValue {
    /// Name and content of an extended form `{"$name":content}`; nil for other values.
    package var wrapped: (name: ByteView, content: JSONValue)? {
        guard kind == .object, count > 0 else { return nil }
        let content = firstChild
        let name = content.key
        guard name.count > 1, name[0] == UInt8(ascii: "$") else { return nil }
        guard count == 1 || name.equals("$date") || isOldForm(name) else { return nil }
        return (name, content)
    }

    /// Whether this is an object with two members, in MongoDB's legacy extended JSON.
    private func isOldForm(_ name: ByteView) -> Bool {
        count == 2
            && (name.equals("$binary") && field("$type") != nil
                || name.equals("$regex") && field("$options") != nil)
    }

    private func extended(_ type: ColumnType) -> Value? {
        guard let (name, content) = wrapped else { return nil }
        switch type {
        case .int where name.equals("$numberLong") || name.equals("$numberInt"),
            .float where name.equals("$numberDouble") || name.equals("$numberFloat"),
            .double where name.equals("$numberDouble"),
            .decimal where name.equals("$numberDecimal"),
            .string where name.equals("$string") && content.kind == .string,
            .objectID where name.equals("$oid"),
            .uuid where name.equals("$uuid"):
            guard content.kind == .string else { return nil }
            return ScalarText.value(content.text, as: type, in: scratch)
        case .string where name.equals("$string"):
            guard let (bytes, subType) = binary(content), subType == 0 else { return nil }
            return .string(bytes)
        case .string where name.equals("$regularExpression") || name.equals("$regex"):
            return regularExpression(content)
        case .timestamp where name.equals("$date"): return date(content)
        case .timestamp where name.equals("$timestamp"):
            guard let seconds = content.field("t")?.wholeNumber else { return nil }
            return .timestamp(Timestamp(seconds: seconds, nanoseconds: 0))
        case .binary where name.equals("$binary"):
            guard let (bytes, subType) = binary(content), subType == 0 else { return nil }
            return .binary(bytes)
        case .uuid where name.equals("$binary"):
            guard let (bytes, subType) = binary(content), subType == 4 else { return nil }
            return uuid(bytes)
        default: return nil
        }
    }

    /// Converts milliseconds since 1970, with optional nanoseconds, or RFC 3339 text.
    private func date(_ content: JSONValue) -> Value? {
        if content.kind == .string, count == 1 {
            return Timestamp(text: content.text).map { .timestamp($0) }
        }
        guard let milliseconds = content.milliseconds else { return nil }
        var nanoseconds: Int64 = 0
        if count > 1 {
            guard count == 2, let rest = field("$nanoseconds")?.wholeNumber,
                rest.magnitude < 1_000_000
            else { return nil }
            nanoseconds = rest
        }
        let total = milliseconds * 1_000_000 + Int128(nanoseconds)
        return Timestamp(totalNanoseconds: total).map { .timestamp($0) }
    }

    /// A date in milliseconds. 128 bits, because 64 bits do not suffice for the first and the last
    /// possible date.
    private var milliseconds: Int128? {
        if let number = wholeNumber { return Int128(number) }
        guard let (name, content) = wrapped, name.equals("$numberLong"), content.kind == .string
        else { return nil }
        let text = content.text
        // No valid date has more digits, and 23 digits cannot overflow 128 bits.
        guard text.count <= 23 else { return nil }
        let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
        var total: Int128 = 0
        for i in (isNegative ? 1 : 0)..<text.count {
            guard text[i] >= 0x30, text[i] <= 0x39 else { return nil }
            total = total * 10 + Int128(text[i] - 0x30)
        }
        return isNegative ? -total : total
    }

    private var wholeNumber: Int64? {
        if kind == .int { return int }
        guard case .int(let number)? = extended(.int) else { return nil }
        return number
    }

    /// Converts MongoDB's regular expression to the text `/pattern/options`.
    private func regularExpression(_ content: JSONValue) -> Value? {
        let isOld = content.kind == .string
        guard let pattern = isOld ? content : content.field("pattern"), pattern.kind == .string
        else {
            return nil
        }
        let options = isOld ? field("$options") : content.field("options")
        var text: [UInt8] = Array("/".utf8) + pattern.text.bytes + Array("/".utf8)
        if let options, options.kind == .string { text += options.text.bytes }
        let copy = scratch.allocate(text.count)
        text.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        return .string(ByteView(copy, count: text.count))
    }

    private func binary(_ content: JSONValue) -> (bytes: ByteView, subType: UInt8)? {
        // In the legacy form, the content is the text, and a second member has the type.
        let isOld = content.kind == .string
        guard let text = isOld ? content : content.field("base64"), text.kind == .string,
            let bytes = scratch.decodeBase64(text.text)
        else { return nil }
        guard let subType = isOld ? field("$type") : content.field("subType") else {
            return isOld ? nil : (bytes, 0)
        }
        let digits = subType.text
        guard subType.kind == .string, digits.count == 1 || digits.count == 2 else { return nil }
        var number: UInt8 = 0
        for i in 0..<digits.count {
            guard let digit = HexDigit.value(digits[i]) else { return nil }
            number = number << 4 | UInt8(digit)
        }
        return (bytes, number)
    }

    private func uuid(_ bytes: ByteView) -> Value? {
        guard bytes.count == 16 else { return nil }
        let high = bytes.base.loadUnaligned(as: UInt64.self).bigEndian
        let low = bytes.base.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
        return .uuid(scratch.uuidOrder.converted(UUIDValue(high: high, low: low)))
    }

    /// Converts an extended form to a scalar of the type that it names. For mixed properties.
    package func selfDescribed(_ name: ByteView, _ content: JSONValue) -> Value? {
        let type: ColumnType
        switch name {
        case let n where n.equals("$numberLong") || n.equals("$numberInt"): type = .int
        case let n where n.equals("$numberDouble"): type = .double
        case let n where n.equals("$numberFloat"): type = .float
        case let n where n.equals("$numberDecimal"): type = .decimal
        case let n where n.equals("$date") || n.equals("$timestamp"): type = .timestamp
        case let n where n.equals("$regularExpression") || n.equals("$regex"): type = .string
        case let n where n.equals("$oid"): type = .objectID
        case let n where n.equals("$string"): type = .string
        case let n where n.equals("$uuid"): type = .uuid
        case let n where n.equals("$binary"):
            guard let (bytes, subType) = binary(content) else { return nil }
            return subType == 4 ? uuid(bytes) : subType == 0 ? .binary(bytes) : nil
        default: return nil
        }
        return extended(type)
    }
}

extension ByteView {
    /// The double for `NaN`, `Infinity` or `-Infinity`, which JSON has no numbers for; otherwise
    /// nil.
    fileprivate var nonFinite: Double? {
        if equals("NaN") { return .nan }
        if equals("Infinity") { return .infinity }
        return equals("-Infinity") ? -.infinity : nil
    }
}
