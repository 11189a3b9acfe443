/// Splits query text into tokens, one at a time, by longest match (query language 2).
struct QueryLexer {
    /// Query text in UTF-8, owned by the caller. Must be valid while the lexer exists.
    let text: UnsafeBufferPointer<UInt8>
    var position = 0
    /// Whether the next string is the right side of MATCHES, a regular expression.
    private(set) var isExpression = false

    init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

    /// Returns the byte at `index`; 0 past the end. No token starts with NUL.
    @inline(__always)
    func byte(_ index: Int) -> UInt8 { index < text.count ? text[index] : 0 }

    /// Returns the next token; `.end` for every call at the end of the text. `source` is for
    /// errors.
    mutating func next(_ source: QuerySource) throws(RealmError) -> QueryToken {
        while Self.isSpace(byte(position)) { position += 1 }
        let start = position
        guard start < text.count else {
            return QueryToken(kind: .end, range: SourceRange(start: start, end: start))
        }
        if source.dialect.isPredicate, let (kind, end) = scanOfPredicate(start) {
            position = end
            return QueryToken(kind: kind, range: SourceRange(start: start, end: end))
        }
        if source.dialect.isExtended, let (kind, end) = scanExtension(start) {
            position = end
            return QueryToken(kind: kind, range: SourceRange(start: start, end: end))
        }
        guard let (kind, end) = scan(start) else { throw unscannable(start, source) }
        position = end
        isExpression = kind == .matches || isExpression && kind == .caseFlag
        return QueryToken(kind: kind, range: SourceRange(start: start, end: end))
    }

    /// Scans tokens that only predicates have: `%@`, `[cd]`, `#name`, `@allKeys` and `@allValues`.
    private func scanOfPredicate(_ p: Int) -> (QueryToken.Kind, Int)? {
        switch byte(p) {
        case UInt8(ascii: "%"):
            var end = p + 1
            while byte(end) != 0, "lqhz".utf8.contains(byte(end)) { end += 1 }
            return end < text.count ? (.place, end + 1) : nil
        case UInt8(ascii: "["):
            var end = p + 1
            while byte(end) != 0, QueryDialect.predicateFlags.utf8.contains(byte(end)) { end += 1 }
            return end > p + 1 && byte(end) == UInt8(ascii: "]") ? (.caseFlag, end + 1) : nil
        case UInt8(ascii: "#"): return nameStart(p + 1) > 0 ? (.name, nameEnd(p + 1)) : nil
        case UInt8(ascii: "@"): return scanOperator(p, QueryDialect.predicateOperators)
        default: return nil
        }
    }

    /// Scans tokens that only the extended language has: `[d]`, `[cd]`, `[n]`, `7d`.
    private func scanExtension(_ p: Int) -> (QueryToken.Kind, Int)? {
        guard byte(p) == UInt8(ascii: "[") else { return durationEnd(p).map { (.duration, $0) } }
        var end = p + 1
        while byte(end) != 0, QueryDialect.extendedFlags.utf8.contains(byte(end)) { end += 1 }
        return end > p + 1 && byte(end) == UInt8(ascii: "]") ? (.caseFlag, end + 1) : nil
    }

    /// Returns the end of a number with the unit of a duration; nil if there is none.
    private func durationEnd(_ p: Int) -> Int? {
        var at = p
        if byte(at) == UInt8(ascii: "-") || byte(at) == UInt8(ascii: "+") { at += 1 }
        let start = at
        while Self.isDigit(byte(at)) { at += 1 }
        guard at > start, "smhdw".utf8.contains(byte(at)), byte(at) != 0,
            nameStart(at + 1) == 0, !Self.isDigit(byte(at + 1)), byte(at + 1) != UInt8(ascii: "-")
        else { return nil }
        return at + 1
    }

    /// Whether an opening parenthesis directly follows the current position.
    var isBeforeParenthesis: Bool { byte(nextOffset) == UInt8(ascii: "(") }

    /// Whether a duration such as `7d` directly follows the current position.
    var isBeforeDuration: Bool { durationEnd(nextOffset) != nil }

    private var nextOffset: Int {
        var at = position
        while Self.isSpace(byte(at)) { at += 1 }
        return at
    }

