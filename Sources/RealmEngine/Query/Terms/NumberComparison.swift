/// Compares two numbers of each object, a leaf at a time (query language 8 and 16).
///
/// If only one integer property is read, the comparison is also evaluated once for every 8-bit
/// integer. Leaves of such integers are then tested by ranges.
///
/// Confined to one thread.
final class NumberComparison {
    private let relation: QueryRelation
    private let left: NumberColumn
    private let right: NumberColumn
    /// The property, if the comparison reads only one property and that property stores integers;
    /// otherwise nil.
    private let property: NumberProperty?
    /// The comparison as ranges of integers from -128 to 127; nil if there are too many ranges.
    /// Used for leaves with at most eight bits per integer.
    private lazy var byteTerm = makeByteTerm()

    /// Nil unless `NumberColumn` supports both sides of the comparison.
    init?(_ comparison: BoundComparison) {
        guard comparison.isPlain, !comparison.relation.isTextual, comparison.relation != .text,
            let left = NumberColumn.make(comparison.left),
            let right = NumberColumn.make(comparison.right)
        else { return nil }
        relation = comparison.relation
        self.left = left
        self.right = right
        let properties = left.properties + right.properties
        property = properties.count == 1 && properties[0].kind == .int ? properties[0] : nil
    }

    func attach(_ directory: LeafDirectory) {
        left.attach(directory)
        right.attach(directory)
        byteTerm?.attach(directory)
    }

    /// Returns the rows of `among` for which the comparison is true.
    func match(_ leaf: ClusterLeaf, _ among: Selection) throws(RealmError) -> Selection {
        if let property, try property.cells(of: leaf).widthCode <= Self.byteWidthCode,
            let byteTerm
        {
            return try byteTerm.match(leaf, among)
        }
        try left.load(leaf)
        try right.load(leaf)
        return rows(leaf.count) & among
    }

    private static let byteWidthCode: UInt8 = 4

    /// Returns the rows for which the comparison is true. Only the first `count` rows were loaded.
    private func rows(_ count: Int) -> Selection {
        let (noLeft, noRight) = (left.nulls, right.nulls)
        let rows = numberRows(count)
        if noLeft.isEmpty, noRight.isEmpty { return rows }
        let both = noLeft & noRight
        let either = noLeft | noRight
        let numbers = rows.subtracting(either)
        return switch relation {
        case .equal, .in, .lessEqual, .greaterEqual: numbers | both
        case .notEqual: numbers | either.subtracting(both)
        default: numbers
        }
    }

    /// Returns the rows for which the numbers of both operands satisfy the relation. Only the first
    /// `count` rows of the operands were loaded. The result is arbitrary for rows in which an
    /// operand is null.
    private func numberRows(_ count: Int) -> Selection {
        switch (left.kind, right.kind) {
        case (.int, .int): return integerRows(count)
        case (.int, _):
            guard left.convertToDoubles(count: count) else { return rowByRow(count) }
        case (_, .int):
            guard right.convertToDoubles(count: count) else { return rowByRow(count) }
        default: break
        }
        return doubleRows(count)
    }

    private func integerRows(_ count: Int) -> Selection {
        let (a, b) = (left.integers, right.integers)
        return related(
            count, less: { NumberKernels.rows(a, below: b, count) },
            greater: { NumberKernels.rows(b, below: a, count) },
            equal: { NumberKernels.rows(a, equalTo: b, count) })
    }

    private func doubleRows(_ count: Int) -> Selection {
        let (a, b) = (left.doubles, right.doubles)
        return related(
            count, less: { NumberKernels.rows(a, below: b, count) },
            greater: { NumberKernels.rows(b, below: a, count) },
            equal: { NumberKernels.rows(a, equalTo: b, count) })
    }

    /// Returns the rows whose two numbers satisfy the relation. Evaluates only one of the three
    /// closures: for `<=`, for example, it returns all rows that `greater` does not return.
    private func related(
        _ count: Int, less: () -> Selection, greater: () -> Selection, equal: () -> Selection
    ) -> Selection {
        switch relation {
        case .less: less()
        case .greater: greater()
        case .lessEqual: Selection(first: count).subtracting(greater())
        case .greaterEqual: Selection(first: count).subtracting(less())
        case .notEqual: Selection(first: count).subtracting(equal())
        default: equal()
        }
    }

    /// Compares the numbers row by row, for integers that no double represents exactly.
    private func rowByRow(_ count: Int) -> Selection {
        var rows = Selection(first: count)
        rows.filterRows {
            ValueRules.matches(relation, left.value($0), right.value($0), folding: .none)
        }
        return rows
    }

    /// Maximum number of ranges of integers that `byteTerm` tests. If there are more, computing the
    /// operands for each leaf is faster.
    private static let maximumRanges = 4

    private func makeByteTerm() -> IntegerTerm? {
        guard let property else { return nil }
        let all = ClusterRows.maximum
        func outcome(isNull: Bool) -> Selection {
            property.setEveryByte(isNull: isNull)
            left.reload(count: all)
            right.reload(count: all)
            return rows(all)
        }
        let matchesNull = !outcome(isNull: true).isEmpty
        let ranges = outcome(isNull: false).runs.map {
            IntegerRange(low: Int64($0.lowerBound) - 128, high: Int64($0.upperBound) - 129)
        }
        guard ranges.count <= Self.maximumRanges else { return nil }
        return IntegerTerm(
            property.column, property.column.layout.isNullable ? .marked : .plain, ranges,
            isNegated: false, matchesNull: matchesNull)
    }
}

extension Selection {
    /// Ranges of consecutive selected rows, in order.
    fileprivate var runs: [Range<Int>] {
        var result: [Range<Int>] = []
        var start: Int?
        for row in 0..<ClusterRows.maximum {
            if contains(row) {
                if start == nil { start = row }
            } else if let first = start {
                result.append(first..<row)
                start = nil
            }
        }
        if let start { result.append(start..<ClusterRows.maximum) }
        return result
    }
}
