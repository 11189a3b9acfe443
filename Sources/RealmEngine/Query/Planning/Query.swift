/// A query: its condition, the clauses after it, and the arguments for `$0`, `$1` ... Safe to use
/// from any thread, and can be bound to any snapshot.
public struct Query: Sendable {
    private let form: Form
    /// Time zone in which functions of dates, such as `month(created)`, are evaluated.
    package var zone = ZoneRules.utc
    /// Order of the bytes of UUIDs in the database.
    package var uuidOrder = UUIDOrder.standard
    /// Values of the arguments `$0`, `$1` ...
    var arguments: [QueryArgument]
    /// Aliases of properties and classes that may be used in the query.
    var aliases: KeyPathAliases
    /// SORT, DISTINCT and LIMIT clauses that are applied after the clauses in the query text.
    package private(set) var clauses: [QueryClause] = []

    private enum Form: Sendable {
        case tree(ParsedQuery)
        case compound(Compound, [Query])
    }

    private enum Compound { case all, any, not }

    /// Nesting depth of the queries that this query combines with AND, OR and NOT; 0 for a query
    /// that combines none.
    private var height = 0

    /// Parses `text` (query language 3). Recently used texts are cached.
    ///
    /// - Parameter clauses: clauses to apply after the clauses in the text.
    /// - Throws: `misuse` with the code `SyntaxError`. The message contains the column, the hint
    ///   shows the position in the text.
    public init(
        _ text: String, _ clauses: [QueryClause] = [], arguments: [QueryArgument] = [],
        aliases: KeyPathAliases = KeyPathAliases(), dialect: QueryDialect = .language
    ) throws(RealmError) {
        self.init(try ParsedQuery.of(text, dialect), clauses, arguments, aliases)
    }

    /// Makes a query of a condition and the clauses after it. Throws `misuse` if the condition is
    /// nested too deeply.
    public init(
        _ condition: QueryCondition, _ clauses: [QueryClause] = [],
        aliases: KeyPathAliases = KeyPathAliases(), dialect: QueryDialect = .language
    ) throws(RealmError) {
        try self.init(condition, clauses, dialect, aliases)
    }

    /// Makes a query with the semantics of `NSPredicate`, listed at `QueryDialect`.
    package init(
        predicate condition: QueryCondition, _ dialect: QueryDialect = .predicate,
        aliases: KeyPathAliases
    ) throws(RealmError) {
        try self.init(condition, [], dialect, aliases)
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

    /// Parses the text of a predicate, with the semantics of `NSPredicate`: see `QueryDialect`.
    ///
    /// - Throws: the errors of `init(_:_:arguments:aliases:dialect:)`.
    package init(
        predicate text: String, _ arguments: any PredicateArguments,
        _ dialect: QueryDialect = .predicate, aliases: KeyPathAliases
    ) throws(RealmError) {
        let source = QuerySource(text: [UInt8](text.utf8), dialect: dialect)
        let parsed = ParsedQuery(source, try QueryParser.parse(source, arguments))
        self.init(parsed, [], [], aliases)
    }

    /// Combines queries with AND. Their SORT, DISTINCT and LIMIT apply in argument order. Throws
    /// `misuse` if queries that combine queries are nested too deeply.
    public init(all queries: [Query]) throws(RealmError) { try self.init(.all, queries) }

    /// Combines queries with OR. Throws `misuse` if a query has SORT, DISTINCT or LIMIT, or if
    /// queries that combine queries are nested too deeply.
    public init(any queries: [Query]) throws(RealmError) {
        for query in queries { try query.checkPlain() }
        try self.init(.any, queries)
    }

    /// Negates a query. Throws the errors of `init(any:)`.
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

    /// The text that the query was parsed from; empty for a query made by a program.
    public var text: String {
        guard case .tree(let parsed) = form else { return "" }
        return String(decoding: parsed.source.text, as: UTF8.self)
    }

    /// Whether the query has a condition other than TRUEPREDICATE.
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

    /// Resolves names, types and constants for the objects of `table`. The version caches the
    /// result for texts without arguments and aliases.
    ///
    /// - Throws: `misuse` for unknown properties, incompatible types and missing arguments.
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
        if parsed.isCached, arguments.isEmpty, aliases.isEmpty, clauses.isEmpty, zone.isUTC,
            uuidOrder == .standard,
            let known = table.snapshot.queries?.shared
        {
            return try known.query(parsed, table)
        }
        if clauses.isEmpty, uuidOrder == .standard,
            let bound = BoundQuery(shortcut: parsed, arguments, aliases, table)
        {
            return bound
        }
        var binder = QueryBinder(
            parsed.source, parsed.tree.dialect, arguments: arguments, aliases: aliases,
            zone: zone, uuidOrder: uuidOrder, table: table)
        return try binder.bind(parsed.tree, clauses)
    }
}
