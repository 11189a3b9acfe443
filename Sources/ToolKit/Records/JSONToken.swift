/// What a JSON value is, as written.
package enum JSONKind: UInt8 {
    case null
    case bool
    /// Digits alone, within 64 bits signed.
    case int
    /// Any other number: a fraction, an exponent, too large, or minus zero.
    case number
    case string
    case array
    case object
}

/// One value of a parsed record. Trivial, 32 bytes; offsets count from the record's first byte.
///
/// A container is followed by its children, each with everything below it; `next` leads over all of
/// that to the container's own sibling.
package struct JSONToken {
    /// The integer's or boolean's bits; the number of children of a container; the address of a
    /// string's unescaped bytes, headed by their count, once somebody asked for them.
    package var payload: UInt64 = 0
    /// First byte; of a string the first behind the quote.
    package var offset: UInt32 = 0
    /// Bytes; of a string those between the quotes.
    var length: UInt32 = 0
    /// Tokens from here to the next sibling.
    package var next: UInt32 = 1
    /// Where the name of this field is, for a value inside an object; an index into the tape's
    /// unescaped names if the flag says so.
    var keyOffset: UInt32 = 0
    var keyLength: UInt32 = 0
    package var kind = JSONKind.null
    var flags: UInt8 = 0

    /// The string holds escapes.
    static let escaped: UInt8 = 1
    /// `payload` holds the address of the unescaped string.
    static let unescaped: UInt8 = 2
    /// `keyOffset` is an index into the tape's unescaped names.
    static let escapedKey: UInt8 = 4
    /// The number is a whole one of 2^63 or more that fits 64 bits unsigned (in `payload`).
    package static let unsigned: UInt8 = 8
}

/// What a scanner stumbled over; trivial, so that throwing it costs nothing.
package struct JSONFault: Error {
    package enum Kind: UInt8 {
        case value, fieldName, fieldNameOrEnd, colon, commaOrObjectEnd, commaOrArrayEnd
        case digit, digitAfterZero, escape, hexDigit, lowSurrogate, loneSurrogate
        case control, utf8, depth, duplicate, recordEnd
    }

    package let kind: Kind
    /// The byte that did not fit, counted from the record's first byte.
    package let offset: Int

    @inline(__always)
    init(_ kind: Kind, _ offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}
