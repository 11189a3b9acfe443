/// Splits text into the words of a full-text index (object format 5.6).
///
/// A word is a run of ASCII letters and digits and of the letters U+00C0 to U+00FE; all other
/// characters separate words. Words are converted to lower case, and most accents are removed.
struct Tokenizer {
    private let text: ByteView
    private var position = 0

    /// Maximum number of bytes of a word; longer words are truncated.
    static let maximumWord = 64

    init(_ text: ByteView) { self.text = text }

    /// Writes the next word, at most `maximumWord` bytes, and returns its length; nil at the end.
    ///
    /// The length of a character is determined by its first byte alone, even in ill-formed UTF-8.
    /// The reference engine does the same, and both must index the same words.
    mutating func next(into word: UnsafeMutablePointer<UInt8>) -> Int? {
        var count = 0
        var isInside = false
        while position < text.count {
            let byte = text[position]
            if let letter = Self.asciiLetter(byte) {
                position += 1
                Self.append(letter, word, &count)
            } else if byte == Self.latinLead, let second = latinSecond {
                position += 2
                Self.appendLatin(second, word, &count)
            } else {
                position += Self.length(byte)
                if isInside { return count }
                continue
            }
            isInside = true
        }
        return isInside ? count : nil
    }

    /// The second byte of the letter at `position`, whose first byte is `latinLead`; nil if it is
    /// U+00FF, which is not a letter here. If the text ends after the first byte, the second is
    /// taken as 0.
    private var latinSecond: UInt8? {
        let second = position + 1 < text.count ? text[position + 1] : 0
        return second & 0x3F == 0x3F ? nil : second
    }

    /// Number of bytes of the character that begins with `lead`.
    private static func length(_ lead: UInt8) -> Int {
        switch lead {
        case 0xC0...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF7: 4
        default: 1
        }
    }

    @inline(__always)
    private static func asciiLetter(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39, 0x61...0x7A: byte
        case 0x41...0x5A: byte | 0x20
        default: nil
        }
    }

    private static func append(
        _ byte: UInt8, _ word: UnsafeMutablePointer<UInt8>, _ count: inout Int
    ) {
        if count == maximumWord { return }
        word[count] = byte
        count += 1
    }

    /// First byte, in UTF-8, of every character from U+00C0 to U+00FF.
    private static let latinLead: UInt8 = 0xC3

    private static func appendLatin(
        _ second: UInt8, _ word: UnsafeMutablePointer<UInt8>, _ count: inout Int
    ) {
        let letter = latin[Int(second & 0x1F)]
        if letter == 0 { return }
        guard letter >= 0x80 else { return append(letter, word, &count) }
        // A letter of two bytes is never cut in half. ASCII letters that follow it may still fit.
        guard count + 2 <= maximumWord else { return }
        append(latinLead, word, &count)
        append(letter, word, &count)
    }

    /// Replacement of each letter, which is in lower case and, for most letters, without accent:
    /// `a` for À and for à. The index is the low five bits of the code point, which are equal for
    /// both cases.
    ///
    /// An ASCII letter is stored as such, and a letter from U+00E0 on as its second byte in UTF-8.
    /// The multiplication and division signs have 0: they are part of a word, but not stored.
    private static let latin: [UInt8] = [
        0x61, 0x61, 0x61, 0x61, 0x61, 0xA5, 0xA6, 0x63, 0x65, 0x65, 0x65, 0x65, 0x69, 0x69, 0x69,
        0x69, 0xB0, 0x6E, 0x6F, 0x6F, 0x6F, 0x6F, 0x6F, 0, 0xB8, 0x75, 0x75, 0x75, 0x75, 0x79, 0xBE,
        0x9F,
    ]
}

/// The distinct words of one text in ascending order.
final class WordSet {
    private var words: [ByteView] = []
    private let memory: UnsafeMutablePointer<UInt8>

    /// Splits `value` into words; there are none if it is not a string.
    init(_ value: Value) {
        guard case .string(let text) = value else {
            memory = .allocate(capacity: 1)
            return
        }
        // A word has at most as many bytes as the text it comes from.
        memory = .allocate(capacity: text.count + Tokenizer.maximumWord)
        var tokens = Tokenizer(text)
        var used = 0
        while let count = tokens.next(into: memory + used) {
            words.append(ByteView(memory + used, count: count))
            used += count
        }
        words.sort { ByteView.compare($0, $1) < 0 }
        removeRepeated()
    }

    deinit { memory.deallocate() }

    private func removeRepeated() {
        var kept = 0
        for word in words {
            if kept > 0, words[kept - 1] == word { continue }
            words[kept] = word
            kept += 1
        }
        words.removeSubrange(kept...)
    }

    /// Calls `body` with every word that `other` does not contain. The bytes are valid only during
    /// the call.
    func visit(
        notIn other: WordSet? = nil, _ body: (ByteView) throws(RealmError) -> Void
    ) throws(RealmError) {
        try withExtendedLifetime((self, other)) { () throws(RealmError) in
            let others = other?.words ?? []
            var i = 0
            for word in words {
                while i < others.count, ByteView.compare(others[i], word) < 0 { i += 1 }
                if i == others.count || !(others[i] == word) { try body(word) }
            }
        }
    }
}
