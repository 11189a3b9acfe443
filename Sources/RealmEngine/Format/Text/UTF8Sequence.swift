/// One UTF-8 sequence of several bytes, checked by table 3-7 of the Unicode standard.
struct UTF8Sequence {
    /// Number of bytes in the sequence. If it is ill-formed, the number of bytes to replace by one
    /// U+FFFD: the longest part that could begin a valid sequence, at least one byte.
    let length: Int
    let isWellFormed: Bool

    /// Examines the UTF-8 sequence at `base`. The first byte must be at least 0x80. `count` is the
    /// number of bytes that may be read from `base` on, at least one.
    @inline(__always)
    init(_ base: UnsafeRawPointer, count: Int) {
        let lead = base.load(as: UInt8.self)
        let expected: Int
        var allowed: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: expected = 2
        case 0xE0: (expected, allowed) = (3, 0xA0...0xBF)
        case 0xED: (expected, allowed) = (3, 0x80...0x9F)
        case 0xE1...0xEF: expected = 3
        case 0xF0: (expected, allowed) = (4, 0x90...0xBF)
        case 0xF1...0xF3: expected = 4
        case 0xF4: (expected, allowed) = (4, 0x80...0x8F)
        default: expected = 1
        }
        var found = 1
        while found < min(expected, count),
            allowed.contains(base.load(fromByteOffset: found, as: UInt8.self))
        {
            allowed = 0x80...0xBF
            found &+= 1
        }
        length = found
        isWellFormed = found == expected && expected > 1
    }
}

extension UTF8Sequence {
    /// Returns the scalar at offset `at` and its length in bytes. For an ill-formed sequence,
    /// returns U+FFFD and the number of bytes to replace.
    @inline(__always)
    static func scalar(_ text: UnsafeRawBufferPointer, _ at: Int) -> (UInt32, length: Int) {
        let lead = UInt32(text[at])
        if lead < 0x80 { return (lead, 1) }
        guard let base = text.baseAddress else { return (0xFFFD, 1) }
        let sequence = UTF8Sequence(base + at, count: text.count &- at)
        guard sequence.isWellFormed else { return (0xFFFD, sequence.length) }
        var scalar = lead & (0x7F >> UInt32(sequence.length))
        for i in 1..<sequence.length { scalar = scalar << 6 | UInt32(text[at &+ i]) & 0x3F }
        return (scalar, sequence.length)
    }
}

extension ByteView {
    /// Whether the bytes are well-formed UTF-8. Stored strings should be, but writers do not
    /// enforce it (object format 14).
    package var isUTF8: Bool { UTF8Sequence.isValid(self) }
}

extension UTF8Sequence {
    /// Whether `text` is well-formed UTF-8.
    static func isValid(_ text: ByteView) -> Bool {
        var position = 0
        while position < text.count {
            let left = text.count &- position
            let at = text.base + position
            if left >= 8, at.loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
                position &+= 8
            } else if at.load(as: UInt8.self) < 0x80 {
                position &+= 1
            } else {
                let sequence = UTF8Sequence(at, count: left)
                if !sequence.isWellFormed { return false }
                position &+= sequence.length
            }
        }
        return true
    }
}
