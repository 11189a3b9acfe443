/// Sum and number of values.
protocol Total: AggregateState {
    func sum(_ overflow: IntegerOverflow) -> Value
    /// Null without values.
    var average: Value { get }
}

extension AggregateOperation {
    /// The values are added up as integers, as doubles, or as decimals.
    static func total(
        of element: OperandType, _ filter: ValueFilter,
        _ finish: @escaping @Sendable (any Total, IntegerOverflow) -> Value
    ) -> AggregateOperation {
        switch element {
        case .int: OperationOn(IntegerTotal()) { finish($0, $1) }
        case .float, .double: OperationOn(BinaryTotal()) { finish($0, $1) }
        default: OperationOn(DecimalTotal(filter)) { finish($0, $1) }
        }
    }
}

/// The total of integers, exact.
struct IntegerTotal: Total {
    private var sum: Int128 = 0
    private var count: Int128 = 0

    @inline(__always)
    private mutating func add(_ value: Int64) {
        sum &+= Int128(value)
        count &+= 1
    }

    mutating func add(_ value: Value, times: Int64) {
        guard case .int(let x) = value else { return }
        sum &+= Int128(x) &* Int128(times)
        count &+= Int128(times)
    }

    mutating func add(_ cells: ColumnLeaf) throws(RealmError) {
        switch cells {
        case .integer(let cells):
            sum &+= IntegerKernels.sum(cells.node)
            count &+= Int128(cells.count)
        case .nullableInteger(let cells):
            for row in 0..<cells.count { if let value = cells.value(row) { add(value) } }
        default: for row in 0..<cells.count { add(try cells.value(row), times: 1) }
        }
    }

    mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError) {
        switch cells {
        case .integer(let cells):
            sum &+= IntegerKernels.sum(cells.node, rows)
            count &+= Int128(rows.count)
        case .nullableInteger(let cells):
            var total = self
            rows.each { if let value = cells.value($0) { total.add(value) } }
            self = total
        default:
            try rows.visit { (row) throws(RealmError) in add(try cells.value(row), times: 1) }
        }
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

    mutating func merge(_ other: Self) {
        sum &+= other.sum
        count &+= other.count
    }

    func sum(_ overflow: IntegerOverflow) -> Value {
        if overflow == .widens, Int64(exactly: sum) == nil { return .double(Double(sum)) }
        return .int(Int64(truncatingIfNeeded: sum))
    }

    var average: Value { count == 0 ? .null : .double(Double(sum) / Double(count)) }
}

/// The total of floats and doubles, rounded after each addition. NaN is skipped; so is null, which is
/// stored as a NaN.
struct BinaryTotal: Total {
    private var sum = 0.0
    private var count: Int128 = 0

    @inline(__always)
    private mutating func add(_ value: Double) {
        guard value == value else { return }
        sum += value
        count &+= 1
    }

    mutating func add(_ value: Value, times: Int64) {
        let number: Double
        switch value {
        case .float(let x): number = Double(x)
        case .double(let x): number = x
        default: return
        }
        guard number == number else { return }
        sum += number * Double(times)
        count &+= Int128(times)
    }

    mutating func add(_ cells: ColumnLeaf) throws(RealmError) {
        var total = self
        switch cells {
        case .double(let cells): for row in 0..<cells.count { total.add(cells.number(row)) }
        case .float(let cells): for row in 0..<cells.count { total.add(Double(cells.number(row))) }
        default: for row in 0..<cells.count { total.add(try cells.value(row), times: 1) }
        }
        self = total
    }

    mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError) {
        var total = self
        switch cells {
        case .double(let cells): rows.each { total.add(cells.number($0)) }
        case .float(let cells): rows.each { total.add(Double(cells.number($0))) }
        default:
            try rows.visit { (row) throws(RealmError) in total.add(try cells.value(row), times: 1) }
        }
        self = total
    }

    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError) {
        switch cells {
        case .double(let cells): rows.each { states[$0].pointee.add(cells.number($0)) }
        case .float(let cells): rows.each { states[$0].pointee.add(Double(cells.number($0))) }
        default:
            try rows.visit { (row) throws(RealmError) in
                states[row].pointee.add(try cells.value(row), times: 1)
            }
        }
    }

    mutating func merge(_ other: Self) {
        sum += other.sum
        count &+= other.count
    }

    func sum(_ overflow: IntegerOverflow) -> Value { .double(sum) }

    var average: Value { count == 0 ? .null : .double(sum / Double(count)) }
}

/// The total of decimals, and of the numbers among values of several types.
struct DecimalTotal: Total {
    private let filter: ValueFilter
    private var sum = Decimal128.zero
    private var count: Int128 = 0

    init(_ filter: ValueFilter) { self.filter = filter }

    mutating func add(_ value: Value, times: Int64) {
        guard filter.accepts(value), let number = value.decimalNumber else { return }
        sum = sum + (times == 1 ? number : number * Decimal128(times))
        count &+= Int128(times)
    }

    mutating func merge(_ other: Self) {
        sum = sum + other.sum
        count &+= other.count
    }

    func sum(_ overflow: IntegerOverflow) -> Value { .decimal(sum) }

    var average: Value { count == 0 ? .null : .decimal(sum / decimalCount) }

    private var decimalCount: Decimal128 {
        let half = Int64(1) << 62
        let high = Int64(truncatingIfNeeded: count >> 62)
        return Decimal128(high) * Decimal128(half)
            + Decimal128(Int64(truncatingIfNeeded: count) & (half - 1))
    }
}
