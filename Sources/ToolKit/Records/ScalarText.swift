import RealmEngine

/// Values of properties as text: what the fields of a table and the strings of JSON hold.
package enum ScalarText {
    /// The value of `text` for a property of the type; nil if it is none, and for types that are
    /// not scalars. Decoded binaries live in `scratch`, strings where the text is.
    package static func value(
        _ text: ByteView, as type: ColumnType, in scratch: ScratchArena
    ) -> Value? {
        switch type {
        case .int: Int64(text: text).map { .int($0) }
        case .bool: bool(text).map { .bool($0) }
        case .string: .string(text)
        case .binary: scratch.decodeBase64(text).map { .binary($0) }
        case .timestamp: (time(text) ?? unixTime(text)).map { .timestamp($0) }
        case .float: float(text).map { .float($0) }
        case .double: double(text).map { .double($0) }
        case .decimal: decimal(text).map { .decimal($0) }
        case .objectID: ObjectID(text: text).map { .objectID($0) }
        case .uuid: UUIDValue(text: text).map { .uuid($0) }
        case .mixed, .link, .backlink, .typedLink: nil
        }
    }

    private static func bool(_ text: ByteView) -> Bool? {
        if text.equals("true") { return true }
        return text.equals("false") ? false : nil
    }

    /// A truth value as people write it, too: `1`, `0`, `yes`, `no`, in small letters or others.
    package static func plainBool(_ text: ByteView) -> Bool? {
        guard text.count > 0, text.count <= 5 else { return nil }
        switch text.string.lowercased() {
        case "true", "yes", "1": return true
        case "false", "no", "0": return false
        default: return nil
        }
    }

    /// See `Timestamp.init(incomplete:)`.
    package static func time(_ text: ByteView) -> Timestamp? { Timestamp(incomplete: text) }

    /// What a text has to be, as a phrase: the type, and its form where that is not plain from it.
    static func form(_ type: ColumnType) -> String {
        switch type {
        case .timestamp: "date such as 2025-03-04T09:12:44Z, 2025-03-04 09:12:44 or 2025-03-04"
        case .objectID: "objectId of 24 hexadecimal digits"
        case .uuid: "uuid such as 01234567-89ab-cdef-0123-456789abcdef"
        case .binary: "data in base64"
        default: type.name
        }
    }

    /// Numbers and `NaN`, `Infinity` and their short forms; none if a number is out of range.
    static func double(_ text: ByteView) -> Double? {
        guard let value = Double(text: text), value.isFinite || text.isWord else { return nil }
        return value
    }

    static func float(_ text: ByteView) -> Float? {
        guard let value = Float(text: text), value.isFinite || text.isWord else { return nil }
        return value
    }

    static func decimal(_ text: ByteView) -> Decimal128? {
        guard let value = Decimal128(text: text), value.isFinite || text.isWord else {
            return nil
        }
        return value
    }

    /// Seconds since 1970 as a number; parts of a nanosecond are cut off.
    static func unixTime(_ text: ByteView) -> Timestamp? {
        if let seconds = Int64(text: text) { return Timestamp(seconds: seconds, nanoseconds: 0) }
        guard let time = decimal(text), time.isFinite, let seconds = time.truncatedToInt64,
            let nanoseconds =
                ((time - Decimal128(seconds)) * Decimal128(1_000_000_000)).truncatedToInt64
        else { return nil }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    /// A whole number however it is written (`1.0`, `1e3`, `-0`), within 64 bits.
    static func wholeNumber(_ text: ByteView) -> Int64? {
        // A decimal holds 34 digits; beyond that it would round.
        guard text.count <= 34 else { return nil }
        return Decimal128(text: text)?.exactInt64
    }
}

extension ByteView {
    /// Letters, perhaps signed: not a number in digits.
    fileprivate var isWord: Bool {
        guard count > 0 else { return false }
        let first = count > 1 && (self[0] == 0x2B || self[0] == 0x2D) ? self[1] : self[0]
        return first >= 0x41
    }
}

extension ScratchArena {
    /// The bytes that base64 stands for; nil if it is not that.
    func decodeBase64(_ text: ByteView) -> ByteView? {
        decoded.removeAll()
        guard decoded.append(decodingBase64: text) else { return nil }
        let out = allocate(decoded.count)
        out.copyMemory(from: decoded.bytes.baseAddress!, byteCount: decoded.count)
        return ByteView(out, count: decoded.count)
    }
}
