/// Base64 encoding and decoding, with the alphabet of RFC 4648, section 4.
enum Base64 {
    /// Writes the low 24 bits of `group` as four characters.
    @inline(__always)
    static func write(_ group: UInt32, to out: UnsafeMutableRawPointer) {
        let alphabet: StaticString =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for i in 0..<4 {
            let digit = Int(group >> UInt32(18 - 6 * i) & 63)
            out.storeBytes(of: alphabet.utf8Start[digit], toByteOffset: i, as: UInt8.self)
        }
    }

    /// Stores up to three bytes that four base64 digits represent: `bytes` bytes from the 24-bit
    /// number `group`, highest byte first.
    @inline(__always)
    static func store(_ group: UInt32, bytes: Int, to out: UnsafeMutableRawPointer) {
        for i in 0..<bytes {
            let byte = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * i))
            out.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
        }
    }

    @inline(__always)
    static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// Returns the number of characters before the padding; nil if `text` cannot be base64 because
    /// of its length. The padding may be missing, but not incomplete.
    static func digitCount(_ text: ByteView) -> Int? {
        var digits = text.count
        while digits > 0 && text[digits - 1] == UInt8(ascii: "=") { digits -= 1 }
        let padding = text.count - digits
        if digits % 4 == 1 || padding > 2 { return nil }
        if padding > 0 && text.count % 4 != 0 { return nil }
        return digits
    }
}
