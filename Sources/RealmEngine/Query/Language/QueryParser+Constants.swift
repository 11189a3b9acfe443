/// Parses literals (query language 2.3 to 2.7).
extension QueryParser {
    /// Parses the constant at the current token; nil if there is none. Does not parse words that
    /// may also be property names, such as `binary`.
    mutating func constant() throws(RealmError) -> QueryConstant? {
        let constant: QueryConstant
        switch token.kind {
        case .object: return try object()
        case .null: constant = .null
        case .true: constant = .bool(true)
        case .false: constant = .bool(false)
        case .infinity: constant = .infinity(isNegative: bytes(of: token).first == 0x2D)
        case .nan: constant = .nan
        case .float: constant = float(token)
        case .base64: constant = .string(try base64(token))
        case .epochTime: constant = .timestamp(try epochTime(token))
        case .calendarTime: constant = .timestamp(try calendarTime(token))
        case .objectKey: constant = .objectKey(digits(bytes(of: token).dropFirst()))
        case .typedKey: constant = typedKey(token)
        default: return try key()
        }
        try advance()
        return constant
    }

    /// Parses a primary key inside `obj()`; nil if the current token is no constant allowed there.
    private mutating func key() throws(RealmError) -> QueryConstant? {
        let constant: QueryConstant
        switch token.kind {
        case .natural, .number: constant = .int(integer(token))
        case .string: constant = .string(stringBytes(token))
        case .uuid: constant = .uuid(uuid(token))
        case .objectID: constant = .objectID(objectID(token))
        case .argument: return try argument(nil)
        default: return nil
        }
        try advance()
        return constant
    }

    /// Parses an argument such as `$0`, after the parser has parsed its quantifier.
    mutating func argument(_ quantifier: QueryQuantifier?) throws(RealmError) -> QueryConstant {
        .argument(argumentNumber(try advance(), prefix: 1), quantifier)
    }

    /// Parses `( "text" )` after the word `binary`.
    mutating func binary() throws(RealmError) -> QueryConstant {
        try advance()
        let text = try advance()
        let content: [UInt8]
        switch text.kind {
        case .string: content = stringBytes(text)
        case .base64: content = try base64(text)
        default:
            throw source.error(
                .syntax, "syntax", at: text.range, "binary() takes a quoted text or B64\"...\"")
        }
        try expect(.rightParen, "')'")
        return .binary(content)
    }

    private mutating func object() throws(RealmError) -> QueryConstant {
        try advance()
        try expect(.leftParen, "'(' after obj")
        let name = try expect(.string, "the name of a class in quotes")
        try expect(.comma, "',' and a primary key")
        guard let key = try key() else { throw unexpected("a primary key") }
        try expect(.rightParen, "')'")
        return .object(className: stringBytes(name), key: key)
    }

    /// Parses `{a, b, ...}`.
    mutating func list(_ quantifier: QueryQuantifier?) throws(RealmError) -> QueryList {
        let open = try expect(.leftBrace, "'{'")
        var elements: [QueryElement] = []
        if token.kind != .rightBrace {
            repeat { elements.append(try element()) } while try accept(.comma)
        }
        try expect(.rightBrace, "',' or '}'")
        return QueryList(
            quantifier: quantifier, elements: elements, range: open.range.through(previous))
    }

    private mutating func element() throws(RealmError) -> QueryElement {
        let start = token.range
        let constant: QueryConstant
        if let quantifier = try quantifier() {
            guard token.kind == .argument else { throw unexpected("an argument such as $0") }
            constant = try argument(quantifier)
        } else if token.kind == .place {
            constant = .value(try placeValue())
        } else if try accept(.binary) {
            guard token.kind == .leftParen else { throw unexpected("'(' after binary") }
            constant = try binary()
        } else if let plain = try self.constant() {
            constant = plain
        } else {
            throw unexpected("a value")
        }
        return QueryElement(constant: constant, range: start.through(previous))
    }
}

// MARK: - Values of tokens

