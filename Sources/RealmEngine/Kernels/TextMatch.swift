/// String operators on bytes (query language 14).
///
/// Case can be ignored for ASCII letters and for the Latin-1 letters U+00C0 to U+00FE, except the
/// multiplication and division signs. That never changes the length of a text. In UTF-8, the two
/// cases of a Latin-1 letter differ only in the byte after C3, so the lower-case form of a byte
/// depends only on the byte itself and the byte before.
enum TextMatch {
    /// Returns the lower-case form of `byte`; `previous` is the byte before it.
    @inline(__always)
    static func folded(_ byte: UInt8, after previous: UInt8) -> UInt8 {
        if byte &- 0x41 < 26 { return byte | 0x20 }
        if previous == 0xC3, byte &- 0x80 < 0x1F, byte != 0x97 { return byte &+ 0x20 }
        return byte
    }

    /// Returns the other case of `byte`; `previous` is the byte before it. Returns `byte` if it has
    /// no case.
    static func otherCase(_ byte: UInt8, after previous: UInt8) -> UInt8 {
        let folded = folded(byte, after: previous)
        if folded != byte { return folded }
        let isSmall = byte &- 0x61 < 26
        let isSmallBeyond = previous == 0xC3 && byte &- 0xA0 < 0x1F && byte != 0xB7
        return isSmall || isSmallBeyond ? byte &- 0x20 : byte
    }

    /// Whether `count` bytes at `a` and `b` are equal if case is ignored.
    @inline(__always)
    static func equalFolded(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Bool {
        var lastA: UInt8 = 0
        var lastB: UInt8 = 0
        for i in 0..<count {
            let x = a.load(fromByteOffset: i, as: UInt8.self)
            let y = b.load(fromByteOffset: i, as: UInt8.self)
            if x != y, folded(x, after: lastA) != folded(y, after: lastB) { return false }
            lastA = x
            lastB = y
        }
        return true
    }

    @inline(__always)
    static func equal(_ a: ByteView, _ b: ByteView, folds: Bool) -> Bool {
        guard folds else { return a == b }
        return a.count == b.count && equalFolded(a.base, b.base, a.count)
    }

    @inline(__always)
    static func begins(_ text: ByteView, _ start: ByteView, folds: Bool) -> Bool {
        text.count >= start.count
            && equal(ByteView(text.base, count: start.count), start, folds: folds)
    }

    @inline(__always)
    static func ends(_ text: ByteView, _ end: ByteView, folds: Bool) -> Bool {
        guard text.count >= end.count else { return false }
        let tail = ByteView(text.base + (text.count - end.count), count: end.count)
        return equal(tail, end, folds: folds)
    }

    static func contains(_ text: ByteView, _ part: ByteView, folds: Bool) -> Bool {
        if part.count == 0 { return true }
        guard text.count >= part.count else { return false }
        for start in 0...(text.count - part.count) {
            let window = ByteView(text.base + start, count: part.count)
            if equal(window, part, folds: folds) { return true }
        }
        return false
    }

    /// Whether the text matches a pattern. `*` matches any bytes, `?` matches one character; these
    /// two cannot be escaped. Not recursive: after a mismatch, the last `*` matches one byte more.
    static func like(_ text: ByteView, _ pattern: ByteView, folds: Bool) -> Bool {
        var t = 0
        var p = 0
        var starText = -1
        var starPattern = 0
        while t < text.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                starPattern = p + 1
                starText = t
                p += 1
            } else if p < pattern.count, pattern[p] == UInt8(ascii: "?") {
                t += characterLength(text, t)
                p += 1
            } else if p < pattern.count, matches(text, t, pattern, p, folds: folds) {
                t += 1
                p += 1
            } else if starText >= 0 {
                starText += 1
                t = starText
                p = starPattern
            } else {
                return false
            }
        }
        while p < pattern.count, pattern[p] == UInt8(ascii: "*") { p += 1 }
        return p == pattern.count
    }

    @inline(__always)
    private static func matches(
        _ text: ByteView, _ t: Int, _ pattern: ByteView, _ p: Int, folds: Bool
    ) -> Bool {
        if text[t] == pattern[p] { return true }
        guard folds else { return false }
        // The case of a letter beyond ASCII is ignored only if the pattern contains both bytes of
        // the letter.
        let lead = p > 0 ? pattern[p - 1] : 0
        let textLead = lead == 0xC3 && t > 0 ? text[t - 1] : 0
        return folded(text[t], after: textLead) == folded(pattern[p], after: lead)
    }

    /// Returns the length in bytes of the character at `i`, which its first byte determines.
    private static func characterLength(_ text: ByteView, _ i: Int) -> Int {
        let first = text[i]
        let length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        return min(length, text.count - i)
    }
}
