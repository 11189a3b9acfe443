/// A query: its text or tree, and the arguments for `$0`, `$1` ... Free to cross threads; it holds
/// for every snapshot it is bound to.
public struct Query: Sendable {
    private let parsed: ParsedQuery
    /// What `$n` stands for.
    public var arguments: [QueryArgument]
    /// Other names the query may use for properties and classes.
    public var aliases: KeyPathAliases

    /// Parses `text` (query language 3). Throws `misuse` with the code `SyntaxError`; the message
    /// names the column and the hint shows it. Texts used lately are not parsed again.
    public init(
        _ text: String, arguments: [QueryArgument] = [], aliases: KeyPathAliases = KeyPathAliases()
    ) throws(RealmError) {
        parsed = try ParsedQuery.of(text)
        self.arguments = arguments
        self.aliases = aliases
    }

    /// With the tree as it is.
    init(tree: QueryTree, arguments: [QueryArgument], aliases: KeyPathAliases) {
        parsed = ParsedQuery(QuerySource(text: []), tree)
        self.arguments = arguments
        self.aliases = aliases
    }

    var source: QuerySource { parsed.source }
    var tree: QueryTree { parsed.tree }

    /// The text the query was made from; empty for one made of a predicate.
    public var text: String { String(decoding: source.text, as: UTF8.self) }

    /// Settles names, types and constants for the objects of `table`. Throws `misuse`: unknown
    /// properties, types that do not fit, missing arguments. A version remembers the outcome for
    /// texts without arguments and aliases.
    public func bound(to table: Table) throws(RealmError) -> BoundQuery {
        if parsed.isKept, arguments.isEmpty, aliases.isEmpty,
            let known = table.snapshot.boundQueries
        {
            return try known.query(parsed, table)
        }
        var binder = QueryBinder(source, arguments: arguments, aliases: aliases, table: table)
        return try binder.bind(tree)
    }
}
