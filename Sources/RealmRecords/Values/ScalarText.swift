import RealmEngine

/// Parses property values from text: fields of a table, or strings in JSON.
package enum ScalarText {
    /// Parses a value of a scalar type; nil if `text` is not valid or the type is not a scalar.
    /// Decoded binaries are in `scratch`, which also has the order of UUIDs; strings share the
    /// memory of `text`.
    package static func value(
        _ text: ByteView, as type: ColumnType, in scratch: ScratchArena
    ) -> Value? {
        switch type {
        case .string: return .string(text)
        case .binary: return scratch.decodeBase64(text).map { .binary($0) }
        case .uuid: return UUIDValue(text: text).map { .uuid(scratch.uuidOrder.converted($0)) }
        // Tables also contain seconds since 1970.
        case .timestamp: return (time(text) ?? unixTime(text)).map { .timestamp($0) }
        default:
            guard let value = Value.parsed(text, as: type), !value.isOverflow(of: text) else {
                return nil
            }
            return value
        }
    }

    /// Parses a boolean, also as `1`, `0`, `yes` or `no`, ignoring case.
    package static func plainBool(_ text: ByteView) -> Bool? {
        guard text.count > 0, text.count <= 5 else { return nil }
        switch text.string.lowercased() {
        case "true", "yes", "1": return true
        case "false", "no", "0": return false
        default: return nil
        }
    }

    /// Parses a date; see `Timestamp.init(incomplete:)`.
    package static func time(_ text: ByteView) -> Timestamp? { Timestamp(incomplete: text) }

    /// Describes the valid text for a type: its name, and its notation if that is not obvious.
    static func form(_ type: ColumnType) -> String {
        switch type {
        case .timestamp: "date such as 2025-03-04T09:12:44Z, 2025-03-04 09:12:44 or 2025-03-04"
        case .objectID: "objectId of 24 hexadecimal digits"
        case .uuid: "uuid such as 01234567-89ab-cdef-0123-456789abcdef"
        case .binary: "data in base64"
        default: type.name
        }
    }

    /// Parses seconds since 1970; fractions of a nanosecond are truncated.
    static func unixTime(_ text: ByteView) -> Timestamp? {
        if let seconds = Int64(text: text) { return Timestamp(seconds: seconds, nanoseconds: 0) }
        guard let time = Decimal128(text: text), time.isFinite, let seconds = time.truncatedToInt64,
            let nanoseconds =
                ((time - Decimal128(seconds)) * Decimal128(1_000_000_000)).truncatedToInt64
        else { return nil }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    /// Parses a whole number in the range of Int64, in any notation: `1.0`, `1e3`, `-0`.
    static func wholeNumber(_ text: ByteView) -> Int64? {
        // A decimal has 34 digits; a longer number would be rounded.
        guard text.count <= 34 else { return nil }
        return Decimal128(text: text)?.exactInt64
    }
}

extension ScratchArena {
    /// Decodes base64. Returns nil if the text is not valid base64.
    func decodeBase64(_ text: ByteView) -> ByteView? {
        decoded.removeAll()
        guard decoded.append(decodingBase64: text) else { return nil }
        let out = allocate(decoded.count)
        out.copyMemory(from: decoded.bytes.baseAddress!, byteCount: decoded.count)
        return ByteView(out, count: decoded.count)
    }
}
