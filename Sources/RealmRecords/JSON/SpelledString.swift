import RealmEngine

/// Exact notation of a string that an output format cannot represent unchanged (realm-tools(7),
/// VALUES): `{"$string":{"base64":"…"}}` for a string that is not UTF-8, and `{"$string":"…"}` in a
/// cell whose text would be read as another value.
package enum SpelledString {
    private static let prefix = Array("{\"$string\":".utf8)
    /// Prefix of the base64 of a dictionary key that is not UTF-8. Member names must be strings,
    /// and no dictionary key begins with a dollar sign.
    package static let keyPrefix = Array("$base64:".utf8)

    /// Whether a reader takes a cell with this text for the exact notation of a string.
    @inline(__always)
    package static func looksSpelled(_ text: ByteView) -> Bool {
        text.count > prefix.count && text[0] == UInt8(ascii: "{") && text.begins(with: prefix)
    }

    /// Decodes a string from its exact notation, such as `{"$string":"…"}`. The decoded bytes are
    /// in `arena`. Returns nil if the notation is malformed.
    static func decode(_ text: ByteView, in arena: ScratchArena) -> ByteView? {
        let tape = JSONTape()
        guard let value = try? tape.parse(copying: text),
            case .string(let bytes)? = try? value.scalar(.string, isNullable: false)
        else { return nil }
        guard case .string(let copied) = Value.string(bytes).copied(in: arena) else { return nil }
        return copied
    }

    /// Decodes a dictionary key in base64. Returns nil if the name does not have the prefix, or is
    /// malformed.
    package static func key(_ name: ByteView, in arena: ScratchArena) -> ByteView? {
        guard name.count >= keyPrefix.count, name.begins(with: keyPrefix) else { return nil }
        return arena.decodeBase64(
            ByteView(name.base + keyPrefix.count, count: name.count - keyPrefix.count))
    }
}

extension ByteView {
    func begins(with bytes: [UInt8]) -> Bool {
        count >= bytes.count && ByteView(base, count: bytes.count).equals(bytes)
    }
}

extension ByteBuffer {
    /// Appends the exact notation of a string that is not UTF-8: `{"$string":{"base64":"…"}}`.
    package mutating func append(spelledOut text: ByteView) {
        append("{\"$string\":{\"base64\":\"")
        append(base64: text)
        append("\"}}")
    }

    /// Appends the exact notation of a string: `{"$string":"…"}`, with base64 if the text is not
    /// UTF-8.
    package mutating func append(spelled text: ByteView) {
        let start = count
        append("{\"$string\":")
        if append(json: text) { return append("}") }
        truncate(to: start)
        append(spelledOut: text)
    }
}
