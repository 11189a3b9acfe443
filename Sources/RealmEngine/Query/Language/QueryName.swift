/// Names of properties in the text of a query.
package enum QueryName {
    /// The name as it is written where quoted names are allowed: in predicates, and in the tail of
    /// `Query.init(_:followedBy:arguments:)`. A name that is not plain is put in backticks.
    package static func spelled(_ name: String) -> String {
        if isPlain(name) { return name }
        var quoted = "`"
        for character in name.unicodeScalars {
            if character == "`" || character == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "`"
    }

    /// Whether a query takes the name as it is.
    package static func isPlain(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { text in
            let lexer = QueryLexer(text)
            guard lexer.nameStart(0) > 0, !text.contains(UInt8(ascii: "\\")) else { return false }
            let (kind, end) = lexer.scanWord(0)
            return end == text.count
                && QueryToken(kind: kind, range: SourceRange(start: 0, end: end)).isPathName
        }
    }
}

extension QueryLexer {
    /// End of the quoted name at `p`; nil if it is empty or has no end.
    func scanQuotedName(_ p: Int) -> Int? {
        var at = p + 1
        while at < text.count {
            switch text[at] {
            case UInt8(ascii: "`"): return at > p + 1 ? at + 1 : nil
            case UInt8(ascii: "\\"): at += 2
            default: at += 1
            }
        }
        return nil
    }

    /// The name between backticks, in which a backtick or a backslash is escaped by a backslash.
    static func unquoted(_ raw: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var isEscaped = false
        for byte in raw.dropFirst().dropLast() {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                result.append(byte)
                isEscaped = false
            }
        }
        return result
    }
}
