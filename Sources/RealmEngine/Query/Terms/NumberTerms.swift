/// Tests integers, bools and links against ranges of stored integers.
final class IntegerTerm: QueryTerm {
    /// Storage of null in the leaves of the column.
    enum Form {
        /// The column is not nullable, so its leaves contain no null.
        case plain
        /// Element 0 of the array is the null marker. A row is null if its element equals the
        /// marker.
        case marked
        /// An integer in this range means null.
        case reserved(IntegerRange)
    }

    private var cells: ColumnCells<NodeView>
    private let form: Form
    private let ranges: [IntegerRange]
    /// The only range, or an empty range if there is none; nil if there are several. Testing this
    /// range does not retain the array `ranges`.
    private let only: IntegerRange?
    private let isNegated: Bool
    private let matchesNull: Bool

    override var label: String { "integer ranges (\(ranges.count)), whole leaves" }

    init(
        _ column: BoundColumn, _ form: Form, _ ranges: [IntegerRange], isNegated: Bool,
        matchesNull: Bool
    ) {
        cells = ColumnCells(column)
        self.form = form
        self.ranges = ranges
        only = ranges.isEmpty ? IntegerRange.none : ranges.count == 1 ? ranges[0] : nil
        self.isNegated = isNegated
        self.matchesNull = matchesNull
    }

    /// Index of row 0 in the packed array: 1 if element 0 is the null marker.
    private var first: Int { if case .marked = form { 1 } else { 0 } }

    override func attach(_ directory: LeafDirectory) { cells.attach(directory) }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        if let next = cells.next(leaf) { Prefetch.elements(next.pointee) }
        return match(try cells.leaf(leaf), first, leaf.count) & among
    }

    override func count(_ directory: LeafDirectory) throws(RealmError) -> Int? {
        guard let nodes = cells.cachedLeaf, let only else { return nil }
        if case .reserved = form { return nil }
        var total = 0
        for i in 0..<directory.count { total &+= count(only, nodes[i]) }
        return total
    }

    /// Returns the number of rows of a packed leaf that match the test. `range` must be the test's
    /// only range. Rows with null are counted if the test matches null.
    @inline(__always)
    private func count(_ range: IntegerRange, _ node: NodeView) -> Int {
        let first = first
        let rows = node.count &- first
        var found = IntegerKernels.count(in: range, node, first: first, count: rows)
        if isNegated { found = rows &- found }
        guard first > 0 else { return found }
        let marker = node.nullMarker
        guard (range.contains(marker) != isNegated) != matchesNull else { return found }
        let nulls = IntegerKernels.count(
            in: IntegerRange(low: marker, high: marker), node, first: NullableIntegerLeaf.first,
            count: rows)
        return matchesNull ? found &+ nulls : found &- nulls
    }

    @inline(__always)
    private func match(_ node: NodeView, _ first: Int, _ count: Int) -> Selection {
        var rows = Selection.none
        if let only {
            rows = IntegerKernels.rows(in: only, node, first: first, count: count)
        } else {
            for range in ranges {
                rows = rows | IntegerKernels.rows(in: range, node, first: first, count: count)
            }
        }
        if isNegated { rows = Selection(first: count).subtracting(rows) }
        switch form {
        case .plain: return rows
        case .marked:
            let marker = node.nullMarker
            // Null rows store the marker, so the ranges were tested with the marker's value.
            // Correct the null rows if that result is not the result for null.
            let isTaken = ranges.contains { $0.contains(marker) } != isNegated
            guard isTaken != matchesNull else { return rows }
            let range = IntegerRange(low: marker, high: marker)
            let nulls = IntegerKernels.rows(
                in: range, node, first: NullableIntegerLeaf.first, count: count)
            return matchesNull ? rows | nulls : rows.subtracting(nulls)
        case .reserved(let range):
            let nulls = IntegerKernels.rows(in: range, node, first: 0, count: count)
            return matchesNull ? rows | nulls : rows.subtracting(nulls)
        }
    }
}

extension ClusterLeaf {
    @inline(never)
    func unevenColumn(_ leafIndex: Int) -> RealmError {
        .corrupt("column \(leafIndex) has not one value for each of \(count) objects", at: ref)
    }
}

/// Tests floats and doubles against ranges of doubles.
final class FloatTerm: QueryTerm {
    private var cells: ColumnCells<NodeView>
    private let isFloat: Bool
    private let ranges: [TestBounds.DoubleRange]
    private let isNegated: Bool
    private let matchesNaN: Bool
    private let matchesNull: Bool

    override var label: String { "number ranges (\(ranges.count)), whole leaves" }

    init(_ test: ColumnTest) {
        cells = ColumnCells(test.column)
        isFloat = test.column.layout.type == .float
        (ranges, isNegated) = TestBounds.doubles(test, isFloat: isFloat)
        matchesNaN = test.matches(isFloat ? .float(.nan) : .double(.nan))
        matchesNull = test.matches(.null)
    }

