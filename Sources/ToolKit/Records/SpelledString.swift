import RealmEngine

/// The exact spelling of strings that a form cannot hold as they are (realm-tools(7), VALUES):
/// `{"$string":{"base64":"…"}}` for those that are not UTF-8, `{"$string":"…"}` in cells for those
/// that would be taken for something else.
package enum SpelledString {
    private static let prefix = Array("{\"$string\":".utf8)
    /// In front of the base64 of a dictionary's key that is not UTF-8: a member's name is a string,
    /// and no key begins with a dollar sign.
    static let keyPrefix = Array("$base64:".utf8)

    /// A cell with this text is taken for a spelling.
    @inline(__always)
    static func looksSpelled(_ text: ByteView) -> Bool {
        text.count > prefix.count && text[0] == UInt8(ascii: "{") && text.begins(with: prefix)
    }

    /// The string of a cell that looks spelled; nil if it is none. Its bytes live in `arena`.
    static func decode(_ text: ByteView, in arena: ScratchArena) -> ByteView? {
        let tape = JSONTape()
        guard let value = try? tape.parse(copying: text),
            case .string(let bytes)? = try? value.scalar(.string, isNullable: false)
        else { return nil }
        guard case .string(let kept) = Value.string(bytes).kept(in: arena) else { return nil }
        return kept
    }

    /// A dictionary's key that is written as base64; nil if it is not.
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
    /// `{"$string":{"base64":"…"}}`
    package mutating func append(spelledOut text: ByteView) {
        append("{\"$string\":{\"base64\":\"")
        append(base64: text)
        append("\"}}")
    }

    /// `{"$string":"…"}`, in base64 where the text is not UTF-8.
    package mutating func append(spelled text: ByteView) {
        let start = count
        append("{\"$string\":")
        if append(json: text) { return append("}") }
        truncate(to: start)
        append(spelledOut: text)
    }
}