extension QueryParser {
    /// Converts digits to an integer; returns the maximum if the integer is too large.
    private func digits(_ bytes: ArraySlice<UInt8>, radix: UInt64 = 10) -> Int64 {
        var value: UInt64 = 0
        for b in bytes {
            let digit = UInt64(b < 0x3A ? b &- 0x30 : (b | 0x20) &- 0x57)
            if digit >= radix { break }
            let (product, overflow) = value.multipliedReportingOverflow(by: radix)
            if overflow || product > UInt64(Int64.max) { return .max }
            value = product + digit
            if value > UInt64(Int64.max) { return .max }
        }
        return Int64(value)
    }

    /// Converts `natural` and `number` tokens. The radix follows the rules of C; numbers
    /// beyond 64 bits become the nearest 64-bit integer (query language 2.3).
    mutating func integer(_ token: QueryToken) -> Int64 {
        var bytes = bytes(of: token)
        let isNegative = bytes.first == UInt8(ascii: "-")
        if bytes.first.map(QueryLexer.isSign) == true { bytes = bytes.dropFirst() }
        let magnitude: Int64
        if bytes.count > 2, bytes.first == 0x30, bytes.dropFirst().first! | 0x20 == 0x78 {
            magnitude = digits(bytes.dropFirst(2), radix: 16)
        } else {
            magnitude = digits(bytes, radix: bytes.count > 1 && bytes.first == 0x30 ? 8 : 10)
        }
        guard isNegative else { return magnitude }
        return magnitude == .max && !Self.spellsMaximum(bytes) ? .min : -magnitude
    }

    /// Whether the digits denote exactly the maximum integer, in contrast to digits of a larger
    /// number, which are converted to the maximum, too.
    private static func spellsMaximum(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.elementsEqual("9223372036854775807".utf8)
            || bytes.elementsEqual("0777777777777777777777".utf8)
    }

    /// Returns the number n of an argument `$n` or `$Kn`; the maximum integer if n is too large.
    mutating func argumentNumber(_ token: QueryToken, prefix: Int) -> Int {
        Int(digits(bytes(of: token).dropFirst(prefix)))
    }

    /// Returns the raw text between the quotes, with escapes unresolved (query language 2.4).
    mutating func stringBytes(_ token: QueryToken) -> [UInt8] {
        [UInt8](bytes(of: token).dropFirst().dropLast())
    }

    mutating func float(_ token: QueryToken) -> QueryConstant {
        let text = [UInt8](bytes(of: token))
        if text.last == UInt8(ascii: "f") {
            let digits = Array(text.dropLast())
            return .float(Float(String(decoding: digits, as: UTF8.self)) ?? 0, text: digits)
        }
        return .double(Double(String(decoding: text, as: UTF8.self)) ?? 0, text: text)
    }

    private mutating func typedKey(_ token: QueryToken) -> QueryConstant {
        let parts = bytes(of: token).dropFirst().split(separator: UInt8(ascii: ":"))
        let table = UInt32(clamping: digits(parts[0]))
        return .typedKey(table, digits(parts[1]))
    }

    /// Returns the object id of a token; the lexer has checked its digits.
    private mutating func objectID(_ token: QueryToken) -> ObjectID {
        withText(bytes(of: token).dropFirst(4).dropLast()) { ObjectID(text: $0) }
            ?? ObjectID(high: 0, low: 0)
    }

    private mutating func uuid(_ token: QueryToken) -> UUIDValue {
        withText(bytes(of: token).dropFirst(5).dropLast()) { UUIDValue(text: $0) }
            ?? UUIDValue(high: 0, low: 0)
    }

    private func withText<Result>(_ bytes: ArraySlice<UInt8>, _ body: (ByteView) -> Result)
        -> Result
    {
        (Array(bytes) + [0]).withUnsafeBytes {
            body(ByteView($0.baseAddress!, count: bytes.count))
        }
    }

    /// Decodes `B64"..."`; padding is optional (query language 2.4).
    mutating func base64(_ token: QueryToken) throws(RealmError) -> [UInt8] {
        var digits = bytes(of: token).dropFirst(4).dropLast()
        for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits = digits.dropLast() }
        var buffer = ByteBuffer(capacity: digits.count + 4)
        guard withText(digits, { buffer.append(decodingBase64: $0) }) else {
            throw source.error(
                .syntax, "syntax", at: token.range, "this text cannot be decoded as base64")
        }
        return Array(buffer.bytes)
    }
}
