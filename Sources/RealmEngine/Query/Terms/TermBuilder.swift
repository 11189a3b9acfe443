/// Makes the terms that test rows for a condition. For common conditions there is a term that tests
/// a whole leaf at once. For any other condition, the term evaluates the condition row by row with
/// `QueryEvaluator`.
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
        case .or(let children): return term(forAnyOf: children)
        case .not(let child): return NotTerm(term(for: child))
        case .test(let test): return term(for: test)
        case .comparison(let comparison):
            return term(for: comparison) ?? GeneralTerm(condition, evaluator)
        case .fullText, .geoWithin: return GeneralTerm(condition, evaluator)
        }
    }

    /// Makes the term that tests the leaves of a column, for the type of the tested column.
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

    /// Makes the term for a test of a bool column. Every stored number except 0 and null reads as
    /// true.
    private func boolTerm(_ test: ColumnTest) -> QueryTerm {
        var ranges: [IntegerRange] = []
        if test.matches(.bool(false)) { ranges.append(IntegerRange(low: 0, high: 0)) }
        if test.matches(.bool(true)) {
            ranges.append(IntegerRange(low: .min, high: -1))
            ranges.append(IntegerRange(low: 1, high: .max))
        }
        let null = IntegerRange(low: BoolLeaf.null, high: BoolLeaf.null)
        return IntegerTerm(
            test.column, .reserved(null), ranges, isNegated: false,
            matchesNull: test.matches(.null))
    }

    /// Returns the set of objects that match the condition of a subquery over one link property;
    /// equal subqueries share the set.
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
            return adaptive([subquery.table], subquery, .comparison(comparison))
        }
        return farTest(comparison).map { finished($0) } ?? ScalarTerm(comparison, evaluator)
    }

    /// Makes the term for an OR of conditions. Conditions on paths along the same links are joined:
    /// each object at the end of these paths is tested once, by all of the conditions.
    private func term(forAnyOf conditions: [BoundCondition]) -> QueryTerm {
        var terms: [QueryTerm?] = []
        var tests: [(position: Int, test: PathEndTest)] = []
        for condition in conditions {
            guard case .comparison(let comparison) = condition,
                let test = farTest(comparison), test.mayBeJoined
            else {
                terms.append(term(for: condition))
                continue
            }
            if let i = tests.firstIndex(where: { $0.test.hasSameHops(as: test) }) {
                tests[i].test.join(test)
            } else {
                tests.append((terms.count, test))
                terms.append(nil)
            }
        }
        for (position, test) in tests { terms[position] = finished(test) }
        return terms.count == 1 ? terms[0]! : OrTerm(terms.map { $0! })
    }
}

// MARK: - Paths

extension TermBuilder {
    /// A test of the objects at the end of a path.
    private struct PathEndTest {
        let hops: ArraySlice<PathHop>
        /// Tests of the objects at the end of the path. An object matches if at least one of these
        /// tests is true.
        var terms: [QueryTerm]
        /// Result of the test for an object whose to-one link on the path is null.
        var missing: Bool
        let quantifier: QueryQuantifier
        /// The tests in `terms` in another form: each as a condition on the queried object, which
        /// contains the path. While few rows were tested, `AdaptiveTerm` evaluates these conditions
        /// object by object.
        var conditions: [BoundCondition]

        init(
            _ hops: ArraySlice<PathHop>, _ term: QueryTerm, missing: Bool,
            _ quantifier: QueryQuantifier, _ comparison: BoundComparison
        ) {
            self.hops = hops
            terms = [term]
            self.missing = missing
            self.quantifier = quantifier
            conditions = [.comparison(comparison)]
        }

        /// Whether one matching object at the end of the path makes the test true. Two tests of
        /// this kind on the same path can be combined with OR into one.
        var mayBeJoined: Bool { quantifier == .any && !hops.isEmpty }

        func hasSameHops(as other: PathEndTest) -> Bool {
            hops.elementsEqual(other.hops) {
                $0.kind == $1.kind && $0.source.key == $1.source.key
                    && $0.target.key == $1.target.key
                    && $0.column.leafIndex == $1.column.leafIndex
            }
        }

        mutating func join(_ other: PathEndTest) {
            terms += other.terms
            missing = missing || other.missing
            conditions += other.conditions
        }
    }

    /// Makes the test of the objects at the end of a path, for a comparison of the path with
    /// constants; nil for other comparisons.
    private func farTest(_ comparison: BoundComparison) -> PathEndTest? {
        guard let test = PathTest(comparison) else { return nil }
        switch test.path.end {
        case .scalar:
            guard let far = test.test else { return nil }
            var term = term(for: far)
            if test.quantifier == .all { term = NotTerm(term) }
            return PathEndTest(
                test.path.hops[...], term, missing: test.acceptsMissing(far), test.quantifier,
                test.comparison)
        case .objects: return linkTest(test)
        default: return nil
        }
    }

    /// Makes the test of a path that ends at links, for a comparison with objects or null; nil for
    /// other comparisons.
    private func linkTest(_ test: PathTest) -> PathEndTest? {
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
            return PathEndTest(
                path.hops.dropLast(), far, missing: matchesNull != isNegated, test.quantifier,
                comparison)
        }
        // With several links per object, `!=` means that some link differs. That is not the
        // negation of `==`, so this set of equal keys cannot test it.
        guard !isNegated, test.quantifier != .all, !keys.isEmpty else { return nil }
        let set = ObjectSet(limit: 0)
        for key in keys { set.insert(key) }
        let far = HopTerm(last, set: set, missing: false, evaluator)
        return PathEndTest(
            path.hops.dropLast(), far, missing: false, test.quantifier, comparison)
    }

    /// Returns the object keys among the constants, and whether null is among them; nil if a
    /// constant is neither an object nor null.
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

    /// Makes the term that tests the queried objects, from a test of the objects at the end of a
    /// path.
    private func finished(_ test: PathEndTest) -> QueryTerm {
        var term = test.terms.count == 1 ? test.terms[0] : OrTerm(test.terms)
        for hop in test.hops.reversed() {
            term = HopTerm(hop, target: term, missing: test.missing, evaluator)
        }
        if test.quantifier != .any { term = NotTerm(term) }
        if test.hops.isEmpty { return term }
        let spreads = test.hops.count(where: { !$0.isToOne }) > Self.fewCollections
        let condition = test.conditions.count == 1 ? test.conditions[0] : .or(test.conditions)
        return adaptive(test.hops.map(\.target), term, condition, spreads: spreads)
    }

    /// Maximum number of to-many links in a path that is tested object by object at first. With
    /// more such links, the path may reach most of its target table from a single object.
    private static let fewCollections = 3

    /// Makes a term that tests object by object at first. When that becomes more expensive than
    /// testing all objects of `tables` once, it changes to the term `fast`.
    private func adaptive(
        _ tables: [TableContext], _ fast: QueryTerm, _ condition: BoundCondition,
        spreads: Bool = false
    ) -> QueryTerm {
        if options.evaluatesPathsFromFarEnd { return fast }
        let general = GeneralTerm(condition, evaluator)
        return AdaptiveTerm(tables, fast: fast, general: general, spreads: spreads, evaluator)
    }
}
