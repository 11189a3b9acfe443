/// Hints on the form of dates, for errors at text that looks like a date in another form.
extension QuerySource {
    /// Whether the word at an offset looks like the start of a date: `2024-06-01`.
    func isInDate(_ offset: Int) -> Bool {
        var start = min(offset, text.count)
        while start > 0, Self.isOfDate(text[start - 1]) { start -= 1 }
        var end = start
        for separator in [UInt8(ascii: "-"), UInt8(ascii: "-"), nil] {
            let digits = end
            while end < text.count, QueryLexer.isDigit(text[end]) { end += 1 }
            guard end > digits else { return false }
            guard let separator else { return true }
            guard end < text.count, text[end] == separator else { return false }
            end += 1
        }
        return false
    }

    private static func isOfDate(_ byte: UInt8) -> Bool {
        QueryLexer.isDigit(byte) || "-+:.@TZ".utf8.contains(byte)
    }

    /// Returns the error with a hint on the forms of dates.
    func advisingDates(_ error: RealmError) -> RealmError {
        RealmError(
            error.kind, code: error.code, reason: error.reason, error.message,
            hint: (error.hint.map { $0 + "\n" } ?? "") + QueryAdvice.dates)
    }
}

/// Standard hints that callers may append to the hint of a query error.
package enum QueryAdvice {
    /// Hint on the forms of dates.
    package static let dates =
        "a date is written 2024-06-01T10:00:00, which is UTC; other forms of ISO 8601 are given "
        + "as an argument"
}
