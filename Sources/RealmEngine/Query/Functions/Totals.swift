/// Aggregate state with the sum of the values and their number.
protocol Total: AggregateState {
    func sum(_ overflow: IntegerOverflow) -> Value
    /// Mean of the added values; null if none was added.
    var average: Value { get }
}

extension AggregateOperation {
    /// Makes the operation for a sum or an average. Values are added as integers, doubles or
    /// decimals, depending on their type.
    static func total(
        of element: OperandType, _ filter: ValueFilter,
        _ finish: @escaping @Sendable (any Total, IntegerOverflow) -> Value
    ) -> AggregateOperation {
        switch element {
        case .int: AggregateOperation(IntegerTotal()) { finish($0, $1) }
        case .float, .double: AggregateOperation(BinaryTotal()) { finish($0, $1) }
        default: AggregateOperation(DecimalTotal(filter)) { finish($0, $1) }
        }
    }
}

/// The exact sum of integers, in 128 bits.
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
        case .nullableInteger(let cells) where cells.count <= ClusterRows.maximum:
            // The sum of the array includes its null markers: element 0, and one per null. Subtract
            // them.
            let nulls = cells.nullRows.count
            sum &+=
                IntegerKernels.sum(cells.node) &- Int128(cells.marker) &* Int128(nulls &+ 1)
            count &+= Int128(cells.count &- nulls)
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
            let rows = rows.subtracting(cells.nullRows)
            sum &+= IntegerKernels.sum(cells.node, first: NullableIntegerLeaf.first, rows)
            count &+= Int128(rows.count)
        default:
            try rows.visit { (row) throws(RealmError) in add(try cells.value(row), times: 1) }
        }
    }

    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError) {
        switch cells {
        case .integer(let cells):
            cells.node.visit(0, rows) { (row, number) in states[row].pointee.add(number) }
        case .nullableInteger(let cells):
            cells.node.visit(1, rows.subtracting(cells.nullRows)) { (row, number) in
                states[row].pointee.add(number)
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

/// The total of floats and doubles, rounded after each addition. NaN is skipped. So is null,
/// because a null is stored as a NaN.
struct BinaryTotal: Total {
    private var sum = 0.0
    private var count: Int128 = 0

    @inline(__always)
    private mutating func add(_ value: Double) {
        guard value == value else { return }
        sum += value
        count &+= 1
    }

    /// Adds `count` numbers without branches. Adds -0 in place of a NaN, which leaves the sum
    /// unchanged.
    @inline(__always)
    private mutating func add(_ count: Int, _ number: (Int) -> Double) {
        var (sum, numbers) = (sum, 0)
        for i in 0..<count {
            let number = number(i)
            let isNumber = number == number
            sum += isNumber ? number : -0.0
            numbers &+= isNumber ? 1 : 0
        }
        self.sum = sum
        self.count &+= Int128(numbers)
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
        switch cells {
        case .double(let cells):
            let numbers = cells.numbers
            add(cells.count) { numbers[$0] }
        case .float(let cells):
            let numbers = cells.numbers
            add(cells.count) { Double(numbers[$0]) }
        default: for row in 0..<cells.count { add(try cells.value(row), times: 1) }
        }
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

/// The sum of a decimal property, or of the numbers in a mixed property.
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
