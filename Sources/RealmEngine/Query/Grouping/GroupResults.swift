/// Stream of the groups of a query with the results of their aggregates, in the order of the
/// groups' keys.
final class GroupResults {
    private let groups: GroupStream
    private let layout: StateLayout
    private let overflow: IntegerOverflow
    /// Aggregates computed from sorted values, such as the median.
    private let ordered: [OrderedAggregate]
    /// One element for each property that has an aggregate of sorted values. The values of the
    /// property are read as a stream of records, sorted by group and then by value; `next` is the
    /// next record.
    private var values: [(stream: GroupStream, next: UnsafeRawPointer?)]

    private struct OrderedAggregate {
        /// Index of this aggregate in the caller's list of aggregates.
        let index: Int
        /// Index in `values` of the property whose values the aggregate reads.
        let stream: Int
        let filter: ValueFilter
        let computation: (Int128) -> any OrderedComputation
    }

    init(
        _ groups: GroupStream, _ values: [GroupStream], _ layout: StateLayout,
        _ aggregates: [AggregateExpression], _ table: TableInfo, _ overflow: IntegerOverflow
    ) {
        self.groups = groups
        self.layout = layout
        self.overflow = overflow
        self.values = values.map { ($0, $0.next()) }
        let columns = GroupTable.orderedColumns(aggregates)
        ordered = aggregates.enumerated().compactMap { i, aggregate in
            guard case .ordered(let computation) = aggregate.function.computation,
                let element = aggregate.column(of: table)?.type,
                let stream = columns.firstIndex(of: aggregate.column)
            else { return nil }
            return OrderedAggregate(
                index: i, stream: stream,
                filter: aggregate.function.filter(of: element, inDictionary: false)
            ) { computation($0, element) }
        }
    }

    var record: GroupRecord { groups.record }

    /// Returns the record of the next group and the results of its aggregates, in the order of the
    /// aggregates; nil at the end. The record is valid until the next call.
    func next() -> (group: UnsafeRawPointer, results: [Value])? {
        guard let group = groups.next() else { return nil }
        let states = record.states(of: group)
        var results = layout.slots.map { slot in
            slot.operation?.result(states + slot.offset, overflow)
                ?? .int(Int64(record.count(of: group)))
        }
        if !ordered.isEmpty { computeOrdered(group, &results) }
        return (group, results)
    }

    /// Computes the aggregates that need sorted values, such as the median. Before the call,
    /// `results` contains the number of values at the index of each such aggregate. The call
    /// replaces the number by the result.
    private func computeOrdered(_ group: UnsafeRawPointer, _ results: inout [Value]) {
        var computations = ordered.map { aggregate -> (any OrderedComputation)? in
            guard case .int(let count) = results[aggregate.index] else { return nil }
            return aggregate.computation(Int128(count))
        }
        var isDone = ordered.map { _ in false }
        for stream in values.indices {
            while let next = values[stream].next, record.compareKeys(group, next) == 0 {
                let layout = values[stream].stream.record
                let value = layout.key(record.keys, of: next)
                for (i, aggregate) in ordered.enumerated()
                where aggregate.stream == stream && !isDone[i] && aggregate.filter.accepts(value) {
                    let count = Int64(layout.count(of: next))
                    isDone[i] = computations[i]?.add(value, times: count) == false
                }
                values[stream].next = values[stream].stream.next()
            }
        }
        for (aggregate, computation) in zip(ordered, computations) {
            results[aggregate.index] = computation?.result ?? .null
        }
    }
}
