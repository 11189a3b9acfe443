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
    }

    /// Parses `text` (query language 3). Throws `misuse` with the code `SyntaxError`; the message
    /// names the column and the hint shows it. Texts used lately are not parsed again.
    public init(
        _ text: String, arguments: [QueryArgument] = [], aliases: KeyPathAliases = KeyPathAliases()
    ) throws(RealmError) {
        form = .parsed(try ParsedQuery.of(text))
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

    /// The text the query was made from; empty for one made of a predicate.
    public var text: String {
        guard case .parsed(let parsed) = form else { return "" }
        return String(decoding: parsed.source.text, as: UTF8.self)
    }

    /// It asks something about objects, other than how they are arranged.
    var hasCondition: Bool {
        guard case .parsed(let parsed) = form else { return true }
        if case .constant(true) = parsed.tree.condition { return false }
        return true
    }

    var hasLimit: Bool {
        guard case .parsed(let parsed) = form else { return false }
        return parsed.tree.descriptors.contains { if case .limit = $0 { true } else { false } }
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
