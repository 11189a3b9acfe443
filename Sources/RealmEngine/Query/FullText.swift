/// Words of stored text, and what is asked of them (query language 15).
enum FullText {
    /// Longer tokens are cut.
    static let maximumLength = 64

    /// Lower-case letters without their accents for U+00C0 to U+00FE; 0 stands for a letter kept as
    /// it is in lower case, 1 for the two signs, which belong to a word but leave no trace in it.
    private static let plain: StaticString =
        "aaaaa\0\0ceeeeiiii\0nooooo\u{1}\0uuuuy\0\0"

    /// Calls `body` with every token of `text`, in order. Return false to stop.
    static func forEachToken(
        _ text: ByteView, _ body: (UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumLength + 2) { token in
            var count = 0
            var isWord = false
            var i = 0
            while i < text.count {
                let first = text[i]
                var isPart = true
                if first &- 0x30 < 10 || first &- 0x61 < 26 {
                    append(first, token, &count)
                } else if first &- 0x41 < 26 {
                    append(first | 0x20, token, &count)
                } else if first == 0xC3, i + 1 < text.count, text[i + 1] &- 0x80 < 0x3F {
                    appendLatin(text[i + 1], token, &count)
                    i += 1
                } else {
                    isPart = false
                }
                i += 1
                if isPart {
                    isWord = true
                } else if isWord {
                    if count > 0, !body(UnsafeBufferPointer(rebasing: token[..<count])) { return }
                    count = 0
                    isWord = false
                }
            }
            if count > 0 { _ = body(UnsafeBufferPointer(rebasing: token[..<count])) }
        }
    }

    @inline(__always)
    private static func append(
        _ byte: UInt8, _ token: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
    ) {
        if count < maximumLength {
            token[count] = byte
            count += 1
        }
    }

    /// The letter C3 `second`.
    private static func appendLatin(
        _ second: UInt8, _ token: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
    ) {
        switch plain.utf8Start[Int(second & 0x1F)] {
        case 0:
            // The sharp s is the one letter without a capital of its own here.
            let lower = second == 0x9F ? second : second | 0x20
            guard count + 2 <= maximumLength else { return }
            append(0xC3, token, &count)
            append(lower, token, &count)
        case 1: break
        case let letter: append(letter, token, &count)
        }
    }
}

/// The words of a search.
struct FullTextTerms: Sendable {
    struct Failure: Error { let message: String }

    struct Word: Equatable, Sendable {
        let bytes: [UInt8]
        let isPrefix: Bool
    }

    private(set) var required: [Word] = []
    private(set) var excluded: [Word] = []
    /// A required word has no character that could be in a token.
    private(set) var matchesNothing = false

    init(_ text: ByteView) throws(Failure) {
        var wordCount = 0
        for word in text.bytes.split(whereSeparator: Self.isSpace) {
            wordCount += 1
            try add(word)
        }
        guard wordCount > 0 else { throw Failure(message: "there is no word to search for") }
        for word in excluded where required.contains(where: { $0.bytes == word.bytes }) {
            let text = String(decoding: word.bytes, as: UTF8.self)
            throw Failure(message: "'\(text)' is both required and excluded")
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte &- 0x09 < 5
    }

    private mutating func add(_ word: ArraySlice<UInt8>) throws(Failure) {
        let isExcluded = word.first == UInt8(ascii: "-")
        let rest = isExcluded ? word.dropFirst() : word
        let isPrefix = !isExcluded && rest.last == UInt8(ascii: "*")
        var tokens: [[UInt8]] = []
        Array(rest).withUnsafeBytes {
            guard let base = $0.baseAddress else { return }
            FullText.forEachToken(ByteView(base, count: $0.count)) {
                tokens.append(Array($0))
                return true
            }
        }
        guard tokens.count <= 1 else {
            let text = String(decoding: word, as: UTF8.self)
            throw Failure(message: "'\(text)' is more than one word")
        }
        guard let token = tokens.first else {
            if !isExcluded { matchesNothing = true }
            return
        }
        if isExcluded {
            excluded.append(Word(bytes: token, isPrefix: false))
        } else {
            required.append(Word(bytes: token, isPrefix: isPrefix))
        }
    }

    /// Whether `text` has every required word and none of the excluded; nil is a missing text.
    func matches(_ text: ByteView?) -> Bool {
        if matchesNothing { return false }
        guard let text else { return required.isEmpty }
        for word in required where !Self.has(text, word) { return false }
        for word in excluded where Self.has(text, word) { return false }
        return true
    }

    private static func has(_ text: ByteView, _ word: Word) -> Bool {
        var found = false
        FullText.forEachToken(text) { token in
            let fits =
                word.isPrefix ? token.count >= word.bytes.count : token.count == word.bytes.count
            if fits {
                found = true
                for (i, byte) in word.bytes.enumerated() where token[i] != byte {
                    found = false
                    break
                }
            }
            return !found
        }
        return found
    }
}
