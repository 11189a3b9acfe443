/// Resolves the names, types and constants of a tree for one class of one snapshot, from left to
/// right (query language 4, stage 2). Invalid parts are errors even in a condition that would never
/// be evaluated.
struct QueryBinder {
    let source: QuerySource
    let dialect: QueryDialect
    let arguments: [QueryArgument]
    let snapshot: Snapshot
    let pool = ConstantPool()
    var aliases: KeyPathAliases
    /// Class in which names are resolved: the queried class, or inside SUBQUERY the class of the
    /// linked objects.
    var table: TableInfo
    /// Variables of the enclosing subqueries, each with the class of its objects.
    var variables: [(name: String, table: TableKey)] = []
    /// Time zone in which functions of dates, such as `month(created)`, are evaluated.
    let zone: ZoneRules
    /// Order of the bytes of UUIDs in the database.
    let uuidOrder: UUIDOrder
    /// Number of keys of SORT and DISTINCT bound so far; limited by `QueryLimits.sortKeys`.
    var sortKeys = 0

    init(
        _ source: QuerySource, _ dialect: QueryDialect = .language, arguments: [QueryArgument],
        aliases: KeyPathAliases, zone: ZoneRules = .utc,
        uuidOrder: UUIDOrder = .standard, table: Table
    ) {
        self.source = source
        self.dialect = dialect
        self.arguments = arguments
        self.aliases = aliases
        self.zone = zone
        self.uuidOrder = uuidOrder
        snapshot = table.snapshot
        self.table = table.info
    }

    var schema: Schema { snapshot.schema }
    var isPredicate: Bool { dialect.isPredicate }

    /// Binds a whole query.
    ///
    /// - Parameter clauses: clauses to apply after the tree's own.
    mutating func bind(
        _ tree: QueryTree, _ clauses: [QueryClause] = [], isCached: Bool = false
    ) throws(RealmError) -> BoundQuery {
        let condition = try condition(tree.condition)
        var descriptors: [BoundDescriptor] = []
        for clause in tree.clauses + clauses { descriptors.append(try bound(clause)) }
        return BoundQuery(
            table: table, source: source, condition: condition, descriptors: descriptors,
            pool: pool, isCached: isCached)
    }

    mutating func condition(_ tree: QueryCondition) throws(RealmError) -> BoundCondition {
        switch tree.kind {
        case .constant(let value): return .constant(value)
        case .and(let children): return .and(try conditions(children))
        case .or(let children): return .or(try conditions(children))
        case .not(let child): return .not(try condition(child))
        case .comparison(let comparison):
            do throws(RealmError) { return try self.comparison(comparison) } catch {
                throw naming(error, comparison.left, comparison.right)
            }
        case .between(let operand, let limits, let range):
            do throws(RealmError) { return try between(operand, limits, range) } catch {
                throw naming(error, operand)
            }
        case .geoWithin(let property, let region, let range):
            return try geoWithin(property, region, range)
        }
    }

    private mutating func conditions(
        _ trees: [QueryCondition]
    ) throws(RealmError) -> [BoundCondition] {
        var bound: [BoundCondition] = []
        bound.reserveCapacity(trees.count)
        for tree in trees { bound.append(try condition(tree)) }
        return bound
    }

    /// Adds the name of the compared property to an error about the type of a value.
    private func naming(_ error: RealmError, _ operands: QueryOperand...) -> RealmError {
        let reasons = ["typeMismatch", "argumentType", "linkOperand", "stringOperand"]
        guard reasons.contains(error.reason), !error.message.hasSuffix("')"),
            let property = operands.first(where: \.isProperty)
        else { return error }
        return RealmError(
            error.kind, code: error.code, reason: error.reason,
            "\(error.message) (property '\(source.quote(property.range))')", hint: error.hint)
    }

    func invalid(_ reason: String, _ range: SourceRange, _ message: String) -> RealmError {
        source.error(.invalidQuery, reason, at: range, message)
    }

    func invalidArgument(_ reason: String, _ range: SourceRange, _ message: String) -> RealmError {
        source.error(.invalidQueryArg, reason, at: range, message)
    }

    /// Makes the error for a missing property, with the most similar names.
    func unknownProperty(
        _ name: String, in table: TableInfo, _ range: SourceRange,
        reason: String = "unknownProperty"
    ) -> RealmError {
        let near = NearestNames.to(name, among: table.columns.map(\.name))
        let advice = near.isEmpty ? "" : " (near: \(near.joined(separator: ", ")))"
        return invalid(
            reason, range, "class \(table.className) has no property '\(name)'\(advice)")
    }
}

extension QueryOperand {
    /// Whether the operand is a property path that occurs in the query text.
    fileprivate var isProperty: Bool {
        guard case .property = kind else { return false }
        return range.start >= 0
    }
}
