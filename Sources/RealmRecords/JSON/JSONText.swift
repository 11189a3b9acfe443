import RealmEngine

extension ByteBuffer {
    /// Appends a JSON string. For names and messages, not for stored values.
    package mutating func append(json text: String) {
        var text = text
        text.withUTF8 { utf8 in
            // The base address of an empty string may be nil. The substitute is never read.
            let start = UnsafeRawPointer(utf8.baseAddress ?? ConstantText.empty.utf8Start)
            append(json: ByteView(start, count: utf8.count))
        }
    }
}

private enum ConstantText {
    static let empty: StaticString = ""
}

/// Bytes as hexadecimal text.
package enum Hexadecimal {
    /// The two lower-case digits of a byte.
    package static func digits(_ byte: UInt8) -> [UInt8] {
        [byte >> 4, byte & 15].map {
            $0 < 10 ? UInt8(ascii: "0") &+ $0 : UInt8(ascii: "a") &+ ($0 &- 10)
        }
    }
}
