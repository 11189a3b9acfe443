import RealmEngine

/// What the text of a cell means in a mixed property.
package enum MixedText {
    /// JSON: an object, an array, or a string in quotes.
    @inline(__always)
    package static func mayBeJSON(_ text: ByteView) -> Bool {
        guard let first = text.buffer.first else { return false }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            || first == UInt8(ascii: "\"")
    }

    /// Of a text that is no JSON: a number or truth value if it reads as one.
    package static func value(_ text: ByteView, in arena: ScratchArena) -> Value {
        for type in [ColumnType.int, .bool, .double] {
            if let value = ScalarText.value(text, as: type, in: arena) { return value }
        }
        return .string(text)
    }
}
