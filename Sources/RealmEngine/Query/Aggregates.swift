/// A figure that the objects of a query are reduced to.
public struct AggregateTerm: Sendable {
    /// Nil for the number of objects.
    public let reduction: QueryReduction?
    /// Place of the property among those of its class.
    public let column: Int

    /// The number of objects.
    public static let count = AggregateTerm(reduction: nil, column: -1)

    private init(reduction: QueryReduction?, column: Int) {
        self.reduction = reduction
        self.column = column
    }

    /// A reduction of property `column` of `table`; nil when its values cannot be reduced so.
    public init?(_ reduction: QueryReduction, of column: Int, in table: TableInfo) {
        let info = table.columns[column]
        guard info.collection == nil, reduction.isDefined(for: info.type) else { return nil }
        self.init(reduction: reduction, column: column)
    }
}

extension QueryReduction {
    /// Whether values of the type can be reduced so.
    func isDefined(for type: ColumnType) -> Bool {
        switch type {
        case .int, .float, .double, .decimal, .mixed: true
        case .timestamp: self == .min || self == .max
        default: false
        }
    }
}

extension QueryPlan {
    /// Figures of the objects the query yields, in the order of the terms. Throws `corrupt`.
    public func aggregates(
        _ terms: [AggregateTerm], in snapshot: Snapshot
    ) throws(RealmError) -> (count: Int, values: [Value]) {
        if isArranged {
            let keys = try rows(in: snapshot).keys
            return try snapshot.table(query.table).aggregates(terms, of: keys)
        }
        var figures = terms.map { Figure($0, query.table) }
        let count = try addLeaves(to: &figures, snapshot)
        return (count, figures.map { $0.result(count: count) })
    }

    private func addLeaves(
        to figures: inout [Figure], _ snapshot: Snapshot
    ) throws(RealmError) -> Int {
        var count = 0
        try QueryRun(self, in: snapshot).forEachLeaf { (leaf, rows) throws(RealmError) in
            count &+= rows.count
            for i in figures.indices {
                guard let column = figures[i].column else { continue }
                try figures[i].add(leaf.column(column.leafIndex, column.layout), rows)
            }
            return true
        }
        return count
    }

}

extension Table {
    /// Figures of the objects with `keys`, one after the other, since sums depend on the order. Throws
    /// `corrupt`.
    func aggregates(
        _ terms: [AggregateTerm], of keys: RowKeys
    ) throws(RealmError) -> (count: Int, values: [Value]) {
        var figures = terms.map { Figure($0, info) }
        var count = 0
        let columns = figures.map { $0.column }
        let scan = scan(columns: figures.compactMap { $0.place })
        for key in keys {
            guard let row = try scan.seek(key) else { continue }
            count += 1
            var place = 0
            for i in figures.indices where columns[i] != nil {
                figures[i].add(try scan.value(row: row, column: place))
                place += 1
            }
        }
        return (count, figures.map { $0.result(count: count) })
    }
}

/// A figure in the making.
struct Figure {
    private let reduction: QueryReduction?
    /// Of the values; nil for the number of objects.
    private let type: ColumnType?
    /// What is reduced, and its place among the properties; nil for no property.
    let column: BoundColumn?
    fileprivate let place: Int?
    /// Values added up.
    private var number = 0
    private var sum = 0.0
    /// Sums of integers stay exact as long as they fit.
    private var whole: Int64 = 0
    private var isWhole = true
    private var decimal = Decimal128.zero
    private var isDecimal = false
    private var extreme = Value.null

    init(_ term: AggregateTerm, _ table: TableInfo) {
        reduction = term.reduction
        place = term.reduction == nil ? nil : term.column
        column = place.map { BoundColumn(table.columns[$0]) }
        type = place.map { table.columns[$0].type }
    }

    /// Of values of a type, for which the reduction is defined.
    init(_ reduction: QueryReduction, of type: ColumnType) {
        (self.reduction, self.type) = (reduction, type)
        (column, place) = (nil, nil)
    }

