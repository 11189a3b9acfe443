/// Form of a table in text.
package struct Dialect: Sendable, Equatable {
    package enum Escapes: Sendable {
        /// RFC 4180: a field with separators, quotes or line ends is in double quotes. Null is nothing
        /// between separators, `""` an empty string.
        case quotes
        /// `\t \n \r \\` in text; null is `\N`.
        case backslashes
    }

    package let escapes: Escapes
    /// An ASCII character between fields.
    package private(set) var separator: UInt8
    /// Whether the first line may choose another separator, since no option names one.
    package private(set) var isGuessed: Bool
    /// Whether rows with fewer fields than the header end in nulls, and empty fields beyond it are passed over.
    package var isRagged = false

    /// Whether `3,14` is a number, as programs write it that separate fields by semicolons.
    package var hasDecimalComma: Bool { separator == UInt8(ascii: ";") }

    package static let csv = Dialect(.quotes, UInt8(ascii: ","), isGuessed: true)
    package static let tsv = Dialect(.backslashes, 9, isGuessed: false)

    /// A table whose fields are quoted as in CSV.
    package static func quoted(separator: UInt8) -> Dialect {
        Dialect(.quotes, separator, isGuessed: false)
    }

    private init(_ escapes: Escapes, _ separator: UInt8, isGuessed: Bool) {
        self.escapes = escapes
        self.separator = separator
        self.isGuessed = isGuessed
    }

    /// Separators that a header without a comma may have.
    private static let candidates: [UInt8] = [UInt8(ascii: ";"), 9, UInt8(ascii: "|")]

    /// The dialect with the most frequent separator of a header, outside of quotes. The same dialect if the
    /// header has a comma or none of the others.
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

    /// The separator as messages show it.
    package var separatorName: String {
        separator == 9 ? "a tab" : "'\(Character(UnicodeScalar(separator)))'"
    }
}
