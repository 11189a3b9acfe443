/// A range of the query text, as byte offsets.
struct SourceRange: Equatable, Sendable {
    var start: Int
    var end: Int

    /// Placeholder for the range of a part of the query tree that was built by a program, not
    /// parsed from text.
    static let none = SourceRange(start: -1, end: -1)

    /// Returns the range from the start of this range to the end of `other`.
    func through(_ other: SourceRange) -> SourceRange {
        SourceRange(start: start, end: max(end, other.end))
    }
}

/// The text of a query, kept so that errors can show the position of a mistake.
struct QuerySource: Sendable {
    let text: [UInt8]
    /// The language in which the text is written: a query language or `NSPredicate`.
    var dialect = QueryDialect.language

    /// Error codes of the reference library (query language 24).
    enum Code: String {
        case syntax = "SyntaxError"
        case invalidQuery = "InvalidQuery"
        case invalidQueryArg = "InvalidQueryArg"
        case invalidArgument = "InvalidArgument"
        case illegalOperation = "IllegalOperation"
        case invalidSortDescriptor = "InvalidSortDescriptor"
        case limitExceeded = "LimitExceeded"
        case noSuchTable = "NoSuchTable"
        case runtime = "RuntimeError"
    }

    /// Makes the error for a range: the message contains its position, the hint shows the line with
    /// carets under the range.
    @inline(never)
    func error(
        _ code: Code, _ reason: String, at range: SourceRange, _ message: String
    ) -> RealmError {
        guard range.start >= 0 else {
            return RealmError(.misuse, code: code.rawValue, reason: reason, message)
        }
        let place = LineAndColumn(of: min(range.start, text.count), in: text)
        return RealmError(
            .misuse, code: code.rawValue, reason: reason, "\(place.name): \(message)",
            hint: place.picture(of: range, in: text))
    }

    /// Returns the text of a range for use in a message, shortened if it is long.
    func quote(_ range: SourceRange) -> String {
        guard range.start >= 0, range.end <= text.count, range.start < range.end else { return "" }
        let limit = 40
        let part = text[range.start..<range.end]
        if part.count <= limit { return String(decoding: part, as: UTF8.self) }
        return String(decoding: part.prefix(limit), as: UTF8.self) + "..."
    }
}

/// Line and column of a byte of the query text; columns count characters, starting at 1.
private struct LineAndColumn {
    let line: Int
    let column: Int
    let lineStart: Int
    let lineEnd: Int
    let isOneLine: Bool

    init(of offset: Int, in text: [UInt8]) {
        var line = 1
        var start = 0
        for i in 0..<offset where text[i] == UInt8(ascii: "\n") {
            line += 1
            start = i + 1
        }
        var end = offset
        while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
        self.line = line
        lineStart = start
        lineEnd = end
        column = 1 + Self.characters(text[start..<offset])
        isOneLine = line == 1 && end == text.count
    }

    var name: String { isOneLine ? "column \(column)" : "line \(line), column \(column)" }

    /// Returns the line that contains the range, shortened to about a screen's width, with carets
    /// under the range.
    func picture(of range: SourceRange, in text: [UInt8]) -> String {
        let at = min(range.start, text.count)
        let reach = 48
        var from = max(lineStart, at - reach)
        while from > lineStart, text[from] & 0xC0 == 0x80 { from -= 1 }
        var to = min(lineEnd, at + reach)
        while to < lineEnd, text[to] & 0xC0 == 0x80 { to += 1 }
        let before = Self.printable(text[from..<at])
        let after = Self.printable(text[at..<to])
        let dots = from > lineStart ? "..." : ""
        let pad = String(repeating: " ", count: dots.count + before.unicodeScalars.count)
        let width = max(1, Self.characters(text[at..<max(at, min(range.end, to))]))
        let marks = String(repeating: "^", count: width)
        return dots + before + after + (to < lineEnd ? "..." : "") + "\n" + pad + marks
    }

    private static func characters(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }

    private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
    }
}
