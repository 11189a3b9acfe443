/// One computation of an aggregate: values are added one by one, or a leaf at a time. Reusable
/// after `start`.
final class AggregateRun {
    private let operation: AggregateOperation
    private let state: UnsafeMutableRawPointer
    /// The values collected for a function that needs them sorted; nil for other functions.
    private let values: OrderedValues?

    init(_ function: AggregateFunction, of element: OperandType, inDictionary: Bool = false) {
        operation = function.operation(of: element, inDictionary: inDictionary)
        state = .allocate(byteCount: operation.size, alignment: 16)
        if case .ordered(let computation) = function.computation {
            let filter = function.filter(of: element, inDictionary: inDictionary)
            values = OrderedValues(filter) { computation($0, element) }
        } else {
            values = nil
        }
        operation.start(state)
    }

    deinit { state.deallocate() }

    func start() {
        operation.start(state)
        values?.removeAll()
    }

    /// Adds a value that occurs `times` times to the computation.
    func add(_ value: Value, times: Int64 = 1) {
        if let values { return values.add(value, times: times) }
        operation.add(value, times: times, to: state)
    }

    /// Adds all values of a leaf to the computation, in the order of the rows.
    func add(_ cells: ColumnLeaf) throws(RealmError) {
        if values == nil { return try operation.add(cells, to: state) }
        for row in 0..<cells.count { add(try cells.value(row)) }
    }

    /// Adds the values of the selected rows of a leaf to the computation, in the order of the rows.
    func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError) {
        if values != nil {
            try rows.visit { (row) throws(RealmError) in add(try cells.value(row)) }
        } else if rows.count == cells.count {
            try operation.add(cells, to: state)
        } else {
            try operation.add(cells, rows, to: state)
        }
    }

    func result(_ overflow: IntegerOverflow) -> Value {
        values?.result ?? operation.result(state, overflow)
    }
}

/// Collects the values of one object or group and sorts them, for an aggregate such as the median.
private final class OrderedValues {
    private let filter: ValueFilter
    private let computation: (Int128) -> any OrderedComputation
    private let values = ReusedBuffer<(value: Value, times: Int64)>()
    private var count: Int128 = 0

    init(_ filter: ValueFilter, _ computation: @escaping (Int128) -> any OrderedComputation) {
        self.filter = filter
        self.computation = computation
    }

    func removeAll() {
        values.removeAll()
        count = 0
    }

    func add(_ value: Value, times: Int64) {
        guard filter.accepts(value) else { return }
        values.append((value, times))
        count += Int128(times)
    }

    var result: Value {
        var computation = computation(count)
        let all = values.all
        let order = Array(all.indices).ordered { Value.compare(all[$0].value, all[$1].value) < 0 }
        var i = 0
        while i < order.count {
            let value = all[order[i]].value
            var times: Int64 = 0
            repeat {
                times = times.addingReportingOverflow(all[order[i]].times).partialValue
                i += 1
            } while i < order.count && Value.compare(value, all[order[i]].value) == 0
            if !computation.add(value, times: times) { break }
        }
        return computation.result
    }
}
