/// A query: its text or tree, and the arguments for `$0`, `$1` ... Free to cross threads; it holds
/// for every snapshot it is bound to.
public struct Query: Sendable {
    private let form: Form
    /// What `$n` stands for.
    public var arguments: [QueryArgument]
    /// Other names the query may use for properties and classes.
    public var aliases: KeyPathAliases

    private enum Form: Sendable {
        case parsed(ParsedQuery)
        case plain(PlainComparison)
        case compound(Compound, [Query])
    }

    private enum Compound { case all, any, not }

    /// Compounds within compounds.
    private var height = 0

    /// Parses `text` (query language 3). Throws `misuse` with the code `SyntaxError`; the message
    /// names the column and the hint shows it. Texts used lately are not parsed again.
    public init(
        _ text: String, arguments: [QueryArgument] = [], aliases: KeyPathAliases = KeyPathAliases()
    ) throws(RealmError) {
        form = .parsed(try ParsedQuery.of(text))
        self.arguments = arguments
        self.aliases = aliases
    }

    /// Parses `text` with `tail` behind it, such as ` SORT(...)`, in which names may be quoted as
    /// `QueryName.spelled` does.
    ///
    /// - Throws: as `init(_:arguments:aliases:)`.
    public init(
        _ text: String, followedBy tail: String, arguments: [QueryArgument]
    ) throws(RealmError) {
        let offset = tail.utf8.contains(UInt8(ascii: "`")) ? text.utf8.count : .max
        form = .parsed(try ParsedQuery.of(text + tail, quotedNamesFrom: offset))
        self.arguments = arguments
        aliases = KeyPathAliases()
    }

    /// Parses the text of a predicate, which means what `NSPredicate` means by it (query language 25):
    ///
    /// - `BETWEEN` on a path to several values holds if one of them lies between both limits.
    /// - `ANY` is implied, and `NONE` is the negation of `ANY`.
    /// - A constant on the left side is compared as if it were on the right.
    /// - `IN` takes numbers of any type for a float or double, and heeds `[c]`.
    /// - `BEGINSWITH`, `ENDSWITH` and `CONTAINS` never hold for an empty text or null on the right.
    /// - A text is also compared with the bytes in mixed values.
    /// - `[d]` behind an operator, alone or with `c`, ignores diacritics.
    /// - `SUBQUERY` takes sets and dictionaries, and `@min` and `@max` take dates.
    public init(
        predicate text: String, arguments: [QueryArgument] = [],
        aliases: KeyPathAliases = KeyPathAliases()
    ) throws(RealmError) {
        form = .parsed(try ParsedQuery.of(text, isPredicate: true, quotedNamesFrom: 0))
        self.arguments = arguments
        self.aliases = aliases
    }

    /// With the tree as it is.
    init(tree: QueryTree, arguments: [QueryArgument], aliases: KeyPathAliases) {
        form = .parsed(ParsedQuery(QuerySource(text: []), tree))
        self.arguments = arguments
        self.aliases = aliases
    }

    /// Without a tree.
    init(_ plain: PlainComparison, aliases: KeyPathAliases) {
        form = .plain(plain)
        arguments = []
        self.aliases = aliases
    }

    /// The query whose condition holds where those of all others do. What is written behind them happens
    /// in their order. Throws `misuse` when compounds are nested too deeply.
    public init(all queries: [Query]) throws(RealmError) { try self.init(.all, queries) }

    /// The query whose condition holds where one of the others does. Throws as `init(all:)` does, and
    /// when something is written behind their conditions.
    public init(any queries: [Query]) throws(RealmError) {
        for query in queries { try query.checkPlain() }
        try self.init(.any, queries)
    }

    /// The query whose condition holds where the other's does not. Throws as `init(any:)` does.
    public init(not query: Query) throws(RealmError) {
        try query.checkPlain()
        try self.init(.not, [query])
    }

    private init(_ compound: Compound, _ queries: [Query]) throws(RealmError) {
        form = .compound(compound, queries)
        (arguments, aliases) = ([], KeyPathAliases())
        height = 1 + (queries.map(\.height).max() ?? 0)
        try QueryLimits.checkDepth(height)
    }

    private func checkPlain() throws(RealmError) {
        if isArranged {
            throw .misuse(
                "SORT, DISTINCT and LIMIT cannot be part of a condition", code: "InvalidQuery")
        }
    }

    /// The text the query was made from; empty for one made of a predicate.
    public var text: String {
        guard case .parsed(let parsed) = form else { return "" }
        return String(decoding: parsed.source.text, as: UTF8.self)
    }

    /// It asks something about objects, other than how they are arranged.
    var hasCondition: Bool {
        switch form {
        case .parsed(let parsed):
            if case .constant(true) = parsed.tree.condition { return false }
            return true
        case .plain: return true
        case .compound(let compound, let queries):
            return compound != .all || queries.contains(where: \.hasCondition)
        }
    }

    var hasLimit: Bool {
        hasDescriptor { if case .limit = $0 { true } else { false } }
    }

    private var isArranged: Bool { hasDescriptor { _ in true } }

    private func hasDescriptor(_ test: (QueryDescriptor) -> Bool) -> Bool {
        switch form {
        case .parsed(let parsed): parsed.tree.descriptors.contains(where: test)
        case .plain: false
        case .compound(_, let queries): queries.contains { $0.hasDescriptor(test) }
        }
    }

    /// Settles names, types and constants for the objects of `table`. Throws `misuse`: unknown
    /// properties, types that do not fit, missing arguments. A version remembers the outcome for
    /// texts without arguments and aliases.
    public func bound(to table: Table) throws(RealmError) -> BoundQuery {
        switch form {
        case .parsed(let parsed): return try bound(parsed, to: table)
        case .plain(let plain):
            if aliases.isEmpty, let bound = plain.bound(to: table) { return bound }
            return try Query(treeOf: plain.predicate, [], aliases: aliases).bound(to: table)
        case .compound(let compound, let queries):
            var parts: [BoundQuery] = []
            for query in queries { parts.append(try query.bound(to: table)) }
            return switch compound {
            case .all: BoundQuery(all: parts, table)
            case .any: BoundQuery(.or(parts.map(\.condition)), of: parts, table)
            case .not: BoundQuery(.not(parts[0].condition), of: parts, table)
            }
        }
    }

    private func bound(
        _ parsed: ParsedQuery, to table: Table
    ) throws(RealmError) -> BoundQuery {
        if parsed.isKept, arguments.isEmpty, aliases.isEmpty,
            let known = table.snapshot.queries?.shared
        {
            return try known.query(parsed, table)
        }
        var binder = QueryBinder(
            parsed.source, arguments: arguments, aliases: aliases, table: table)
        return try binder.bind(parsed.tree)
    }
}
