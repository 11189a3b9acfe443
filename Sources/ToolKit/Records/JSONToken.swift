/// Kind of a JSON value, by its notation.
package enum JSONKind: UInt8 {
    case null
    case bool
    /// Digits without fraction or exponent, in the range of Int64.
    case int
    /// Any other number: with fraction or exponent, out of range, or negative zero.
    case number
    case string
    case array
    case object
}

/// One value of a parsed record. Trivial, 32 bytes; offsets are relative to the first byte of the
/// record.
///
/// The children of a container and their descendants follow it; `next` is the distance to the
/// container's next sibling.
package struct JSONToken {
    /// The bits of an integer or boolean, or the number of children of a container. For a string
    /// that has been unescaped, the address of its text, which its size precedes.
    package var payload: UInt64 = 0
    /// Offset of the first byte; for a string, after the quote.
    package var offset: UInt32 = 0
    /// Size in bytes; for a string, between the quotes.
    var length: UInt32 = 0
    /// Number of tokens to the next sibling.
    package var next: UInt32 = 1
    /// Offset of the name of a value in an object. With `escapedKey`, an index into the tape's
    /// unescaped names.
    var keyOffset: UInt32 = 0
    var keyLength: UInt32 = 0
    package var kind = JSONKind.null
    var flags: UInt8 = 0

    /// The string contains escapes.
    static let escaped: UInt8 = 1
    /// `payload` is the address of the unescaped string.
    static let unescaped: UInt8 = 2
    /// `keyOffset` is an index into the tape's unescaped names.
    static let escapedKey: UInt8 = 4
    /// `payload` is a whole number from 2^63 on, as UInt64.
    package static let unsigned: UInt8 = 8
}

/// A syntax error. Trivial, so that throwing it costs nothing.
package struct JSONFault: Error {
    package enum Kind: UInt8 {
        case value, fieldName, fieldNameOrEnd, colon, commaOrObjectEnd, commaOrArrayEnd
        case digit, digitAfterZero, escape, hexDigit, lowSurrogate, loneSurrogate
        case control, utf8, depth, duplicate, recordEnd
    }

    package let kind: Kind
    /// Offset in the record of the unexpected byte.
    package let offset: Int

    @inline(__always)
    init(_ kind: Kind, _ offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}
