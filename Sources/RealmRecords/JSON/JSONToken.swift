/// Kind of a JSON value, determined by its notation.
package enum JSONKind: UInt8 {
    case null
    case bool
    /// A number without fraction and exponent, in the range of Int64.
    case int
    /// Any other number: with a fraction or exponent, out of the range of Int64, or negative zero.
    case number
    case string
    case array
    case object
}

/// One value of a parsed record. A trivial type of 32 bytes. Offsets are relative to the first byte
/// of the record.
///
/// The tokens of a container's children and their descendants follow the token of the container.
/// `next` is the distance to the next sibling of the container.
package struct JSONToken {
    /// The bits of an integer or Boolean, or the number of children of a container. For a string
    /// that was decoded, the address of its decoded text; the size precedes the text.
    package var payload: UInt64 = 0
    /// Offset of the first byte. For a string, offset after the opening quotation mark.
    package var offset: UInt32 = 0
    /// Size in bytes. For a string, without the quotation marks.
    var length: UInt32 = 0
    /// Number of tokens to the next sibling.
    package var next: UInt32 = 1
    /// For a value in an object, offset of its name. With the flag `escapedKey`, an index into
    /// `JSONTape.escapedKeys`, the array of decoded names.
    var keyOffset: UInt32 = 0
    var keyLength: UInt32 = 0
    package var kind = JSONKind.null
    var flags: UInt8 = 0

    /// Flag: the string contains escapes.
    static let escaped: UInt8 = 1
    /// Flag: the string was decoded, and `payload` is the address of the decoded text.
    static let unescaped: UInt8 = 2
    /// Flag: the name of the field contains escapes, and `keyOffset` is an index into
    /// `JSONTape.escapedKeys`.
    static let escapedKey: UInt8 = 4
    /// Flag: the value is a whole number of at least 2^63, and `payload` contains it as a `UInt64`.
    package static let unsigned: UInt8 = 8
}

/// A syntax error. A trivial type, so that throwing it allocates no memory.
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
