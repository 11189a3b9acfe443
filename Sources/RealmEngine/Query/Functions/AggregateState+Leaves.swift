/// Loops over the packed column of a leaf.
extension AggregateState {
    /// Adds all values of a leaf, in order.
    mutating func add(_ cells: ColumnLeaf) throws(RealmError) {
        switch (function, cells) {
        case (.sum, .integer(let cells)), (.average, .integer(let cells)):
            addWhole(sum: IntegerKernels.sum(cells.node), count: cells.count)
        case (.min, .integer(let cells)):
            if let range = IntegerKernels.range(of: cells.node) { add(.int(range.lowerBound)) }
        case (.max, .integer(let cells)):
            if let range = IntegerKernels.range(of: cells.node) { add(.int(range.upperBound)) }
        case (.sum, .double(let cells)), (.average, .double(let cells)):
            for i in 0..<cells.count { addBinary(cells.number(i)) }
        default: for i in 0..<cells.count { add(try cells.value(i)) }
        }
    }

    /// Adds rows of a leaf, in order.
    mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError) {
        switch (function, cells) {
        case (.sum, .integer(let cells)), (.average, .integer(let cells)):
            var sum: Int128 = 0
            rows.each { sum &+= Int128(cells.value($0)) }
            addWhole(sum: sum, count: rows.count)
        case (.sum, .double(let cells)), (.average, .double(let cells)):
            addBinary(rows) { cells.number($0) }
        case (.sum, .float(let cells)), (.average, .float(let cells)):
            addBinary(rows) { Double(cells.number($0)) }
        case (.min, .integer(let cells)): addBest(rows, cells.value, <) { .int($0) }
        case (.max, .integer(let cells)): addBest(rows, cells.value, >) { .int($0) }
        case (.min, .double(let cells)): addBest(rows, cells.number, <) { .double($0) }
        case (.max, .double(let cells)): addBest(rows, cells.number, >) { .double($0) }
        default: try rows.visit { (row) throws(RealmError) in add(try cells.value(row)) }
        }
    }

    @inline(__always)
    private mutating func addBinary(_ rows: Selection, _ number: (Int) -> Double) {
        addBinary { total in
            var (sum, count) = (total, 0)
            rows.each { row in
                let value = number(row)
                // Null is one of the NaNs.
                guard value == value else { return }
                sum += value
                count &+= 1
            }
            total = sum
            return count
        }
    }

    /// - Parameter number: the value of a row; no NaN is better than another value.
    @inline(__always)
    private mutating func addBest<Number: Comparable>(
        _ rows: Selection, _ number: (Int) -> Number, _ isBetter: (Number, Number) -> Bool,
        _ value: (Number) -> Value
    ) {
        var best: Number?
        rows.each { row in
            let next = number(row)
            guard next == next else { return }
            if let last = best, !isBetter(next, last) { return }
            best = next
        }
        if let best { add(value(best)) }
    }

    /// Adds rows of a leaf, each to the state of its group.
    ///
    /// - Parameters:
    ///   - states: the state of this aggregate for group 0. The state for the next group is `step`
    ///     states further on.
    ///   - groups: numbers of the groups, by row.
    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: UnsafeMutablePointer<AggregateState>,
        every step: Int, _ groups: UnsafePointer<UInt32>
    ) throws(RealmError) {
        let isSum = states.pointee.function?.isSum ?? false
        switch cells {
        case .double(let cells) where isSum:
            rows.each { states[Int(groups[$0]) &* step].addBinary(cells.number($0)) }
        case .float(let cells) where isSum:
            rows.each { states[Int(groups[$0]) &* step].addBinary(Double(cells.number($0))) }
        case .integer(let cells) where isSum:
            rows.each { states[Int(groups[$0]) &* step].addWhole(cells.value($0)) }
        case .nullableInteger(let cells) where isSum:
            rows.each { row in
                guard let value = cells.value(row) else { return }
                states[Int(groups[row]) &* step].addWhole(value)
            }
        default:
            try rows.visit { (row) throws(RealmError) in
                states[Int(groups[row]) &* step].add(try cells.value(row))
            }
        }
    }
}
