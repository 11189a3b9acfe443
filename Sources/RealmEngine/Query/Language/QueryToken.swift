/// A token of query text: its kind, and its range in the text (query language 2.1).
struct QueryToken {
    var kind: Kind
    let range: SourceRange
    /// For an argument placeholder, its number. For a name that is not in the query text, its index
    /// in `QueryParser.names`. Otherwise -1.
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
        /// An aggregate operator such as `@min`.
        case function
        case links, type, keys, values
        case first, last, size
        /// The flag `[c]`; in predicates also `[d]` and `[cd]`.
        case caseFlag
        case `true`, `false`, infinity, nan, null
        case uuid, objectID, epochTime, calendarTime, objectKey, typedKey
        case natural, number, float, argument, pathArgument
        /// A duration such as `7d`; in the extended language only.
        case duration
        case base64, string, name
        /// An argument placeholder such as `%@`; in predicates only.
        case place
    }

    /// Whether the token is a name, or a keyword that the grammar accepts as a property name (query
    /// language 2.2).
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
    /// Returns the token kind of a word if it is a keyword; nil for a name.
    static func word(_ bytes: UnsafeBufferPointer<UInt8>) -> Kind? {
        guard bytes.count < words.count, let first = bytes.first, (first | 0x20) &- 0x61 < 26
        else { return nil }
        for word in words[bytes.count] where word.spells(bytes) { return word.kind }
        return nil
    }

    private struct Word {
        let text: StaticString
        let kind: Kind
        /// Bit that differs between upper and lower case letters, if the keyword may be in any
        /// case; 0 if it must be in the case of `text`.
        let folds: UInt8

        init(_ text: StaticString, _ kind: Kind, folds: UInt8 = 0) {
            self.text = text
            self.kind = kind
            self.folds = folds
        }

        /// Whether a text equals the keyword. The text must have the length of the keyword.
        @inline(__always)
        func spells(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
            for i in 0..<bytes.count where bytes[i] | folds != text.utf8Start[i] { return false }
            return true
        }
    }

    /// Keywords of the query language, by their length in bytes.
    private static let words: [[Word]] = {
        let all =
            exactWords.map { Word($0.0, $0.1) } + anyCaseWords.map { Word($0.0, $0.1, folds: 0x20) }
        let longest = all.map(\.text.utf8CodeUnitCount).max() ?? 0
        return (0...longest).map { length in
            all.filter { $0.text.utf8CodeUnitCount == length }
        }
    }()

    /// Keywords that are matched exactly.
    private static let exactWords: [(StaticString, Kind)] = [
        ("in", .in), ("IN", .in), ("not", .not), ("NOT", .not), ("any", .any), ("ANY", .any),
        ("some", .any), ("SOME", .any), ("all", .all), ("ALL", .all), ("none", .none),
        ("NONE", .none), ("FIRST", .first), ("first", .first), ("LAST", .last), ("last", .last),
        ("SIZE", .size), ("size", .size), ("true", .true), ("TRUE", .true), ("false", .false),
        ("FALSE", .false),
    ]

    /// Keywords that are matched in any case. They contain only letters, for which ignoring one bit
    /// of each byte is the same as ignoring case.
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

    /// Operators that begin with `@`. None is a prefix of another one.
    static let operators: [(StaticString, Kind)] =
        AggregateFunction.all.flatMap { function in
            let kind: Kind = function == .count ? .count : .function
            return function.operators.map { ($0, kind) }
        } + [("@links", .links), ("@type", .type), ("@keys", .keys), ("@values", .values)]
}
