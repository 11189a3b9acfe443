/// The parsed right side of the operator TEXT: required and excluded words.
struct FullTextTerms: Sendable {
    struct Failure: Error { let message: String }

    struct Word: Equatable, Sendable {
        let bytes: [UInt8]
        let isPrefix: Bool
    }

    private(set) var required: [Word] = []
    private(set) var excluded: [Word] = []
    /// Whether a required word contains no token characters, so that no text matches.
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
        let tokens = Self.tokens(of: Array(rest))
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

    /// Whether `text` contains every required word and no excluded one. A nil text contains no
    /// word.
    func matches(_ text: ByteView?) -> Bool {
        if matchesNothing { return false }
        guard let text else { return required.isEmpty }
        for word in required where !Self.has(text, word) { return false }
        for word in excluded where Self.has(text, word) { return false }
        return true
    }

    /// Returns the tokens of one word of the search text; empty if the word has no token character.
    private static func tokens(of word: [UInt8]) -> [[UInt8]] {
        word.withUnsafeBytes { bytes in
            var tokens: [[UInt8]] = []
            guard let base = bytes.baseAddress else { return tokens }
            forEachToken(ByteView(base, count: bytes.count)) {
                if $0.count > 0 { tokens.append(Array($0)) }
                return true
            }
            return tokens
        }
    }

    /// Calls `body` with each token of a text until it returns false.
    @inline(__always)
    private static func forEachToken(
        _ text: ByteView, _ body: (UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Tokenizer.maximumWord) { word in
            var tokens = Tokenizer(text)
            while let count = tokens.next(into: word.baseAddress!) {
                if !body(UnsafeBufferPointer(rebasing: word[..<count])) { return }
            }
        }
    }

    /// Whether a token of `text` equals `word`. If `word` is a prefix, as in `comp*`, whether a
    /// token begins with it.
    static func has(_ text: ByteView, _ word: Word) -> Bool {
        var found = false
        forEachToken(text) { token in
            let fits =
                word.isPrefix ? token.count >= word.bytes.count : token.count == word.bytes.count
            found = fits && word.bytes.indices.allSatisfy { token[$0] == word.bytes[$0] }
            return !found
        }
        return found
    }
}
