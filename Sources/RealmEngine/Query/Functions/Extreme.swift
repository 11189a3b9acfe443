extension AggregateOperation {
    static func extreme(isLeast: Bool, _ filter: ValueFilter) -> AggregateOperation {
        OperationOn(Extreme(isLeast: isLeast, filter)) { extreme, _ in extreme.best }
    }
}

/// The least or the greatest of values of any type; of equal ones the first.
struct Extreme: AggregateState {
    private let isLeast: Bool
    private let filter: ValueFilter
    /// Null before the first value.
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

    @inline(__always)
    private mutating func add(_ value: Int64) {
        guard case .int(let last) = best else { return add(.int(value), times: 1) }
        if isLeast ? value < last : value > last { best = .int(value) }
    }

    mutating func add(_ cells: ColumnLeaf) throws(RealmError) {
        switch cells {
        case .integer(let cells): add(IntegerKernels.range(of: cells.node))
        case _ where cells.count <= ClusterRows.maximum:
            try addPacked(cells, Selection(first: cells.count))
        default: for row in 0..<cells.count { add(try cells.value(row), times: 1) }
        }
    }

    mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError) {
        try addPacked(cells, rows)
    }

    private mutating func add(_ range: ClosedRange<Int64>?) {
        if let range { add(isLeast ? range.lowerBound : range.upperBound) }
    }

    private mutating func addPacked(
        _ cells: ColumnLeaf, _ rows: Selection
    ) throws(RealmError) {
        switch cells {
        case .integer(let cells): add(IntegerKernels.range(of: cells.node, rows))
        case .nullableInteger(let cells): addBest(rows, cells.value, as: Value.int)
        case .double(let cells) where !filter.keepsNaN:
            addBest(rows, { cells.number($0).orNil }, as: Value.double)
        case .float(let cells) where !filter.keepsNaN:
            addBest(rows, { cells.number($0).orNil }, as: Value.float)
        default:
            try rows.visit { (row) throws(RealmError) in add(try cells.value(row), times: 1) }
        }
    }

    /// - Parameter number: the number of a row; nil for null and NaN.
    @inline(__always)
    private mutating func addBest<Number: Comparable>(
        _ rows: Selection, _ number: (Int) -> Number?, as value: (Number) -> Value
    ) {
        var best: Number?
        if isLeast {
            rows.each { row in
                guard let next = number(row) else { return }
                if let last = best, next >= last { return }
                best = next
            }
        } else {
            rows.each { row in
                guard let next = number(row) else { return }
                if let last = best, next <= last { return }
                best = next
            }
        }
        if let best { add(value(best), times: 1) }
    }

    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError) {
        switch cells {
        case .integer(let cells): rows.each { states[$0].pointee.add(cells.value($0)) }
        case .nullableInteger(let cells):
            rows.each { row in
                if let value = cells.value(row) { states[row].pointee.add(value) }
            }
        default:
            try rows.visit { (row) throws(RealmError) in
                states[row].pointee.add(try cells.value(row), times: 1)
            }
        }
    }

    mutating func merge(_ other: Self) { add(other.best, times: 1) }
}

extension BinaryFloatingPoint {
    /// Nil for NaN, which null is stored as.
    @inline(__always)
    fileprivate var orNil: Self? { self == self ? self : nil }
}
