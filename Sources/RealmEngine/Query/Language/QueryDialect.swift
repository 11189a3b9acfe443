/// The language of a condition.
///
/// `NSPredicate` is a dialect: it uses the same lexer, parser and binder, with these differences
/// (query language 25).
/// | Difference | Decided in |
/// |---|---|
/// | `%@`, `%d` and other placeholders, `%K`, `#name` | `QueryParser+Predicates` |
/// | keywords next to a dot are names; `YES`, `NO`, `SELF` | `QueryParser+Predicates` |
/// | `[d]`, `[cd]`, keywords in any case, `@allKeys`, `@allValues` | the tables below |
/// | `MATCHES` and `ALL` are errors | `QueryParser+Conditions`, `QueryParser+Predicates` |
/// | `==` by components, `IN` with a region, `BETWEEN %@` | `QueryParser+Conditions` |
/// | ANY is implied; NONE negates ANY; `1 < a` is compared as `a > 1` | `QueryBinder+Predicates` |
/// | `CONTAINS ''` and `CONTAINS NULL` are false | `QueryBinder+Predicates` |
/// | a text in a mixed property equals the same bytes | `QueryBinder+Predicates` |
/// | BETWEEN of several values: one value must be within both limits | `QueryBinder+Between` |
/// | IN accepts any number for a float or double, and `IN[c]` | `QueryBinder+Comparisons` |
/// | SUBQUERY accepts sets and dictionaries | `QueryBinder+Aggregates` |
/// | `@min` and `@max` accept dates | `QueryBinder+Aggregates` |
public struct QueryDialect: Hashable, Sendable {
    let isPredicate: Bool
    /// Whether the query language has `[d]`, MATCHES, functions of one value, and `[c]`, `[d]` and
    /// `[n]` after the keys of SORT and DISTINCT.
    let isExtended: Bool
    /// Whether `[c]` folds every letter by Unicode's simple case folding, not only ASCII and Latin-1
    /// as in the SDKs.
    let foldsUnicode: Bool

    /// The query language of the SDKs.
    public static let language = QueryDialect(
        isPredicate: false, isExtended: false, foldsUnicode: false)
    /// The query language with extensions that the SDKs do not have.
    public static let extended = QueryDialect(
        isPredicate: false, isExtended: true, foldsUnicode: true)
    /// `NSPredicate` as the SDKs accept it.
    package static let predicate = QueryDialect(
        isPredicate: true, isExtended: false, foldsUnicode: false)
    /// `NSPredicate` whose `[c]` folds every letter.
    package static let unicodePredicate = QueryDialect(
        isPredicate: true, isExtended: false, foldsUnicode: true)

    /// Returns the differences between texts that a comparison ignores: letter case, diacritical
    /// marks, both or none.
    func folding(_ comparison: QueryComparison) -> TextFolding {
        TextFolding(
            letterCase: !comparison.foldsCase ? .distinct : foldsUnicode ? .unicode : .latin,
            dropsMarks: comparison.foldsMarks)
    }

    /// Keywords of predicates, matched in any case in addition to the keywords of the query
    /// language.
    static let predicateWords: [(word: StaticString, kind: QueryToken.Kind)] = [
        ("in", .in), ("not", .not), ("any", .any), ("some", .any), ("all", .all), ("none", .none),
        ("yes", .true), ("true", .true), ("no", .false), ("false", .false),
    ]

    /// Operators of predicates that have another name in the query language, which has `@keys` and
    /// `@values`.
    static let predicateOperators: [(StaticString, QueryToken.Kind)] = [
        ("@allKeys", .keys), ("@allValues", .values),
    ]

    /// Letters allowed in brackets after an operator; only `c` and `d` have an effect.
    static let predicateFlags = "cdnlw"
    /// Letters allowed in brackets after an operator or a sort key in the extended language.
    static let extendedFlags = "cdn"
}

/// Values for the argument placeholders in the text of a predicate, numbered from left to right.
package protocol PredicateArguments: AnyObject {
    /// Returns the value for placeholder `number`; `kind` is the last character of the placeholder,
    /// such as `@` for `%@`.
    func value(_ number: Int, _ kind: UInt8) throws(RealmError) -> QueryArgument

    /// Returns the names along the path of a placeholder `%K`.
    ///
    /// - Parameter isStart: whether the path begins at the class of the query.
    func names(_ number: Int, isStart: Bool) throws(RealmError) -> [String]

    /// Compares `path` with the value of a placeholder `%@` component by component, for values such
    /// as embedded objects that are compared that way. Nil if the value is compared as a whole.
    func comparison(
        _ path: QueryPath, isEqual: Bool, _ number: Int
    ) throws(RealmError) -> QueryCondition?

    /// Whether the queried class has a property with the given name.
    func isProperty(_ name: String) -> Bool

    /// Property that SELF refers to; nil if SELF is not allowed.
    var selfProperty: String? { get }
}
