/// What the operators mean for two single values (query language 8, 9 and 14).
enum ValueRules {
    /// Whether the relation holds between `a` and `b`. `relation` is not IN and not TEXT.
    static func matches(
        _ relation: QueryRelation, _ a: Value, _ b: Value, folds: Bool
    ) -> Bool {
        switch relation {
        case .equal, .in: return areEqual(a, b, folds: folds)
        case .notEqual: return !areEqual(a, b, folds: folds)
        case .less, .lessEqual, .greater, .greaterEqual: return isOrdered(relation, a, b)
        case .beginsWith, .endsWith, .contains, .like:
            return matchesText(relation, a, b, folds: folds)
        case .text: return false
        }
    }

    static func areEqual(_ a: Value, _ b: Value, folds: Bool) -> Bool {
        if folds {
            switch (a, b) {
            case (.string(let x), .string(let y)), (.binary(let x), .binary(let y)):
                return TextMatch.equal(x, y, folds: true)
            default: break
            }
        }
        return compare(a, b) == 0
    }

    /// As `ValueOrder`, but all NaNs are one.
    @inline(__always)
    static func compare(_ a: Value, _ b: Value) -> Int { Value.compare(a, b) }

    static func isNaN(_ value: Value) -> Bool { value.isNaN }

    private static func isOrdered(_ relation: QueryRelation, _ a: Value, _ b: Value) -> Bool {
        // Equal ranks are what is comparable: one type, or two numbers, or two nulls.
        guard ValueOrder.rank(a) == ValueOrder.rank(b) else { return false }
        if case .null = a { return relation == .lessEqual || relation == .greaterEqual }
        return accepts(relation, compare(a, b))
    }

    /// Whether an ordered relation accepts this outcome of a comparison.
    @inline(__always)
    static func accepts(_ relation: QueryRelation, _ order: Int) -> Bool {
        switch relation {
        case .less: order < 0
        case .lessEqual: order <= 0
        case .greater: order > 0
        case .greaterEqual: order >= 0
        default: false
        }
    }

    private static func matchesText(
        _ relation: QueryRelation, _ a: Value, _ b: Value, folds: Bool
    ) -> Bool {
        switch (a, b) {
        case (.string(let text), .string(let part)), (.binary(let text), .binary(let part)):
            switch relation {
            case .beginsWith: return TextMatch.begins(text, part, folds: folds)
            case .endsWith: return TextMatch.ends(text, part, folds: folds)
            case .contains: return TextMatch.contains(text, part, folds: folds)
            default: return TextMatch.like(text, part, folds: folds)
            }
        case (.null, .null): return relation == .like
        // Whatever is not null contains null (query language 9).
        case (_, .null): return relation == .contains
        default: return false
        }
    }
}