    /// Returns kind and end of the longest token that starts at `p`.
    private func scan(_ p: Int) -> (QueryToken.Kind, Int)? {
        let first = byte(p)
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return scanNumber(p, p)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): return scanSigned(p)
        case UInt8(ascii: "."):
            return Self.isDigit(byte(p + 1)) ? scanNumber(p, p) : (.dot, p + 1)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return scanString(p).map { (.string, $0) }
        case UInt8(ascii: "@"): return scanOperator(p)
        default: break
        }
        return nameStart(p) > 0 ? scanWord(p) : scanPunctuation(p)
    }

    private func scanPunctuation(_ p: Int) -> (QueryToken.Kind, Int)? {
        let second = byte(p + 1)
        switch byte(p) {
        case UInt8(ascii: "*"): return (.star, p + 1)
        case UInt8(ascii: "/"): return (.slash, p + 1)
        case UInt8(ascii: ","): return (.comma, p + 1)
        case UInt8(ascii: "("): return (.leftParen, p + 1)
        case UInt8(ascii: ")"): return (.rightParen, p + 1)
        case UInt8(ascii: "{"): return (.leftBrace, p + 1)
        case UInt8(ascii: "}"): return (.rightBrace, p + 1)
        case UInt8(ascii: "]"): return (.rightBracket, p + 1)
        case UInt8(ascii: "["):
            let isFlag = second == UInt8(ascii: "c") && byte(p + 2) == UInt8(ascii: "]")
            return isFlag ? (.caseFlag, p + 3) : (.leftBracket, p + 1)
        case UInt8(ascii: "&"): return second == UInt8(ascii: "&") ? (.and, p + 2) : nil
        case UInt8(ascii: "|"): return second == UInt8(ascii: "|") ? (.or, p + 2) : nil
        default: return scanRelation(byte(p), second, p)
        }
    }

    private func scanRelation(
        _ first: UInt8, _ second: UInt8, _ p: Int
    ) -> (QueryToken.Kind, Int)? {
        let equal = UInt8(ascii: "=")
        let less = UInt8(ascii: "<")
        let greater = UInt8(ascii: ">")
        switch (first, second) {
        case (equal, equal): return (.equal, p + 2)
        case (equal, less), (less, equal): return (.lessEqual, p + 2)
        case (equal, greater), (greater, equal): return (.greaterEqual, p + 2)
        case (equal, _): return (.equal, p + 1)
        case (less, greater), (UInt8(ascii: "!"), equal): return (.notEqual, p + 2)
        case (less, _): return (.less, p + 1)
        case (greater, _): return (.greater, p + 1)
        case (UInt8(ascii: "!"), _): return (.not, p + 1)
        default: return nil
        }
    }

    private func scanOperator(
        _ p: Int, _ operators: [(StaticString, QueryToken.Kind)] = QueryToken.operators
    ) -> (QueryToken.Kind, Int)? {
        for (spelling, kind) in operators where starts(p, with: spelling) {
            return (kind, p + spelling.utf8CodeUnitCount)
        }
        return nil
    }

    /// Whether the bytes at `p` are exactly `spelling`.
    func starts(_ p: Int, with spelling: StaticString) -> Bool {
        let count = spelling.utf8CodeUnitCount
        guard p + count <= text.count else { return false }
        for i in 0..<count where text[p + i] != spelling.utf8Start[i] { return false }
        return true
    }

    static func isSpace(_ b: UInt8) -> Bool { b == 0x20 || b == 0x09 || b == 0x0A || b == 0x0D }
    static func isDigit(_ b: UInt8) -> Bool { b &- 0x30 < 10 }
    static func isLetter(_ b: UInt8) -> Bool { (b | 0x20) &- 0x61 < 26 }
    static func isHex(_ b: UInt8) -> Bool { isDigit(b) || (b | 0x20) &- 0x61 < 6 }

    private func unscannable(_ p: Int, _ source: QuerySource) -> RealmError {
        let first = byte(p)
        var end = p + 1
        while byte(end) & 0xC0 == 0x80, end < p + 4 { end += 1 }
        let range = SourceRange(start: p, end: end)
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            return source.error(
                .syntax, "syntax", at: range,
                "this string has no end or holds a backslash that starts no escape")
        }
        if first == UInt8(ascii: "@") {
            let operators = QueryToken.operators.map { "\($0.0)" }.joined(separator: " ")
            return source.error(
                .syntax, "syntax", at: range, "no operator of this spelling (\(operators))")
        }
        let shown =
            first >= 0x20 && first < 0x7F || first >= 0xC2
            ? "'\(source.quote(range))'" : "byte \(first)"
        return source.error(.syntax, "syntax", at: range, "\(shown) starts no word of a query")
    }
}
