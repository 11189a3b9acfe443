enum Hex {
    @inline(__always)
    static func write(_ byte: UInt8, to out: UnsafeMutableRawPointer) {
        let digits: StaticString = "0123456789abcdef"
        out.storeBytes(of: digits.utf8Start[Int(byte >> 4)], as: UInt8.self)
        out.storeBytes(of: digits.utf8Start[Int(byte & 15)], toByteOffset: 1, as: UInt8.self)
    }

    /// Writes `value` as sixteen hexadecimal digits, the most significant first.
    @inline(__always)
    static func write(_ value: UInt64, to out: UnsafeMutableRawPointer) {
        for i in 0..<8 {
            write(UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * i)), to: out + 2 * i)
        }
    }

    @inline(__always)
    static func value(_ digit: UInt8) -> UInt8? {
        if let value = DecimalDigits.value(digit) { return value }
        let letter = digit | 0x20
        return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "f")
            ? letter - UInt8(ascii: "a") + 10 : nil
    }

    /// Returns the byte that two digits at `position` represent; nil if they are no hexadecimal
    /// digits.
    @inline(__always)
    static func byte(_ text: ByteView, at position: Int) -> UInt8? {
        guard let high = value(text[position]), let low = value(text[position + 1]) else {
            return nil
        }
        return high << 4 | low
    }

    /// Returns the number that digits at `position` represent, two for each of `bytes` bytes; nil
    /// if they are no hexadecimal digits.
    static func number(_ text: ByteView, at position: Int, bytes: Int) -> UInt64? {
        var result: UInt64 = 0
        for i in 0..<bytes {
            guard let byte = byte(text, at: position + 2 * i) else { return nil }
            result = result << 8 | UInt64(byte)
        }
        return result
    }
}

extension ObjectID {
    /// Parses 24 hexadecimal digits; nil for other text.
    public init?(text: ByteView) {
        guard text.count == 24, let high = Hex.number(text, at: 0, bytes: 8),
            let low = Hex.number(text, at: 16, bytes: 4)
        else { return nil }
        self.init(high: high, low: UInt32(low))
    }
}

extension UUIDValue {
    /// Parses hexadecimal digits in groups of 8-4-4-4-12; nil for other text.
    public init?(text: ByteView) {
        guard text.count == 36 else { return nil }
        for place in stride(from: 8, through: 23, by: 5) where text[place] != UInt8(ascii: "-") {
            return nil
        }
        guard let a = Hex.number(text, at: 0, bytes: 4), let b = Hex.number(text, at: 9, bytes: 2),
            let c = Hex.number(text, at: 14, bytes: 2), let d = Hex.number(text, at: 19, bytes: 2),
            let e = Hex.number(text, at: 24, bytes: 6)
        else { return nil }
        self.init(high: a << 32 | b << 16 | c, low: d << 48 | e)
    }
}
