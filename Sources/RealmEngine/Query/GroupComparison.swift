/// Two operands' values compared under quantifiers (query language 6 and 11.1).
struct GroupComparison {
    private let comparison: BoundComparison
    private let left: QueryQuantifier
    private let right: QueryQuantifier
    /// Two lists without a quantifier are compared position by position.
    private let isPositional: Bool
    private let matchesByCount: Bool

    init(_ comparison: BoundComparison) {
        self.comparison = comparison
        left = comparison.left.quantifier ?? .any
        right = comparison.right.quantifier ?? .any
        isPositional =
            comparison.left.shape != .scalar && comparison.right.shape != .scalar
            && comparison.left.quantifier == nil && comparison.right.quantifier == nil
        matchesByCount =
            comparison.relation == .equal && comparison.left.shape != .scalar
            && comparison.right.shape != .scalar && left == .all && right == .any
    }

    /// True if the relation holds for some pair of groups; what is no group counts as one.
    func holds(_ a: ValueBuffer, _ b: ValueBuffer) -> Bool {
        let first = Groups(a, comparison.left.shape)
        let second = Groups(b, comparison.right.shape)
        for i in 0..<first.count {
            for j in 0..<second.count
            where holds(a.values[first[i]], b.values[second[j]]) {
                return true
            }
        }
        return false
    }

    private func holds(_ a: ArraySlice<Value>, _ b: ArraySlice<Value>) -> Bool {
        if isPositional { return holdsAtEveryPosition(a, b) }
        if matchesByCount, a.count > 2, b.count > 2 { return isIncluded(a, in: b) }
        return quantified(a, b)
    }

    /// The reference engine answers `ALL list == ANY {...}` for more than two elements on both sides
    /// by sorting them: an element that occurs twice on the left must do so on the right.
    private func isIncluded(_ a: ArraySlice<Value>, in b: ArraySlice<Value>) -> Bool {
        var rest = Array(b)
        for x in a {
            guard let i = rest.firstIndex(where: { relate(x, $0) }) else { return false }
            rest.swapAt(i, rest.count - 1)
            rest.removeLast()
        }
        return true
    }

    private func holdsAtEveryPosition(_ a: ArraySlice<Value>, _ b: ArraySlice<Value>) -> Bool {
        guard a.count == b.count else { return comparison.relation == .notEqual }
        for (x, y) in zip(a, b) where !relate(x, y) { return false }
        return true
    }

    private func quantified(_ a: ArraySlice<Value>, _ b: ArraySlice<Value>) -> Bool {
        for x in a {
            let isTrue = quantified(x, b)
            switch left {
            case .any: if isTrue { return true }
            case .all: if !isTrue { return false }
            case .none: if isTrue { return false }
            }
        }
        return left != .any
    }

    private func quantified(_ x: Value, _ b: ArraySlice<Value>) -> Bool {
        for y in b {
            let isTrue = relate(x, y)
            switch right {
            case .any: if isTrue { return true }
            case .all: if !isTrue { return false }
            case .none: if isTrue { return false }
            }
        }
        return right != .any
    }

    @inline(__always)
    private func relate(_ x: Value, _ y: Value) -> Bool {
        if comparison.left.type == .typeName {
            guard case .int(let a) = x, case .int(let b) = y else { return false }
            return (a & b != 0) == (comparison.relation == .equal)
        }
        return ValueRules.holds(comparison.relation, x, y, folds: comparison.foldsCase)
    }

    private struct Groups {
        private let ends: [Int]
        private let total: Int
        let count: Int

        init(_ buffer: ValueBuffer, _ shape: OperandShape) {
            ends = shape == .groups ? buffer.groupEnds : []
            total = buffer.values.count
            count = shape == .groups ? buffer.groupEnds.count : 1
        }

        subscript(i: Int) -> Range<Int> {
            if ends.isEmpty { return 0..<total }
            return (i == 0 ? 0 : ends[i - 1])..<ends[i]
        }
    }
}
