/// Makes terms of conditions: a kernel where there is one, the evaluator for the rest.
struct TermBuilder {
    private let evaluator: QueryEvaluator
    private let options: QueryOptions
    private let subqueries = KnownSubqueries()

    private final class KnownSubqueries {
        var members: [ObjectIdentifier: SubqueryMembers] = [:]
    }

    init(_ evaluator: QueryEvaluator, _ options: QueryOptions) {
        self.evaluator = evaluator
        self.options = options
    }

    func term(for condition: BoundCondition) -> QueryTerm {
        guard options.usesKernels else { return GeneralTerm(condition, evaluator) }
        switch condition {
        case .constant(let value): return ConstantTerm(value)
        case .and(let children): return AndTerm(children.map { term(for: $0) })
        case .or(let children): return OrTerm(children.map { term(for: $0) })
        case .not(let child): return NotTerm(term(for: child))
        case .test(let test): return term(for: test)
        case .comparison(let comparison):
            return term(for: comparison) ?? GeneralTerm(condition, evaluator)
        case .fullText, .geoWithin: return GeneralTerm(condition, evaluator)
        }
    }

    /// The kernel for the column's type.
    func term(for test: ColumnTest) -> QueryTerm {
        if test.column.type == .string || test.column.type == .binary { return TextTerm(test) }
        guard TestBounds.isRangeTest(test) else { return ValueTerm(test) }
        switch test.column.type {
        case .int:
            let bounds = TestBounds.integers(test)
            if bounds.ranges.count > 8, !bounds.isNegated {
                return IntegerSetTerm(
                    test.column, bounds.ranges, matchesNull: test.matches(.null))
            }
            return IntegerTerm(
                test.column, test.column.layout.isNullable ? .marked : .plain, bounds.ranges,
                isNegated: bounds.isNegated, matchesNull: test.matches(.null))
        case .bool: return boolTerm(test)
        case .float, .double: return FloatTerm(test)
        case .timestamp: return TimestampTerm(test) ?? ValueTerm(test)
        case .objectID, .uuid: return IdentifierTerm(test) ?? ValueTerm(test)
        case .mixed: return MixedTerm(test) ?? ValueTerm(test)
        default: return ValueTerm(test)
        }
    }

    /// Bools are stored as 0, 1 and 3 for null; every other number reads as true.
    private func boolTerm(_ test: ColumnTest) -> QueryTerm {
        var ranges: [IntegerRange] = []
        if test.matches(.bool(false)) { ranges.append(IntegerRange(low: 0, high: 0)) }
        if test.matches(.bool(true)) {
            ranges.append(IntegerRange(low: .min, high: -1))
            ranges.append(IntegerRange(low: 1, high: .max))
        }
        return IntegerTerm(
            test.column, .reserved(IntegerRange(low: 3, high: 3)), ranges, isNegated: false,
            matchesNull: test.matches(.null))
    }

    /// What satisfies the condition of a subquery behind a single hop.
    func members(of subquery: BoundSubquery) -> SubqueryMembers {
        if let known = subqueries.members[ObjectIdentifier(subquery)] { return known }
        let members = SubqueryMembers(
            term(for: subquery.condition), subquery.path.table, evaluator)
        subqueries.members[ObjectIdentifier(subquery)] = members
        return members
    }

    private func term(for comparison: BoundComparison) -> QueryTerm? {
        if let count = CountTerm(comparison, evaluator) { return count }
        if let subquery = SubqueryTerm(comparison, self, evaluator) {
            return adaptive([subquery.table], subquery, comparison)
        }
        return pathTerm(for: comparison) ?? ScalarTerm(comparison, evaluator)
    }
}

// MARK: - Paths

extension TermBuilder {
    /// A path against constants: the objects at its far end are tested once.
    private func pathTerm(for comparison: BoundComparison) -> QueryTerm? {
        guard let test = PathTest(comparison) else { return nil }
        switch test.path.end {
        case .scalar:
            guard let far = test.test else { return nil }
            var term = term(for: far)
            if test.quantifier == .all { term = NotTerm(term) }
            return finished(
                test.path.hops[...], term, test.acceptsMissing(far), test.quantifier,
                test.comparison)
        case .objects: return linkTerm(test)
        default: return nil
        }
    }

    /// A path that ends on links, compared with objects or null.
    private func linkTerm(_ test: PathTest) -> QueryTerm? {
        let (path, comparison) = (test.path, test.comparison)
        let last = path.hops[path.hops.count - 1]
        guard comparison.relation == .equal || comparison.relation == .notEqual,
            let (keys, matchesNull) = linkedKeys(test.operand)
        else { return nil }
        let isNegated = comparison.relation == .notEqual
        if path.isToOne {
            let ranges = keys.map { IntegerRange(low: $0 &+ 1, high: $0 &+ 1) }
            guard ranges.count <= 8 else { return nil }
            let far = IntegerTerm(
                last.column, .reserved(IntegerRange(low: .min, high: 0)), ranges,
                isNegated: isNegated, matchesNull: matchesNull != isNegated)
            return finished(
                path.hops.dropLast(), far, matchesNull != isNegated, test.quantifier, comparison)
        }
        // Some element that differs is another question than some element that is equal.
        guard !isNegated, test.quantifier != .all, !keys.isEmpty else { return nil }
        let set = ObjectSet(limit: 0)
        for key in keys { set.insert(key) }
        let far = HopTerm(last, set: set, missing: false, evaluator)
        return finished(path.hops.dropLast(), far, false, test.quantifier, comparison)
    }

    /// The objects named, and whether null is among them; nil for anything else.
    private func linkedKeys(
        _ operand: ColumnTest.Operand
    ) -> (keys: [Int64], matchesNull: Bool)? {
        let values: [Value]
        switch operand {
        case .general(let value), .strict(let value): values = [value]
        case .anyOf(let all), .members(let all): values = all
        case .range: return nil
        }
        var keys: [Int64] = []
        var matchesNull = false
        for value in values {
            switch value {
            case .null: matchesNull = true
            case .link(let link): if link.key.raw >= 0 { keys.append(link.key.raw) }
            default: return nil
            }
        }
        return (keys, matchesNull)
    }

    /// The hops in front of a term over the table they lead to.
    private func finished(
        _ hops: ArraySlice<PathHop>, _ far: QueryTerm, _ missing: Bool,
        _ quantifier: QueryQuantifier, _ comparison: BoundComparison
    ) -> QueryTerm {
        var term = far
        for hop in hops.reversed() {
            term = HopTerm(hop, target: term, missing: missing, evaluator)
        }
        if quantifier != .any { term = NotTerm(term) }
        if hops.isEmpty { return term }
        let spreads = hops.count(where: { !$0.isToOne }) > Self.fewCollections
        return adaptive(hops.map(\.target), term, comparison, spreads: spreads)
    }

    /// Behind more collections of links an object may lead to all others.
    private static let fewCollections = 3

    /// Object by object at first, by sets of the tables once that pays.
    private func adaptive(
        _ tables: [TablePlace], _ fast: QueryTerm, _ comparison: BoundComparison,
        spreads: Bool = false
    ) -> QueryTerm {
        if options.hurriesSets { return fast }
        let general = GeneralTerm(.comparison(comparison), evaluator)
        return AdaptiveTerm(tables, fast: fast, general: general, spreads: spreads, evaluator)
    }
}