    /// Adds rows of a leaf, in order.
    fileprivate mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError) {
        if reduction == .sum || reduction == .average, !isDecimal {
            switch cells {
            case .double(let cells): return addDoubles(cells, rows)
            case .integer(let cells) where isWhole: return addIntegers(cells, rows)
            default: break
            }
        }
        try rows.visit { (row) throws(RealmError) in add(try cells.value(row)) }
    }

    /// Adds rows of a leaf, each to the figure of its group: by number, one of `every`.
    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to figures: UnsafeMutablePointer<Figure>,
        every step: Int, _ groups: UnsafePointer<UInt32>
    ) throws(RealmError) {
        let isSum = figures.pointee.reduction == .sum || figures.pointee.reduction == .average
        switch cells {
        case .double(let cells) where isSum:
            rows.each { row in
                guard let value = cells.value(row) else { return }
                figures[Int(groups[row]) &* step].addOne(value)
            }
        case .integer(let cells) where isSum:
            rows.each { figures[Int(groups[$0]) &* step].addOne(cells.value($0)) }
        case .nullableInteger(let cells) where isSum:
            rows.each { row in
                guard let value = cells.value(row) else { return }
                figures[Int(groups[row]) &* step].addOne(value)
            }
        default:
            try rows.visit { (row) throws(RealmError) in
                figures[Int(groups[row]) &* step].add(try cells.value(row))
            }
        }
    }

    /// Of a property of doubles.
    @inline(__always)
    private mutating func addOne(_ value: Double) {
        isWhole = false
        sum += value
        number &+= 1
    }

    /// Of a property of integers.
    @inline(__always)
    private mutating func addOne(_ value: Int64) {
        let (total, overflow) = whole.addingReportingOverflow(value)
        whole = total
        if overflow { isWhole = false }
        sum += Double(value)
        number &+= 1
    }

    /// Adds what another figure of the same kind was made of.
    mutating func merge(_ other: Figure) {
        if case .null = other.extreme {} else { addExtreme(other.extreme) }
        if isDecimal || other.isDecimal {
            decimal = decimalSum + other.decimalSum
            isDecimal = true
        }
        let (total, overflow) = whole.addingReportingOverflow(other.whole)
        whole = total
        isWhole = isWhole && other.isWhole && !overflow
        sum += other.sum
        number &+= other.number
    }

    private var decimalSum: Decimal128 {
        isDecimal ? decimal : isWhole ? Decimal128(whole) : Decimal128(sum)
    }

    private mutating func addDoubles(_ cells: DoubleLeaf, _ rows: Selection) {
        var (sum, number) = (sum, number)
        rows.each { row in
            guard let value = cells.value(row) else { return }
            sum += value
            number &+= 1
        }
        if number > self.number { isWhole = false }
        (self.sum, self.number) = (sum, number)
    }

    private mutating func addIntegers(_ cells: IntegerLeaf, _ rows: Selection) {
        var (sum, whole, overflows) = (sum, whole, false)
        rows.each { row in
            let value = cells.value(row)
            let (total, overflow) = whole.addingReportingOverflow(value)
            whole = total
            overflows = overflows || overflow
            sum += Double(value)
        }
        if overflows { isWhole = false }
        (self.sum, self.whole, number) = (sum, whole, number &+ rows.count)
    }

    mutating func add(_ value: Value) {
        switch reduction {
        case .sum, .average: addNumber(value)
        case .min, .max: addExtreme(value)
        case nil: break
        }
    }

    private mutating func addNumber(_ value: Value) {
        switch value {
        case .int(let v):
            let (total, overflow) = whole.addingReportingOverflow(v)
            whole = total
            if overflow { isWhole = false }
            sum += Double(v)
            if isDecimal { decimal = decimal + Decimal128(v) }
        case .float(let v): addDouble(Double(v))
        case .double(let v): addDouble(v)
        case .decimal(let v):
            if !isDecimal {
                isDecimal = true
                decimal = isWhole ? Decimal128(whole) : Decimal128(sum)
            }
            decimal = decimal + v
        default: return
        }
        number += 1
    }

    private mutating func addDouble(_ v: Double) {
        isWhole = false
        sum += v
        if isDecimal { decimal = decimal + Decimal128(v) }
    }

    private mutating func addExtreme(_ value: Value) {
        switch value {
        case .int, .float, .double, .decimal, .timestamp: break
        default: return
        }
        if case .null = extreme {
            extreme = value
            return
        }
        let order = ValueOrder.compare(value, extreme)
        if reduction == .max ? order > 0 : order < 0 { extreme = value }
    }

    /// What was found among `count` objects.
    func result(count: Int = 0) -> Value {
        switch reduction {
        case nil: return .int(Int64(count))
        case .min, .max: return extreme
        case .sum:
            if isDecimal || type == .decimal { return .decimal(decimal) }
            let isInteger = type == .int || type == .mixed
            return isWhole && isInteger ? .int(whole) : .double(sum)
        case .average:
            if number == 0 { return .null }
            if isDecimal { return .decimal(decimal / Decimal128(number)) }
            return .double(sum / Double(number))
        }
    }
}
