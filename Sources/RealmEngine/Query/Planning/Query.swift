/// A query: its condition, the clauses after it, and the arguments for `$0`, `$1` ... Free to cross
/// threads; it holds for every snapshot it is bound to.
public struct Query: Sendable {
    private let form: Form
    /// The time zone of functions of dates.
    package var zone = ZoneRules.utc
    /// What `$n` stands for.
    var arguments: [QueryArgument]
    /// Other names the query may use for properties and classes.
    var aliases: KeyPathAliases
    /// SORT, DISTINCT and LIMIT, which apply after those in the text.
    package private(set) var clauses: [QueryClause] = []

    private enum Form: Sendable {
        case tree(ParsedQuery)
        case compound(Compound, [Query])
    }

    private enum Compound { case all, any, not }

    /// Compounds within compounds.
    private var height = 0

    /// Parses `text` (query language 3). Throws `misuse` with the code `SyntaxError`; the message
    /// names the column and the hint shows it. Texts used lately are not parsed again.
    ///
    /// - Parameter clauses: apply after those in the text.
    public init(
        _ text: String, _ clauses: [QueryClause] = [], arguments: [QueryArgument] = [],
        aliases: KeyPathAliases = KeyPathAliases(), dialect: QueryDialect = .language
    ) throws(RealmError) {
        self.init(try ParsedQuery.of(text, dialect), clauses, arguments, aliases)
    }

    /// The query of a condition and the clauses after it. Throws `misuse` when the condition is nested
    /// too deeply.
    public init(
        _ condition: QueryCondition, _ clauses: [QueryClause] = [],
        aliases: KeyPathAliases = KeyPathAliases(), dialect: QueryDialect = .language
    ) throws(RealmError) {
        try self.init(condition, clauses, dialect, aliases)
    }

    /// A condition that means what `NSPredicate` means by it: see `QueryDialect`.
    package init(
        predicate condition: QueryCondition, aliases: KeyPathAliases
    ) throws(RealmError) {
        try self.init(condition, [], .predicate, aliases)
    }

    private init(
        _ condition: QueryCondition, _ clauses: [QueryClause], _ dialect: QueryDialect,
        _ aliases: KeyPathAliases
    ) throws(RealmError) {
        try QueryLimits.checkDepth(condition.height)
        let tree = QueryTree(condition: condition, dialect: dialect)
        self.init(ParsedQuery(QuerySource(text: []), tree), clauses, [], aliases)
    }

    private init(
        _ parsed: ParsedQuery, _ clauses: [QueryClause], _ arguments: [QueryArgument],
        _ aliases: KeyPathAliases
    ) {
        form = .tree(parsed)
        (self.clauses, self.arguments, self.aliases) = (clauses, arguments, aliases)
    }

    /// Parses the text of a predicate, which means what `NSPredicate` means by it: see `QueryDialect`.
    ///
    /// - Throws: as `init(_:_:arguments:aliases:)`.
    package init(
        predicate text: String, _ arguments: any PredicateArguments, aliases: KeyPathAliases
    ) throws(RealmError) {
        let source = QuerySource(text: [UInt8](text.utf8), dialect: .predicate)
        let parsed = ParsedQuery(source, try QueryParser.parse(source, arguments))
        self.init(parsed, [], [], aliases)
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

    /// The text the query was made from; empty for one made by a program.
    public var text: String {
        guard case .tree(let parsed) = form else { return "" }
        return String(decoding: parsed.source.text, as: UTF8.self)
    }

    /// It asks something about objects, other than how they are arranged.
    var hasCondition: Bool {
        switch form {
        case .tree(let parsed):
            if case .constant(true) = parsed.tree.condition.kind { return false }
            return true
        case .compound(let compound, let queries):
            return compound != .all || queries.contains(where: \.hasCondition)
        }
    }

    var hasLimit: Bool {
        hasClause { if case .limit = $0 { true } else { false } }
    }

    private var isArranged: Bool { hasClause { _ in true } }

    private func hasClause(_ test: (QueryClause) -> Bool) -> Bool {
        if clauses.contains(where: test) { return true }
        return switch form {
        case .tree(let parsed): parsed.tree.clauses.contains(where: test)
        case .compound(_, let queries): queries.contains { $0.hasClause(test) }
        }
    }

    /// Settles names, types and constants for the objects of `table`. Throws `misuse`: unknown
    /// properties, types that do not fit, missing arguments. A version remembers the outcome for
    /// texts without arguments and aliases.
    public func bound(to table: Table) throws(RealmError) -> BoundQuery {
        switch form {
        case .tree(let parsed): return try bound(parsed, to: table)
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
        if parsed.isKept, arguments.isEmpty, aliases.isEmpty, clauses.isEmpty, zone.isUTC,
            let known = table.snapshot.queries?.shared
        {
            return try known.query(parsed, table)
        }
        if clauses.isEmpty, let bound = BoundQuery(shortcut: parsed, arguments, aliases, table) {
            return bound
        }
        var binder = QueryBinder(
            parsed.source, parsed.tree.dialect, arguments: arguments, aliases: aliases,
            zone: zone, table: table)
        return try binder.bind(parsed.tree, clauses)
    }
}
