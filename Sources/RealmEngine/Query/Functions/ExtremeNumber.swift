/// A number or date type for which loops over packed leaves find minimum and maximum.
protocol ExtremeNumber: BitwiseCopyable, Sendable {
    static var zero: Self { get }

    /// Nil if the value is NaN or is not of this type.
    init?(counted value: Value)

    var asValue: Value { get }

    func isBelow(_ other: Self) -> Bool

    /// Returns the minimum or maximum of the rows, the first of several equal values; nil if all
    /// rows are null or NaN.
    static func extreme(
        _ isLeast: Bool, of cells: ColumnLeaf, _ rows: Selection
    ) throws(RealmError) -> Self?

    /// Visits the rows that are neither null nor NaN, in order.
    static func visit(
        _ cells: ColumnLeaf, _ rows: Selection, _ body: (Int, Self) -> Void
    ) throws(RealmError)
}

extension ExtremeNumber where Self: Comparable {
    @inline(__always) func isBelow(_ other: Self) -> Bool { self < other }
}

extension ExtremeNumber {
    /// Finds the minimum or maximum by reading the value of each selected row, for leaves that no
    /// loop over packed values can read.
    fileprivate static func extremeOfValues(
        _ isLeast: Bool, of cells: ColumnLeaf, _ rows: Selection
    ) throws(RealmError) -> Self? {
        var best: Self?
        try rows.visit { (row) throws(RealmError) in
            guard let next = Self(counted: try cells.value(row)) else { return }
            if let last = best, isLeast ? !next.isBelow(last) : !last.isBelow(next) { return }
            best = next
        }
        return best
    }

    @inline(__always)
    fileprivate static func visitValues(
        _ cells: ColumnLeaf, _ rows: Selection, _ body: (Int, Self) -> Void
    ) throws(RealmError) {
        try rows.visit { (row) throws(RealmError) in
            if let number = Self(counted: try cells.value(row)) { body(row, number) }
        }
    }
}

extension Int64: ExtremeNumber {
    init?(counted value: Value) {
        guard case .int(let number) = value else { return nil }
        self = number
    }

    var asValue: Value { .int(self) }

    static func extreme(
        _ isLeast: Bool, of cells: ColumnLeaf, _ rows: Selection
    ) throws(RealmError) -> Int64? {
        switch cells {
        case .integer(let cells) where rows.count == cells.count:
            return IntegerKernels.extreme(isLeast: isLeast, cells.node, count: cells.count)
        case .integer(let cells):
            return IntegerKernels.extreme(isLeast: isLeast, cells.node, rows)
        case .nullableInteger(let cells): return cells.extreme(isLeast, rows)
        default: return try extremeOfValues(isLeast, of: cells, rows)
        }
    }

    @inline(__always)
    static func visit(
        _ cells: ColumnLeaf, _ rows: Selection, _ body: (Int, Int64) -> Void
    ) throws(RealmError) {
        switch cells {
        case .integer(let cells): cells.node.visit(0, rows, body)
        case .nullableInteger(let cells):
            cells.node.visit(1, rows.subtracting(cells.nullRows), body)
        default: try visitValues(cells, rows, body)
        }
    }
}

extension Timestamp: ExtremeNumber {
    static var zero: Timestamp { Timestamp(seconds: 0, nanoseconds: 0) }

    func isBelow(_ other: Timestamp) -> Bool {
        (seconds, nanoseconds) < (other.seconds, other.nanoseconds)
    }

    init?(counted value: Value) {
        guard case .timestamp(let time) = value else { return nil }
        self = time
    }

    var asValue: Value { .timestamp(self) }

    /// Finds the minimum or maximum of the seconds, then of the nanoseconds at those seconds.
    static func extreme(
        _ isLeast: Bool, of cells: ColumnLeaf, _ rows: Selection
    ) throws(RealmError) -> Timestamp? {
        guard case .timestamp(let times) = cells else {
            return try extremeOfValues(isLeast, of: cells, rows)
        }
        guard let seconds = times.seconds.extreme(isLeast, rows) else { return nil }
        var equal = IntegerKernels.rows(
            in: IntegerRange(low: seconds, high: seconds), times.seconds.node,
            first: NullableIntegerLeaf.first,
            count: times.count)
        equal = equal & rows
        // If the array of nanoseconds has width 0, all nanoseconds are zero. The rows with the
        // extreme seconds are then equal, and the first is the result.
        if times.nanoseconds.widthCode == 0 { equal = equal.prefix(1) }
        return try extremeOfValues(isLeast, of: cells, equal)
    }

    @inline(__always)
    static func visit(
        _ cells: ColumnLeaf, _ rows: Selection, _ body: (Int, Timestamp) -> Void
    ) throws(RealmError) { try visitValues(cells, rows, body) }
}

extension Double: ExtremeNumber {
    init?(counted value: Value) {
        guard case .double(let number) = value, number == number else { return nil }
        self = number
    }

    var asValue: Value { .double(self) }

    static func extreme(
        _ isLeast: Bool, of cells: ColumnLeaf, _ rows: Selection
    ) throws(RealmError) -> Double? {
        guard case .double(let cells) = cells else {
            return try extremeOfValues(isLeast, of: cells, rows)
        }
        return FloatKernels.extreme(isLeast, cells.numbers, cells.count, rows)
    }

    @inline(__always)
    static func visit(
        _ cells: ColumnLeaf, _ rows: Selection, _ body: (Int, Double) -> Void
    ) throws(RealmError) {
        guard case .double(let cells) = cells else { return try visitValues(cells, rows, body) }
        let numbers = cells.numbers
        rows.each { if numbers[$0] == numbers[$0] { body($0, numbers[$0]) } }
    }
}

extension Float: ExtremeNumber {
    init?(counted value: Value) {
        guard case .float(let number) = value, number == number else { return nil }
        self = number
    }

    var asValue: Value { .float(self) }

    static func extreme(
        _ isLeast: Bool, of cells: ColumnLeaf, _ rows: Selection
    ) throws(RealmError) -> Float? {
        guard case .float(let cells) = cells else {
            return try extremeOfValues(isLeast, of: cells, rows)
        }
        return FloatKernels.extreme(isLeast, cells.numbers, cells.count, rows)
    }

    @inline(__always)
    static func visit(
        _ cells: ColumnLeaf, _ rows: Selection, _ body: (Int, Float) -> Void
    ) throws(RealmError) {
        guard case .float(let cells) = cells else { return try visitValues(cells, rows, body) }
        let numbers = cells.numbers
        rows.each { if numbers[$0] == numbers[$0] { body($0, numbers[$0]) } }
    }
}

extension NullableIntegerLeaf {
    /// Returns the minimum or maximum of the selected rows; nil if all are null.
    fileprivate func extreme(_ isLeast: Bool, _ rows: Selection) -> Int64? {
        if rows.count == count {
            return IntegerKernels.extreme(
                isLeast: isLeast, node, first: NullableIntegerLeaf.first, count: count,
                excluding: marker)
        }
        return IntegerKernels.extreme(
            isLeast: isLeast, node, first: NullableIntegerLeaf.first, rows.subtracting(nullRows))
    }
}
