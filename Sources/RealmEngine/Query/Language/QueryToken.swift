/// One token: what it is and where (query language 2.1).
struct QueryToken {
    var kind: Kind
    let range: SourceRange
    /// Number of an argument place, or of a name that is not in the text; else -1.
    var number = -1

    enum Kind: UInt8 {
        case end
        case plus, minus, star, slash
        case equal, notEqual, less, lessEqual, greater, greaterEqual
        case leftBracket, rightBracket, leftParen, rightParen, leftBrace, rightBrace
        case comma, dot
        case and, or, not, any, all, none, `in`
        case beginsWith, endsWith, contains, like, text, between, geoWithin
        case truePredicate, falsePredicate
        case sort, distinct, limit, ascending, descending
        case binary, object, subquery, geoBox, geoPolygon, geoCircle
        case count
        /// An operator of an aggregate function.
        case function
        case links, type, keys, values
        case first, last, size
        /// `[c]`; of predicates also `[d]` and `[cd]`.
        case caseFlag
        case `true`, `false`, infinity, nan, null
        case uuid, objectID, epochTime, calendarTime, objectKey, typedKey
        case natural, number, float, argument, pathArgument
        case base64, string, name
        /// `%@` and its kin, and `MATCHES`, of predicates alone.
        case place, matches
    }

    /// A word with a meaning of its own that the grammar still accepts as a property name
    /// (query language 2.2).
    var isPathName: Bool {
        switch kind {
        case .name, .beginsWith, .endsWith, .contains, .like, .between, .text, .sort, .distinct,
            .limit, .ascending, .descending, .in, .binary, .first, .last, .size, .keys, .values,
            .links:
            true
        default: false
        }
    }
}

extension QueryToken {
    /// The kind of a reserved word, nil for an ordinary name.
    static func word(_ bytes: UnsafeBufferPointer<UInt8>) -> Kind? {
        guard let first = bytes.first, (first | 0x20) &- 0x61 < 26 else { return nil }
        for word in exactWords where word.spells(bytes) { return word.kind }
        for word in anyCaseWords where word.spellsFolded(bytes) { return word.kind }
        return nil
    }

    private struct Word {
        let text: StaticString
        let kind: Kind

        init(_ text: StaticString, _ kind: Kind) {
            self.text = text
            self.kind = kind
        }

        @inline(__always)
        func spells(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            guard bytes.count == text.utf8CodeUnitCount else { return false }
            for i in 0..<bytes.count where bytes[i] != text.utf8Start[i] { return false }
            return true
        }

        @inline(__always)
        func spellsFolded(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            guard bytes.count == text.utf8CodeUnitCount else { return false }
            for i in 0..<bytes.count where bytes[i] | 0x20 != text.utf8Start[i] { return false }
            return true
        }
    }

    /// Words whose spelling is fixed.
    private static let exactWords: [Word] = [
        Word("in", .in), Word("IN", .in), Word("not", .not), Word("NOT", .not), Word("any", .any),
        Word("ANY", .any), Word("some", .any), Word("SOME", .any), Word("all", .all),
        Word("ALL", .all), Word("none", .none), Word("NONE", .none), Word("FIRST", .first),
        Word("first", .first), Word("LAST", .last), Word("last", .last), Word("SIZE", .size),
        Word("size", .size), Word("true", .true), Word("TRUE", .true), Word("false", .false),
        Word("FALSE", .false),
    ]

    /// Words that may be written in any case: letters only, so that folding one bit is exact.
    private static let anyCaseWords: [Word] = [
        Word("and", .and), Word("or", .or), Word("beginswith", .beginsWith),
        Word("endswith", .endsWith), Word("contains", .contains), Word("like", .like),
        Word("text", .text), Word("between", .between), Word("geowithin", .geoWithin),
        Word("truepredicate", .truePredicate), Word("falsepredicate", .falsePredicate),
        Word("sort", .sort), Word("distinct", .distinct), Word("limit", .limit),
        Word("asc", .ascending), Word("ascending", .ascending), Word("desc", .descending),
        Word("descending", .descending), Word("bin", .binary), Word("binary", .binary),
        Word("obj", .object), Word("subquery", .subquery), Word("geobox", .geoBox),
        Word("geopolygon", .geoPolygon), Word("geocircle", .geoCircle), Word("inf", .infinity),
        Word("infinity", .infinity), Word("nan", .nan), Word("null", .null), Word("nil", .null),
    ]

    /// Operators that begin with `@`; the longest that fits wins, and none is a prefix of another.
    static let operators: [(StaticString, Kind)] =
        AggregateFunction.all.flatMap { function in
            let kind: Kind = function == .count ? .count : .function
            return function.operators.map { ($0, kind) }
        } + [("@links", .links), ("@type", .type), ("@keys", .keys), ("@values", .values)]
}
