/// A comparison of two operands, evaluated according to the number of their values and their
/// quantifiers (query language 6 and 11.1).
final class BoundComparison: Sendable {
    let relation: QueryRelation
    let folding: TextFolding
    /// Parsed regular expression of MATCHES; nil for other relations.
    let pattern: RegularExpression?
    let left: BoundOperand
    let right: BoundOperand
    /// Upper limit of BETWEEN in a predicate, where `right` is the lower limit. The condition is
    /// true if one value of the left side is within both limits. Nil for other comparisons.
    let upperLimit: Value?
    private let outer: QueryQuantifier
    private let inner: QueryQuantifier
    private let isOfTypes: Bool
    /// Whether two lists without quantifiers are compared element by element at equal positions.
    private let isPositional: Bool
    /// Whether both sides are single values, for which quantifiers have no effect.
    private let isSingle: Bool
    private let matchesByCount: Bool
    /// Sorted constants of a long list on the right side, if the comparison has ANY or NONE;
    /// otherwise nil.
    private let members: SortedMembers?
    /// Sorted prefixes or suffixes, if the right side is a long list of constants for BEGINSWITH or
    /// ENDSWITH; otherwise nil.
    private let affixes: SortedAffixes?

    /// Whether an operand contains a linked object once per path to it, or only once. Repetitions
    /// matter only if the elements of two lists are compared by position, or their occurrences are
    /// counted.
    var repeats: PathMultiplicity { isPositional || matchesByCount ? .kept : .dropped }

    init(
        relation: QueryRelation, folding: TextFolding = .none, left: BoundOperand,
        right: BoundOperand, upperLimit: Value? = nil, pattern: RegularExpression? = nil
    ) {
        self.relation = relation
        self.folding = folding
        self.pattern = pattern
        self.left = left
        self.right = right
        self.upperLimit = upperLimit
        outer = left.quantifier ?? .any
        inner = right.quantifier ?? .any
        isOfTypes = left.type == .typeName
        let areLists = left.shape != .scalar && right.shape != .scalar
        isPositional = areLists && left.quantifier == nil && right.quantifier == nil
        isSingle = left.shape == .scalar && right.shape == .scalar
        matchesByCount = areLists && relation == .equal && outer == .all && inner == .any
        let isSearched =
            folding.isNone && pattern == nil && inner != .all && !isPositional && !isOfTypes
        let constants = isSearched ? right.constantList : nil
        members = relation == .equal ? constants.flatMap(SortedMembers.init) : nil
        affixes = constants.flatMap { SortedAffixes(relation, $0) }
    }

    /// Whether two single values are compared by the relation alone, without a regular expression,
    /// an upper limit, `@type`, or folding of diacritical marks.
    var isPlain: Bool {
        isSingle && !isOfTypes && !folding.dropsMarks && upperLimit == nil && pattern == nil
    }

    /// Whether the relation holds between any group of `a` and any group of `b`. A group is the
    /// elements of one collection; a buffer without groups counts as one group.
    func matches(_ a: ValueBuffer, _ b: ValueBuffer) -> Bool {
        if isSingle, a.values.count == 1, b.values.count == 1 {
            return relate(a.values[0], b.values[0])
        }
        let first = Groups(a, left.shape)
        let second = Groups(b, right.shape)
        for i in 0..<first.count {
            for j in 0..<second.count
            where matches(first[i], second[j]) {
                return true
            }
        }
        return false
    }

    private func matches(_ a: UnsafeBufferPointer<Value>, _ b: UnsafeBufferPointer<Value>) -> Bool {
        if isPositional { return holdsAtEveryPosition(a, b) }
        if matchesByCount, a.count > 2, b.count > 2 { return isIncluded(a, in: b) }
        return quantified(a, b)
    }

    /// Compares two lists as multisets. The reference engine evaluates `ALL list == ANY {...}` by
    /// sorting if both sides have more than two elements: an element that occurs twice on the left
    /// must occur twice on the right.
    private func isIncluded(_ a: UnsafeBufferPointer<Value>, in b: UnsafeBufferPointer<Value>)
        -> Bool
    {
        var rest = Array(b)
        for x in a {
            guard let i = rest.firstIndex(where: { relate(x, $0) }) else { return false }
            rest.swapAt(i, rest.count - 1)
            rest.removeLast()
        }
        return true
    }

    private func holdsAtEveryPosition(
        _ a: UnsafeBufferPointer<Value>, _ b: UnsafeBufferPointer<Value>
    ) -> Bool {
        guard a.count == b.count else { return relation == .notEqual }
        for (x, y) in zip(a, b) where !relate(x, y) { return false }
        return true
    }

    private func quantified(_ a: UnsafeBufferPointer<Value>, _ b: UnsafeBufferPointer<Value>)
        -> Bool
    {
        for x in a {
            let isTrue = isAmong(x, b)
            switch outer {
            case .any: if isTrue { return true }
            case .all: if !isTrue { return false }
            case .none: if isTrue { return false }
            }
        }
        return outer != .any
    }

    private func isAmong(_ x: Value, _ b: UnsafeBufferPointer<Value>) -> Bool {
        if let found = members?.contains(x) { return found == (inner == .any) }
        if let affixes { return affixes.match(x) == (inner == .any) }
        for y in b {
            let isTrue = relate(x, y)
            switch inner {
            case .any: if isTrue { return true }
            case .all: if !isTrue { return false }
            case .none: if isTrue { return false }
            }
        }
        return inner != .any
    }

    @inline(__always)
    func relate(_ x: Value, _ y: Value) -> Bool {
        if isOfTypes {
            guard case .int(let a) = x, case .int(let b) = y else { return false }
            return (a & b != 0) == (relation == .equal)
        }
        if let pattern { return pattern.matches(x) }
        guard ValueRules.matches(relation, x, y, folding: folding) else { return false }
        guard let upperLimit else { return true }
        return ValueRules.matches(.lessEqual, x, upperLimit, folding: .none)
    }

    private struct Groups {
        private let buffer: ValueBuffer
        private let isGrouped: Bool
        let count: Int

        init(_ buffer: ValueBuffer, _ shape: OperandShape) {
            self.buffer = buffer
            isGrouped = shape == .groups
            count = isGrouped ? buffer.groupEnds.count : 1
        }

        subscript(i: Int) -> UnsafeBufferPointer<Value> {
            if !isGrouped { return buffer.values.all }
            let start = i == 0 ? 0 : buffer.groupEnds[i - 1]
            return UnsafeBufferPointer(rebasing: buffer.values.all[start..<buffer.groupEnds[i]])
        }
    }
}
