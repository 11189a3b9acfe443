extension AggregateOperation {
    /// Makes the operation for the minimum or maximum. Numbers and dates have state types of their
    /// own, which compare the values of a leaf in one loop.
    static func extreme(
        isLeast: Bool, of element: OperandType, _ filter: ValueFilter
    ) -> AggregateOperation {
        switch element {
        case .int:
            AggregateOperation(IntegerExtreme(NumberExtreme(isLeast))) { e, _ in e.best.result }
        case .float where !filter.includesNaN:
            AggregateOperation(FloatExtreme(NumberExtreme(isLeast))) { e, _ in e.best.result }
        case .double where !filter.includesNaN:
            AggregateOperation(DoubleExtreme(NumberExtreme(isLeast))) { e, _ in e.best.result }
        case .timestamp:
            AggregateOperation(DateExtreme(NumberExtreme(isLeast))) { e, _ in e.best.result }
        default:
            AggregateOperation(Extreme(isLeast: isLeast, filter)) { extreme, _ in extreme.best }
        }
    }
}

/// State of the minimum or maximum of values of any type. Of equal values, the first is kept.
struct Extreme: AggregateState {
    private let isLeast: Bool
    private let filter: ValueFilter
    /// Minimum or maximum of the values added so far; null before the first value.
    private(set) var best = Value.null

    init(isLeast: Bool, _ filter: ValueFilter) {
        self.isLeast = isLeast
        self.filter = filter
    }

    mutating func add(_ value: Value, times: Int64) {
        guard filter.accepts(value) else { return }
        if case .null = best {
            best = value
            return
        }
        let order = Value.compare(value, best)
        if isLeast ? order < 0 : order > 0 { best = value }
    }

    mutating func merge(_ other: Self) { add(other.best, times: 1) }
}

/// State of the minimum or maximum of numbers or dates of one type, without nulls and NaN. Of equal
/// values, the first is kept.
struct NumberExtreme<Number: ExtremeNumber>: Sendable {
    private let isLeast: Bool
    private var isEmpty = true
    private var best = Number.zero

    init(_ isLeast: Bool) { self.isLeast = isLeast }

    /// Minimum or maximum of the added numbers or dates; null if none was added.
    @inline(__always) var result: Value { isEmpty ? .null : best.asValue }

    @inline(__always)
    mutating func add(_ number: Number) {
        if isEmpty || (isLeast ? number.isBelow(best) : best.isBelow(number)) {
            best = number
            isEmpty = false
        }
    }

    @inline(__always)
    mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError) {
        if let number = try Number.extreme(isLeast, of: cells, rows) { add(number) }
    }

    @inline(__always)
    mutating func merge(_ other: Self) { if !other.isEmpty { add(other.best) } }
}

/// State of the minimum or maximum of numbers or dates.
///
/// Each number type has its own state that is not generic. The compiler then specializes the loop
/// over the groups of a leaf, which would otherwise call a closure for each row.
protocol NumberExtremeState: AggregateState {
    associatedtype Number: ExtremeNumber

    var best: NumberExtreme<Number> { get set }
}

extension NumberExtremeState {
    @inline(__always)
    mutating func add(_ value: Value, times: Int64) {
        if let number = Number(counted: value) { best.add(number) }
    }

    @inline(__always)
    mutating func add(_ cells: ColumnLeaf) throws(RealmError) {
        if cells.count <= ClusterRows.maximum {
            return try best.add(cells, Selection(first: cells.count))
        }
        for row in 0..<cells.count { add(try cells.value(row), times: 1) }
    }

    @inline(__always)
    mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError) {
        try best.add(cells, rows)
    }

    @inline(__always)
    mutating func merge(_ other: Self) { best.merge(other.best) }
}

struct IntegerExtreme: NumberExtremeState {
    var best: NumberExtreme<Int64>

    init(_ best: NumberExtreme<Int64>) { self.best = best }

    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError) {
        try Int64.visit(cells, rows) { (row, number) in states[row].pointee.best.add(number) }
    }
}

struct FloatExtreme: NumberExtremeState {
    var best: NumberExtreme<Float>

    init(_ best: NumberExtreme<Float>) { self.best = best }

    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError) {
        try Float.visit(cells, rows) { (row, number) in states[row].pointee.best.add(number) }
    }
}

struct DoubleExtreme: NumberExtremeState {
    var best: NumberExtreme<Double>

    init(_ best: NumberExtreme<Double>) { self.best = best }

    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError) {
        try Double.visit(cells, rows) { (row, number) in states[row].pointee.best.add(number) }
    }
}

struct DateExtreme: NumberExtremeState {
    var best: NumberExtreme<Timestamp>

    init(_ best: NumberExtreme<Timestamp>) { self.best = best }

    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError) {
        try Timestamp.visit(cells, rows) { (row, number) in states[row].pointee.best.add(number) }
    }
}
