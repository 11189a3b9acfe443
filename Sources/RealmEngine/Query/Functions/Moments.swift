/// Number, mean and sum of squared differences from the mean, all as doubles.
///
/// Single values are added with Welford's method, leaves and states with the method of Chan, Golub
/// and LeVeque. Both stay precise if the numbers are large and close to each other.
struct Moments: AggregateState {
    private let filter: ValueFilter
    private var count = 0.0
    private var mean = 0.0
    private var squares = 0.0

    init(_ filter: ValueFilter) { self.filter = filter }

    private init(_ filter: ValueFilter, count: Double, mean: Double, squares: Double) {
        (self.filter, self.count, self.mean, self.squares) = (filter, count, mean, squares)
    }

    mutating func add(_ value: Value, times: Int64) {
        guard filter.accepts(value), let number = value.doubleNumber else { return }
        if times == 1 { return add(number) }
        merge(Moments(filter, count: Double(times), mean: number, squares: 0))
    }

    @inline(__always)
    private mutating func add(_ value: Double) {
        count += 1
        let difference = value - mean
        mean += difference / count
        squares += difference * (value - mean)
    }

    mutating func add(_ cells: ColumnLeaf) throws(RealmError) {
        if cells.count <= ClusterRows.maximum {
            return try add(cells, Selection(first: cells.count))
        }
        for row in 0..<cells.count { add(try cells.value(row), times: 1) }
    }

    mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError) {
        switch cells {
        case .integer(let cells): add(rows) { Double(cells.value($0)) }
        case .nullableInteger(let cells): add(rows) { cells.value($0).map(Double.init) ?? .nan }
        case .double(let cells): add(rows) { cells.number($0) }
        case .float(let cells): add(rows) { Double(cells.number($0)) }
        default:
            try rows.visit { (row) throws(RealmError) in add(try cells.value(row), times: 1) }
        }
    }

    /// Adds the numbers of a leaf in two loops: the first computes the mean, the second the squared
    /// differences from the mean.
    ///
    /// - Parameter number: returns the number in a row; NaN if the row is not aggregated.
    @inline(__always)
    private mutating func add(_ rows: Selection, _ number: (Int) -> Double) {
        var (count, sum) = (0.0, 0.0)
        rows.each { row in
            let value = number(row)
            guard value == value else { return }
            count += 1
            sum += value
        }
        if count == 0 { return }
        let mean = sum / count
        var squares = 0.0
        rows.each { row in
            let difference = number(row) - mean
            if difference == difference { squares += difference * difference }
        }
        // Differences from an infinite or NaN mean are undefined, and so is the sum of their
        // squares.
        if !mean.isFinite { squares = .nan }
        merge(Moments(filter, count: count, mean: mean, squares: squares))
    }

    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError) {
        switch cells {
        case .integer(let cells): rows.each { states[$0].pointee.add(Double(cells.value($0))) }
        case .double(let cells):
            rows.each { row in
                let value = cells.number(row)
                if value == value { states[row].pointee.add(value) }
            }
        default:
            try rows.visit { (row) throws(RealmError) in
                states[row].pointee.add(try cells.value(row), times: 1)
            }
        }
    }

    mutating func merge(_ other: Self) {
        if other.count == 0 { return }
        if count == 0 {
            self = other
            return
        }
        let sum = count + other.count
        let difference = other.mean - mean
        squares += other.squares + difference * difference * count * (other.count / sum)
        mean += difference * (other.count / sum)
        count = sum
    }

    /// The sample standard deviation; null for fewer than two values.
    var standardDeviation: Value {
        count < 2 ? .null : .double((squares / (count - 1)).squareRoot())
    }
}
