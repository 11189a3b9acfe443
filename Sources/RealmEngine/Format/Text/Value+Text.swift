extension Value {
    /// Parses a value of `type`. Returns nil if `text` is no value of this type.
    ///
    /// Only for types with the same text form in queries, imported records and conversions; returns
    /// nil for the other types. A string needs no parsing. The text of a binary is base64 in
    /// queries and records, whereas a conversion takes the bytes of the text themselves. A number
    /// beyond the range of its type becomes infinite, which `isOverflow(of:)` detects.
    package static func parsed(_ text: ByteView, as type: ColumnType) -> Value? {
        switch type {
        case .int: Int64(text: text).map(Value.int)
        case .bool: truth(text).map(Value.bool)
        case .float: Float(text: text).map(Value.float)
        case .double: Double(text: text).map(Value.double)
        case .decimal: Decimal128(text: text).map(Value.decimal)
        case .timestamp: Timestamp(incomplete: text).map(Value.timestamp)
        case .objectID: ObjectID(text: text).map(Value.objectID)
        case .uuid: UUIDValue(text: text).map(Value.uuid)
        case .string, .binary, .mixed, .link, .backlink, .typedLink: nil
        }
    }

    private static func truth(_ text: ByteView) -> Bool? {
        if text.buffer.elementsEqual("true".utf8) { return true }
        return text.buffer.elementsEqual("false".utf8) ? false : nil
    }

    /// Whether the value, which was parsed from `text`, is infinite although `text` is a number.
    /// The words for infinity contain no digits.
    package func isOverflow(of text: ByteView) -> Bool {
        let isInfinite =
            switch self {
            case .float(let number): number.isInfinite
            case .double(let number): number.isInfinite
            case .decimal(let number): number.isInfinite
            default: false
            }
        return isInfinite && text.buffer.contains { $0 &- UInt8(ascii: "0") < 10 }
    }
}
