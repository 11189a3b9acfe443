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
        case beginsWith, endsWith, contains, like, matches, text, between, geoWithin
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
        /// `7d`, of the extended language alone.
        case duration
        case base64, string, name
        /// `%@` and its kin, of predicates alone.
        case place
    }

    /// A word with a meaning of its own that the grammar still accepts as a property name
    /// (query language 2.2).
    var isPathName: Bool {
        switch kind {
        case .name, .beginsWith, .endsWith, .contains, .like, .matches, .between, .text, .sort,
            .distinct,
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
        guard bytes.count < words.count, let first = bytes.first, (first | 0x20) &- 0x61 < 26
        else { return nil }
        for word in words[bytes.count] where word.spells(bytes) { return word.kind }
        return nil
    }

    private struct Word {
        let text: StaticString
        let kind: Kind
        /// The bit that letters of either case differ in, where case does not matter.
        let folds: UInt8

        init(_ text: StaticString, _ kind: Kind, folds: UInt8 = 0) {
            self.text = text
            self.kind = kind
            self.folds = folds
        }

        /// Whether a text as long as the word is the word.
        @inline(__always)
        func spells(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            for i in 0..<bytes.count where bytes[i] | folds != text.utf8Start[i] { return false }
            return true
        }
    }

    /// Reserved words by their length.
    private static let words: [[Word]] = {
        let all =
            exactWords.map { Word($0.0, $0.1) } + anyCaseWords.map { Word($0.0, $0.1, folds: 0x20) }
        let longest = all.map(\.text.utf8CodeUnitCount).max() ?? 0
        return (0...longest).map { length in
            all.filter { $0.text.utf8CodeUnitCount == length }
        }
    }()

    /// Words whose spelling is fixed.
    private static let exactWords: [(StaticString, Kind)] = [
        ("in", .in), ("IN", .in), ("not", .not), ("NOT", .not), ("any", .any), ("ANY", .any),
        ("some", .any), ("SOME", .any), ("all", .all), ("ALL", .all), ("none", .none),
        ("NONE", .none), ("FIRST", .first), ("first", .first), ("LAST", .last), ("last", .last),
        ("SIZE", .size), ("size", .size), ("true", .true), ("TRUE", .true), ("false", .false),
        ("FALSE", .false),
    ]

    /// Words that may be written in any case: letters only, so that folding one bit is exact.
    private static let anyCaseWords: [(StaticString, Kind)] = [
        ("and", .and), ("or", .or), ("beginswith", .beginsWith), ("endswith", .endsWith),
        ("contains", .contains), ("like", .like), ("matches", .matches), ("text", .text),
        ("between", .between),
        ("geowithin", .geoWithin), ("truepredicate", .truePredicate),
        ("falsepredicate", .falsePredicate), ("sort", .sort), ("distinct", .distinct),
        ("limit", .limit), ("asc", .ascending), ("ascending", .ascending), ("desc", .descending),
        ("descending", .descending), ("bin", .binary), ("binary", .binary), ("obj", .object),
        ("subquery", .subquery), ("geobox", .geoBox), ("geopolygon", .geoPolygon),
        ("geocircle", .geoCircle), ("inf", .infinity), ("infinity", .infinity), ("nan", .nan),
        ("null", .null), ("nil", .null),
    ]

    /// Operators that begin with `@`; the longest that fits wins, and none is a prefix of another.
    static let operators: [(StaticString, Kind)] =
        AggregateFunction.all.flatMap { function in
            let kind: Kind = function == .count ? .count : .function
            return function.operators.map { ($0, kind) }
        } + [("@links", .links), ("@type", .type), ("@keys", .keys), ("@values", .values)]
}
