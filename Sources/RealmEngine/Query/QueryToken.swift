/// One token: what it is and where (query language 2.1).
struct QueryToken {
    let kind: Kind
    let range: SourceRange

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
        case count, max, min, sum, average, links, type, keys, values
        case first, last, size
        case caseFlag
        case `true`, `false`, infinity, nan, null
        case uuid, objectID, epochTime, calendarTime, objectKey, typedKey
        case natural, number, float, argument, pathArgument
        case base64, string, name
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
    static func word(_ bytes: ArraySlice<UInt8>) -> Kind? {
        guard bytes.count <= 14, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return exactWord(text) ?? anyCaseWord(text.lowercased())
    }

    /// Words whose spelling is fixed.
    private static func exactWord(_ text: String) -> Kind? {
        switch text {
        case "in", "IN": .in
        case "not", "NOT": .not
        case "any", "ANY", "some", "SOME": .any
        case "all", "ALL": .all
        case "none", "NONE": QueryToken.Kind.none
        case "FIRST", "first": .first
        case "LAST", "last": .last
        case "SIZE", "size": .size
        case "true", "TRUE": .true
        case "false", "FALSE": .false
        default: nil
        }
    }

    /// Words that may be written in any case.
    private static func anyCaseWord(_ lower: String) -> Kind? {
        switch lower {
        case "and": .and
        case "or": .or
        case "beginswith": .beginsWith
        case "endswith": .endsWith
        case "contains": .contains
        case "like": .like
        case "text": .text
        case "between": .between
        case "geowithin": .geoWithin
        case "truepredicate": .truePredicate
        case "falsepredicate": .falsePredicate
        case "sort": .sort
        case "distinct": .distinct
        case "limit": .limit
        case "asc", "ascending": .ascending
        case "desc", "descending": .descending
        case "bin", "binary": .binary
        case "obj": .object
        case "subquery": .subquery
        case "geobox": .geoBox
        case "geopolygon": .geoPolygon
        case "geocircle": .geoCircle
        case "inf", "infinity": .infinity
        case "nan": .nan
        case "null", "nil": .null
        default: nil
        }
    }

    /// Operators that begin with `@`; the longest that fits wins, and none is a prefix of another.
    static let operators: [(StaticString, Kind)] = [
        ("@size", .count), ("@count", .count), ("@max", .max), ("@min", .min), ("@sum", .sum),
        ("@avg", .average), ("@links", .links), ("@type", .type), ("@keys", .keys),
        ("@values", .values),
    ]
}
