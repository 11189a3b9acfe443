import RealmEngine

/// Interprets the text of a table cell for a mixed property.
package enum MixedText {
    /// Whether the text may be JSON, because it begins like an object, an array or a quoted string.
    @inline(__always)
    package static func mayBeJSON(_ text: ByteView) -> Bool {
        guard let first = text.buffer.first else { return false }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            || first == UInt8(ascii: "\"")
    }

    /// Converts text that is not JSON to an integer, Boolean or double if it denotes one; otherwise
    /// to a string.
    package static func value(_ text: ByteView, in arena: ScratchArena) -> Value {
        for type in [ColumnType.int, .bool, .double] {
            if let value = ScalarText.value(text, as: type, in: arena) { return value }
        }
        return .string(text)
    }
}
