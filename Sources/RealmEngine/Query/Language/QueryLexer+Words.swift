/// Scans words: names, keywords, and literals that begin with a letter.
extension QueryLexer {
    /// Returns the length in bytes of the character at `p` if a name may start with it; otherwise
    /// 0.
    func nameStart(_ p: Int) -> Int {
        let b = byte(p)
        if b < 0x80 {
            return Self.isLetter(b) || b == UInt8(ascii: "_") || b == UInt8(ascii: "$") ? 1 : 0
        }
        let length = b >= 0xF0 && b <= 0xF4 ? 4 : b >= 0xE0 ? 3 : b >= 0xC2 ? 2 : 0
        guard length > 0, b <= 0xF4, p + length <= text.count else { return 0 }
        for i in 1..<length where byte(p + i) & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// Returns the end of the name that starts at `p`.
    func nameEnd(_ p: Int) -> Int {
        var end = p + nameStart(p)
        while true {
            let b = byte(end)
            if Self.isDigit(b) || b == UInt8(ascii: "-") {
                end += 1
            } else if b == UInt8(ascii: "\\"), Self.escapedByte(byte(end + 1)) != nil {
                end += 2
            } else {
                let more = nameStart(end)
                if more == 0 { return end }
                end += more
            }
        }
    }

    /// Returns the byte that an escape of a backslash and `b` represents in a name; nil if there is
    /// no such escape.
    private static func escapedByte(_ b: UInt8) -> UInt8? {
        switch b {
        case UInt8(ascii: " "): 0x20
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// Returns the name of a token with escapes resolved.
    func name(of token: QueryToken) -> String {
        let raw = UnsafeBufferPointer(rebasing: text[token.range.start..<token.range.end])
        switch token.kind {
        case .keys: return "@keys"
        case .values: return "@values"
        case .name: break
        default: return String(decoding: raw, as: UTF8.self)
        }
        if raw.first == UInt8(ascii: "#") {
            return String(decoding: raw.dropFirst(), as: UTF8.self)
        }
        guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
        return String(decoding: unescaped(raw), as: UTF8.self)
    }

    private func unescaped(_ raw: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var i = raw.startIndex
        while i < raw.endIndex {
            if raw[i] == UInt8(ascii: "\\"), i + 1 < raw.endIndex,
                let plain = Self.escapedByte(raw[i + 1])
            {
                result.append(plain)
                i += 2
            } else {
                result.append(raw[i])
                i += 1
            }
        }
        return result
    }

    /// Scans a token that begins with a letter, `_`, `$` or a character beyond ASCII.
    func scanWord(_ p: Int) -> (QueryToken.Kind, Int) {
        let end = nameEnd(p)
        if let longer = scanLiteralWord(p), longer.1 >= end { return longer }
        if let kind = argumentKind(p, end) { return (kind, end) }
        return (QueryToken.word(UnsafeBufferPointer(rebasing: text[p..<end])) ?? .name, end)
    }

    /// Scans a literal that begins with a letter, such as a UUID; nil if there is none at `p`. The
    /// same text may begin a longer name, which the caller then prefers.
    private func scanLiteralWord(_ p: Int) -> (QueryToken.Kind, Int)? {
        switch byte(p) {
        case UInt8(ascii: "u"): return scanUUID(p).map { (.uuid, $0) }
        case UInt8(ascii: "o"): return scanObjectID(p).map { (.objectID, $0) }
        case UInt8(ascii: "T"): return scanEpochTime(p).map { (.epochTime, $0) }
        case UInt8(ascii: "B"): return scanBase64(p).map { (.base64, $0) }
        case UInt8(ascii: "O"):
            let end = digitsEnd(p + 1)
            return end > p + 1 ? (.objectKey, end) : nil
        case UInt8(ascii: "L"):
            let colon = digitsEnd(p + 1)
            guard colon > p + 1, byte(colon) == UInt8(ascii: ":") else { return nil }
            let end = digitsEnd(colon + 1)
            return end > colon + 1 ? (.typedKey, end) : nil
        default: return nil
        }
    }

    /// Returns the token kind of the argument `$12` or `$K12`; nil if the token has another form.
    private func argumentKind(_ p: Int, _ end: Int) -> QueryToken.Kind? {
        guard byte(p) == UInt8(ascii: "$") else { return nil }
        let isPath = byte(p + 1) == UInt8(ascii: "K")
        let digits = p + (isPath ? 2 : 1)
        guard digits < end, digitsEnd(digits) == end else { return nil }
        return isPath ? .pathArgument : .argument
    }

    private func hexEnd(_ p: Int, _ count: Int) -> Int? {
        for i in 0..<count where !Self.isHex(byte(p + i)) { return nil }
        return p + count
    }

    private func scanUUID(_ p: Int) -> Int? {
        guard starts(p, with: "uuid(") else { return nil }
        var at = p + 5
        for (i, digits) in [8, 4, 4, 4, 12].enumerated() {
            if i > 0 {
                guard byte(at) == UInt8(ascii: "-") else { return nil }
                at += 1
            }
            guard let end = hexEnd(at, digits) else { return nil }
            at = end
        }
        return byte(at) == UInt8(ascii: ")") ? at + 1 : nil
    }

    private func scanObjectID(_ p: Int) -> Int? {
        guard starts(p, with: "oid("), let end = hexEnd(p + 4, 24) else { return nil }
        return byte(end) == UInt8(ascii: ")") ? end + 1 : nil
    }

    private func scanEpochTime(_ p: Int) -> Int? {
        let colon = signedEnd(p + 1)
        guard colon > p + 1, byte(colon) == UInt8(ascii: ":") else { return nil }
        let end = signedEnd(colon + 1)
        return end > colon + 1 ? end : nil
    }

    private func scanBase64(_ p: Int) -> Int? {
        guard starts(p, with: "B64\"") else { return nil }
        var end = p + 4
        while true {
            let b = byte(end)
            switch b {
            case UInt8(ascii: "\""): return end + 1
            case UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "="): end += 1
            default:
                guard Self.isDigit(b) || Self.isLetter(b) else { return nil }
                end += 1
            }
        }
    }
}
