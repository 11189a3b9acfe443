/// Results of the operators for two single values (query language 8, 9 and 14).
enum ValueRules {
    /// Whether `a relation b` is true. TEXT and MATCHES are always false, because they are tested
    /// elsewhere.
    static func matches(
        _ relation: QueryRelation, _ a: Value, _ b: Value, folding: TextFolding
    ) -> Bool {
        switch relation {
        case .equal, .in: return areEqual(a, b, folding: folding)
        case .notEqual: return !areEqual(a, b, folding: folding)
        case .less, .lessEqual, .greater, .greaterEqual: return isOrdered(relation, a, b)
        case .beginsWith, .endsWith, .contains, .like:
            return matchesText(relation, a, b, folding: folding)
        // TEXT and MATCHES are tested elsewhere, with the parsed search words or expression.
        case .text, .matches: return false
        }
    }

    static func areEqual(_ a: Value, _ b: Value, folding: TextFolding) -> Bool {
        if !folding.isNone {
            switch (a, b) {
            case (.string(let x), .string(let y)):
                return folded(x, y, folding) { TextMatch.equal($0, $1, folds: folding.foldsCase) }
            case (.binary(let x), .binary(let y)):
                return TextMatch.equal(x, y, folds: folding.foldsCase)
            default: break
            }
        }
        return compare(a, b) == 0
    }

    /// Calls `body` with both texts after removing the differences that `folding` ignores.
    @inline(__always)
    private static func folded(
        _ a: ByteView, _ b: ByteView, _ folding: TextFolding, _ body: (ByteView, ByteView) -> Bool
    ) -> Bool {
        if folding.isBytewise { return body(a, b) }
        return folding.withFolded(a) { a in folding.withFolded(b) { body(a, $0) } }
    }

    /// Compares values in the order of `ValueOrder`, but treats all NaNs as equal.
    @inline(__always)
    static func compare(_ a: Value, _ b: Value) -> Int { Value.compare(a, b) }

    static func isNaN(_ value: Value) -> Bool { value.isNaN }

    private static func isOrdered(_ relation: QueryRelation, _ a: Value, _ b: Value) -> Bool {
        // Values are comparable if their ranks are equal: both have the same type, both are
        // numbers, or both are null.
        guard ValueOrder.rank(a) == ValueOrder.rank(b) else { return false }
        if case .null = a { return relation == .lessEqual || relation == .greaterEqual }
        return accepts(relation, compare(a, b))
    }

    /// Whether an ordered relation is true for the result `order` of a three-way comparison.
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
        _ relation: QueryRelation, _ a: Value, _ b: Value, folding: TextFolding
    ) -> Bool {
        switch (a, b) {
        case (.string(let text), .string(let part)):
            return folded(text, part, folding) {
                matchesBytes(relation, $0, $1, folds: folding.foldsCase)
            }
        case (.binary(let text), .binary(let part)):
            return matchesBytes(relation, text, part, folds: folding.foldsCase)
        case (.null, .null): return relation == .like
        // CONTAINS null is true for every non-null value (query language 9).
        case (_, .null): return relation == .contains
        default: return false
        }
    }

    private static func matchesBytes(
        _ relation: QueryRelation, _ text: ByteView, _ part: ByteView, folds: Bool
    ) -> Bool {
        switch relation {
        case .beginsWith: TextMatch.begins(text, part, folds: folds)
        case .endsWith: TextMatch.ends(text, part, folds: folds)
        case .contains: TextMatch.contains(text, part, folds: folds)
        default: TextMatch.like(text, part, folds: folds)
        }
    }
}
