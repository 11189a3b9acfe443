/// The language that a condition is written or meant in.
///
/// `NSPredicate` is a dialect: the same lexer, parser and binder read it, and differ in these places
/// (query language 25).
///
/// | Difference | Decided in |
/// |---|---|
/// | `%@`, `%d` and their kin, `%K`, words before and after a dot, `#name`, `YES`, `NO`, `SELF` | `QueryParser+Predicates` |
/// | `[d]`, `[cd]`, words in any case, `@allKeys`, `@allValues` | the tables below |
/// | `MATCHES` and `ALL` are errors | `QueryParser+Conditions`, `QueryParser+Predicates` |
/// | `==` with a value that is compared piece by piece, `IN` with a region, `BETWEEN %@` | `QueryParser+Conditions` |
/// | ANY is implied, NONE negates ANY, a constant on the left is compared as if on the right | `QueryBinder+Predicates` |
/// | nothing contains an empty text or null; text and bytes in mixed values are compared alike | `QueryBinder+Predicates` |
/// | one of several values lies between both limits of BETWEEN | `QueryBinder+Between` |
/// | IN takes any number for a float or double, and `[c]` | `QueryBinder+Comparisons` |
/// | SUBQUERY of sets and dictionaries; `@min` and `@max` of dates | `QueryBinder+Aggregates` |
public struct QueryDialect: Hashable, Sendable {
    let isPredicate: Bool
    /// `[c]` and `[d]` fold every letter by Unicode's simple case folding, not ASCII and Latin-1 alone as
    /// the SDKs do; the query language has `[d]`, MATCHES and functions of one value.
    let isExtended: Bool

    /// The query language of the SDKs.
    public static let language = QueryDialect(isPredicate: false, isExtended: false)
    /// The query language with what the SDKs do not have.
    public static let extended = QueryDialect(isPredicate: false, isExtended: true)
    static let predicate = QueryDialect(isPredicate: true, isExtended: false)

    /// The differences between texts that a comparison passes over.
    func folding(_ comparison: QueryComparison) -> TextFolding {
        TextFolding(
            letterCase: !comparison.foldsCase ? .distinct : isExtended ? .unicode : .latin,
            dropsMarks: comparison.foldsMarks)
    }

    /// Words of predicates in any case, beside the words of the query language.
    static let predicateWords: [(word: StaticString, kind: QueryToken.Kind)] = [
        ("in", .in), ("not", .not), ("any", .any), ("some", .any), ("all", .all), ("none", .none),
        ("yes", .true), ("true", .true), ("no", .false), ("false", .false),
    ]

    /// Operators that the query language calls otherwise.
    static let predicateOperators: [(StaticString, QueryToken.Kind)] = [
        ("@allKeys", .keys), ("@allValues", .values),
    ]

    /// Letters in brackets behind an operator; those other than `c` and `d` change nothing.
    static let predicateFlags = "cdnlw"
}

/// The values for the argument places in the text of a predicate, numbered from left to right.
package protocol PredicateArguments: AnyObject {
    /// The value of a place such as `%@`, whose last character is `kind`.
    func value(_ number: Int, _ kind: UInt8) throws(RealmError) -> QueryArgument

    /// The names along the path of a place `%K`.
    ///
    /// - Parameter isStart: the path begins at the class of the query.
    func names(_ number: Int, isStart: Bool) throws(RealmError) -> [String]

    /// The comparison of `path` with the value of a place `%@` that is compared piece by piece; nil
    /// for a value that is compared as a whole.
    func comparison(
        _ path: QueryPath, isEqual: Bool, _ number: Int
    ) throws(RealmError) -> QueryCondition?

    /// Whether the class of the query has a property of that name.
    func isProperty(_ name: String) -> Bool

    /// The property that SELF names; nil if SELF has no meaning.
    var selfProperty: String? { get }
}
