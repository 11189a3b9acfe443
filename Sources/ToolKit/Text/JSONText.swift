import RealmEngine

/// JSON string literals into a byte buffer.
package enum JSONText {
    /// Appends `text` in quotes, with everything escaped that RFC 8259 demands.
    package static func append(_ text: String, to buffer: inout ByteBuffer) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &buffer) }
    }

    /// As above for UTF-8 bytes; runs without escapes are copied whole.
    package static func append(_ bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "\""))
        var start = 0
        for index in bytes.indices where needsEscape(bytes[index]) {
            buffer.append(UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
            escape(bytes[index], to: &buffer)
            start = index + 1
        }
        buffer.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        buffer.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func escape(_ byte: UInt8, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\n"): buffer.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): buffer.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): buffer.append(UInt8(ascii: "t"))
        case 0x08: buffer.append(UInt8(ascii: "b"))
        case 0x0C: buffer.append(UInt8(ascii: "f"))
        case 0..<0x20:
            buffer.append("u00")
            buffer.append(hexadecimal(byte >> 4))
            buffer.append(hexadecimal(byte & 15))
        default: buffer.append(byte)
        }
    }

    /// The lower-case hexadecimal digit of a value below 16.
    package static func hexadecimal(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
    }
}
