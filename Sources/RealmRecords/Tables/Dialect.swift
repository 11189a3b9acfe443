/// Syntax of a table in text form: CSV or TSV.
package struct Dialect: Sendable, Equatable {
    package enum Escapes: Sendable {
        /// RFC 4180: a field that contains a separator, a quotation mark or a line end is quoted.
        /// An empty field is null, and `""` is an empty string.
        case quotes
        /// Text has the escapes `\t \n \r \\`. Null is written `\N`.
        case backslashes
    }

    package let escapes: Escapes
    /// The ASCII character between fields.
    package private(set) var separator: UInt8
    /// Whether the separator is only a guess, because no option gives it. The header may then
    /// determine another separator.
    package private(set) var isGuessed: Bool
    /// Whether rows may have another number of fields than the header: missing fields are null, and
    /// empty fields beyond the header are ignored.
    package var isRagged = false

    /// Whether `3,14` is a number, as in files with semicolons between fields.
    package var hasDecimalComma: Bool { separator == UInt8(ascii: ";") }

    package static let csv = Dialect(.quotes, UInt8(ascii: ","), isGuessed: true)
    package static let tsv = Dialect(.backslashes, 9, isGuessed: false)

    /// Makes a dialect with a separator and the quotes of CSV.
    package static func quoted(separator: UInt8) -> Dialect {
        Dialect(.quotes, separator, isGuessed: false)
    }

    private init(_ escapes: Escapes, _ separator: UInt8, isGuessed: Bool) {
        self.escapes = escapes
        self.separator = separator
        self.isGuessed = isGuessed
    }

    /// Separators that are considered if the header contains no comma.
    private static let candidates: [UInt8] = [UInt8(ascii: ";"), 9, UInt8(ascii: "|")]

    /// Returns this dialect with another separator: the candidate that is most frequent in the
    /// header, outside of quoted fields. Returns it unchanged if the header contains a comma or no
    /// candidate.
    func guessed(from header: UnsafeRawBufferPointer) -> Dialect {
        var counts = [0, 0, 0]
        var isQuoted = false
        for byte in header {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == separator { return self }
            if let index = Self.candidates.firstIndex(of: byte) { counts[index] += 1 }
        }
        guard let most = counts.max(), most > 0, let index = counts.firstIndex(of: most) else {
            return self
        }
        var result = self
        (result.separator, result.isGuessed) = (Self.candidates[index], false)
        return result
    }

    /// The separator for messages.
    package var separatorName: String {
        separator == 9 ? "a tab" : "'\(Character(UnicodeScalar(separator)))'"
    }
}
