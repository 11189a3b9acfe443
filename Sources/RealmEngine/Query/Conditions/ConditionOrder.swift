/// Orders the terms of AND and OR for evaluation: cheapest and most selective first. Conditions
/// have no side effects, so the order affects only the time (query language 21).
enum ConditionOrder {
    /// Returns the condition with the operands of every AND and OR sorted. An AND inside an AND is
    /// merged into it, and so is an OR inside an OR.
    static func arranged(_ condition: BoundCondition) -> BoundCondition {
        switch condition {
        case .and(let children):
            let flat = flattened(children.map(arranged), isAnd: true)
            return .and(sorted(flat, isAnd: true))
        case .or(let children):
            let flat = flattened(children.map(arranged), isAnd: false)
            let joined = OrToInRewrite.joined(flat)
            return joined.count == 1 ? joined[0] : .or(sorted(joined, isAnd: false))
        case .not(let child): return .not(arranged(child))
        default: return condition
        }
    }

    private static func flattened(
        _ children: [BoundCondition], isAnd: Bool
    ) -> [BoundCondition] {
        children.flatMap {
            switch $0 {
            case .and(let inner) where isAnd: inner
            case .or(let inner) where !isAnd: inner
            default: [$0]
            }
        }
    }

    /// Sorts the operands by their cost per decided row. For AND, a row is decided if the operand
    /// rejects it; for OR, if the operand accepts it.
    private static func sorted(_ children: [BoundCondition], isAnd: Bool) -> [BoundCondition] {
        let ranked = children.map { child in
            let share = selectivity(child)
            let settled = max(0.01, isAnd ? 1 - share : share)
            return (weight: cost(child) / settled, child: child)
        }
        return ranked.ordered { $0.weight < $1.weight }.map(\.child)
    }

    /// Approximate cost of the condition per row, in comparisons of a packed integer.
    static func cost(_ condition: BoundCondition) -> Double {
        switch condition {
        case .constant: 0
        case .and(let children), .or(let children): children.reduce(0) { $0 + cost($1) }
        case .not(let child): cost(child)
        case .test(let test): cost(test)
        case .comparison(let comparison): cost(comparison.left) + cost(comparison.right)
        case .fullText: 400
        case .geoWithin: 800
        }
    }

    private static func cost(_ test: ColumnTest) -> Double {
        let base: Double =
            switch test.column.layout.type {
            case .int, .bool, .link: 1
            case .float, .double: 2
            case .timestamp: 3
            case .string, .binary:
                test.pattern != nil
                    ? 200 : test.relation == .like ? 60 : test.relation.isTextual ? 30 : 10
            case .decimal, .objectID, .uuid: 20
            default: 40
            }
        switch test.operand {
        case .members(let members), .anyOf(let members):
            return base * Double(max(1, min(8, members.count)))
        default: return base
        }
    }

    private static func cost(_ operand: BoundOperand) -> Double {
        switch operand.kind {
        case .constant: 1
        case .path(let path), .count(let path), .size(let path), .typeOf(let path):
            cost(path)
        case .aggregate(let aggregate): 50 + cost(aggregate.path)
        case .subquery(let subquery): 100 + cost(subquery.path) + 4 * subquery.cost
        case .function(_, let operand): cost(operand) + 50
        case .arithmetic(let first, let terms):
            terms.reduce(cost(first)) { $0 + 5 + cost($1.operand) }
        }
    }

    private static func cost(_ path: BoundPath) -> Double {
        path.hops.reduce(20) { $0 + ($1.isToOne ? 60 : 250) }
    }

    /// Approximate share of rows that match the condition.
    static func selectivity(_ condition: BoundCondition) -> Double {
        switch condition {
        case .constant(let value): value ? 1 : 0
        case .and(let children): children.reduce(1) { $0 * selectivity($1) }
        case .or(let children): min(1, children.reduce(0) { $0 + selectivity($1) })
        case .not(let child): 1 - selectivity(child)
        case .test(let test): selectivity(test)
        case .comparison(let comparison): selectivity(comparison.relation)
        case .fullText: 0.05
        case .geoWithin: 0.1
        }
    }

    private static func selectivity(_ test: ColumnTest) -> Double {
        let isWide = test.column.layout.type != .bool
        switch test.operand {
        case .range: return 0.2
        case .members(let members), .anyOf(let members):
            return min(0.9, Double(members.count) * (isWide ? 0.02 : 0.5))
        default: return isWide ? selectivity(test.relation) : 0.5
        }
    }

    private static func selectivity(_ relation: QueryRelation) -> Double {
        switch relation {
        case .equal, .in: 0.02
        case .notEqual: 0.95
        case .less, .lessEqual, .greater, .greaterEqual: 0.4
        case .beginsWith, .endsWith: 0.05
        case .contains, .like, .text, .matches: 0.1
        }
    }
}
