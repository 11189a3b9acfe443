extension ByteBuffer {
    /// Appends bytes as lower-case hexadecimal digits.
    package mutating func append(hex bytes: ByteView) {
        let out = reserve(bytes.count * 2)
        for i in 0..<bytes.count {
            Hex.write(bytes.base.load(fromByteOffset: i, as: UInt8.self), to: out + i * 2)
        }
        advance(by: bytes.count * 2)
    }

    /// Appends `value` as sixteen hexadecimal digits.
    package mutating func append(hex value: UInt64) {
        Hex.write(value, to: reserve(16))
        advance(by: 16)
    }

    @inline(__always)
    mutating func append(hexByte byte: UInt8) {
        Hex.write(byte, to: reserve(2))
        advance(by: 2)
    }

    /// Appends an object id as 24 lower-case hexadecimal digits.
    package mutating func append(_ id: ObjectID) {
        append(hex: id.high)
        let out = reserve(8)
        for i in 0..<4 {
            let byte = UInt8(truncatingIfNeeded: id.low >> UInt32(24 - 8 * i))
            Hex.write(byte, to: out + 2 * i)
        }
        advance(by: 8)
    }

    /// Appends a UUID as 36 characters: lower-case hexadecimal digits in groups of 8-4-4-4-12.
    package mutating func append(_ uuid: UUIDValue) {
        let out = reserve(40)
        Hex.write(uuid.high, to: out)
        Hex.write(uuid.low, to: out + 20)
        // The last group of digits is already in its place. The other groups are moved to make room
        // for the dashes.
        (out + 19).copyMemory(from: out + 20, byteCount: 4)
        (out + 14).copyMemory(from: out + 12, byteCount: 4)
        (out + 9).copyMemory(from: out + 8, byteCount: 4)
        for place in stride(from: 8, through: 23, by: 5) {
            out.storeBytes(of: UInt8(ascii: "-"), toByteOffset: place, as: UInt8.self)
        }
        advance(by: 36)
    }

    /// Appends bytes as base64 of RFC 4648, with padding and without line breaks.
    package mutating func append(base64 bytes: ByteView) {
        let whole = bytes.count / 3
        let out = reserve((whole + 1) * 4)
        for i in 0..<whole {
            let p = bytes.base + i * 3
            let group =
                UInt32(p.load(as: UInt8.self)) << 16
                | UInt32(p.load(fromByteOffset: 1, as: UInt8.self)) << 8
                | UInt32(p.load(fromByteOffset: 2, as: UInt8.self))
            Base64.write(group, to: out + i * 4)
        }
        advance(by: whole * 4)
        let rest = bytes.count - whole * 3
        if rest == 0 { return }
        let first = UInt32(bytes[whole * 3]) << 16
        let second = rest == 2 ? UInt32(bytes[whole * 3 + 1]) << 8 : 0
        let last = out + whole * 4
        Base64.write(first | second, to: last)
        last.storeBytes(of: UInt8(ascii: "="), toByteOffset: 3, as: UInt8.self)
        if rest == 1 { last.storeBytes(of: UInt8(ascii: "="), toByteOffset: 2, as: UInt8.self) }
        advance(by: 4)
    }

    /// Decodes hexadecimal digits, in upper or lower case, and appends the bytes. If the number of
    /// digits is odd or there are other characters, returns false and appends nothing.
    package mutating func append(decodingHex text: ByteView) -> Bool {
        if text.count % 2 != 0 { return false }
        let out = reserve(text.count / 2)
        for i in 0..<text.count / 2 {
            guard let byte = Hex.byte(text, at: i * 2) else { return false }
            out.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
        }
        advance(by: text.count / 2)
        return true
    }

    /// Decodes base64 text of RFC 4648, whose padding may be missing, and appends the bytes.
    /// Returns false and appends nothing if the text is not base64.
    package mutating func append(decodingBase64 text: ByteView) -> Bool {
        guard let digits = Base64.digitCount(text) else { return false }
        let out = reserve(digits / 4 * 3 + 3)
        var written = 0
        var group: UInt32 = 0
        for i in 0..<digits {
            guard let value = Base64.value(text[i]) else { return false }
            group = group << 6 | UInt32(value)
            if i % 4 == 3 {
                Base64.store(group, bytes: 3, to: out + written)
                written += 3
                group = 0
            }
        }
        let rest = digits % 4
        if rest > 0 {
            Base64.store(group << UInt32(6 * (4 - rest)), bytes: rest - 1, to: out + written)
            written += rest - 1
        }
        advance(by: written)
        return true
    }
}