    override func attach(_ directory: LeafDirectory) { cells.attach(directory) }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        let node = try cells.leaf(leaf)
        let rows = isFloat ? matchFloats(node, leaf.count) : matchDoubles(node, leaf.count)
        return rows & among
    }

    private func matchDoubles(_ node: NodeView, _ count: Int) -> Selection {
        var rows = Selection.none
        for range in ranges {
            rows =
                rows
                | FloatKernels.rows(
                    from: range.low, through: range.high, node.payload, count: count)
        }
        if !isNegated, !matchesNaN, !matchesNull { return rows }
        let numbers = FloatKernels.rows(
            from: -Double.infinity, through: .infinity, node.payload, count: count)
        let nulls = FloatKernels.rows(
            equalTo: DoubleLeaf.nullBits, node.payload, count: count)
        return combine(rows, numbers, nulls, Selection(first: count))
    }

    private func matchFloats(_ node: NodeView, _ count: Int) -> Selection {
        var rows = Selection.none
        for range in ranges {
            rows =
                rows
                | FloatKernels.rows(
                    from: Float(range.low), through: Float(range.high), node.payload, count: count)
        }
        if !isNegated, !matchesNaN, !matchesNull { return rows }
        let numbers = FloatKernels.rows(
            from: -Float.infinity, through: .infinity, node.payload, count: count)
        let nulls = FloatKernels.rows(equalTo: FloatLeaf.nullBits, node.payload, count: count)
        return combine(rows, numbers, nulls, Selection(first: count))
    }

    private func combine(
        _ rows: Selection, _ numbers: Selection, _ nulls: Selection, _ all: Selection
    ) -> Selection {
        var result = isNegated ? numbers.subtracting(rows) : rows
        if matchesNaN { result = result | all.subtracting(numbers).subtracting(nulls) }
        if matchesNull { result = result | nulls }
        return result
    }
}

/// Tests timestamps against a range. Nanoseconds are read only where the seconds equal the seconds
/// of a limit.
final class TimestampTerm: QueryTerm {
    private var cells: ColumnCells<TimestampLeaf>
    /// Lowest and highest timestamp that matches, or that does not match if `isNegated`; nil if
    /// there is no such timestamp.
    private let bounds: (low: Timestamp, high: Timestamp)?
    private let isNegated: Bool
    private let matchesNull: Bool

    override var label: String { "time range, whole leaves" }

    /// Nil for a test that one range of timestamps cannot express, such as IN with several
    /// timestamps. The test or its negation must match a single range.
    init?(_ test: ColumnTest) {
        guard let bounds = Self.bounds(of: test) else { return nil }
        self.bounds = bounds.range
        cells = ColumnCells(test.column)
        isNegated = test.relation == .notEqual
        matchesNull = test.matches(.null)
    }

    private static let first = Timestamp(seconds: .min, nanoseconds: .min)
    private static let last = Timestamp(seconds: .max, nanoseconds: .max)

    private static func bounds(
        of test: ColumnTest
    ) -> (range: (low: Timestamp, high: Timestamp)?, Void)? {
        switch test.operand {
        case .members(let members), .anyOf(let members):
            let times = members.filter { if case .timestamp = $0 { true } else { false } }
            if times.isEmpty { return (nil, ()) }
            guard times.count == 1, case .timestamp(let time) = times[0] else { return nil }
            return ((time, time), ())
        case .range(.timestamp(let low), .timestamp(let high)): return ((low, high), ())
        case .strict(.null), .general(.null): return (nil, ())
        case .strict(.timestamp(let time)), .general(.timestamp(let time)):
            var before = time
            var after = time
            before.nanoseconds -= 1
            after.nanoseconds += 1
            switch test.relation {
            case .less: return ((first, before), ())
            case .lessEqual: return ((first, time), ())
            case .greater: return ((after, last), ())
            case .greaterEqual: return ((time, last), ())
            default: return ((time, time), ())
            }
        default: return nil
        }
    }

    override func attach(_ directory: LeafDirectory) { cells.attach(directory) }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        let column = try cells.leaf(leaf)
        let count = leaf.count
        var rows = matches(column, count)
        if isNegated { rows = Selection(first: count).subtracting(rows) }
        let marker = column.seconds.marker
        let mayHoldNulls = isNegated || (bounds.map { isInside(marker, $0) } ?? false)
        if matchesNull || mayHoldNulls {
            let nulls = Self.rows(column, IntegerRange(low: marker, high: marker), count)
            rows = matchesNull ? rows | nulls : rows.subtracting(nulls)
        }
        return rows & among
    }

    private func isInside(_ seconds: Int64, _ bounds: (low: Timestamp, high: Timestamp)) -> Bool {
        bounds.low.seconds <= seconds && seconds <= bounds.high.seconds
    }

    @inline(__always)
    private static func rows(
        _ column: TimestampLeaf, _ range: IntegerRange, _ count: Int
    ) -> Selection {
        IntegerKernels.rows(
            in: range, column.seconds.node, first: NullableIntegerLeaf.first, count: count)
    }

    private func matches(_ column: TimestampLeaf, _ count: Int) -> Selection {
        guard let (low, high) = bounds, low.seconds <= high.seconds else { return .none }
        let range = IntegerRange(low: low.seconds, high: high.seconds)
        var rows = Self.rows(column, range, count)
        var edges = Selection.none
        if low.seconds != .min {
            edges = Self.rows(column, IntegerRange(low: low.seconds, high: low.seconds), count)
        }
        if high.seconds != .max, high.seconds != low.seconds {
            edges =
                edges
                | Self.rows(column, IntegerRange(low: high.seconds, high: high.seconds), count)
        }
        for i in 0..<4 {
            var rest = edges[i]
            while rest != 0 {
                let row = i &* 64 &+ rest.trailingZeroBitCount
                rest &= rest &- 1
                let time = Timestamp(
                    seconds: column.seconds.node.integer(row &+ 1),
                    nanoseconds: Int32(truncatingIfNeeded: column.nanoseconds.integer(row)))
                let fits =
                    ValueOrder.compare(low, time) <= 0 && ValueOrder.compare(time, high) <= 0
                if !fits { rows[i] &= ~(1 &<< UInt64(row & 63)) }
            }
        }
        return rows
    }
}
