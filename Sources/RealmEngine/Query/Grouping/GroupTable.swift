/// Groups of objects with equal keys, with their aggregates, in memory.
final class GroupTable {
    /// Assigns an ordinal to each combination of key values. The ordinal of a combination is also
    /// the ordinal of its group.
    private let keys: CombinationNumbers
    /// The column that each aggregate reads; nil for an aggregate that counts objects.
    private let operands: [ColumnLeaves?]
    private let aggregates: [AggregateExpression]
    private let counts = ReusedBuffer<Int>()
    private let states: StateTable
    /// The values of each group and how often each value occurs. One element for each property that
    /// has an aggregate function of sorted values, such as the median.
    private let values: [GroupValues]
    private let memoryLimit: Int
    private let copiesTexts: Bool
    private let collations: [TextCollation]
    /// Columns of the queried class that grouping keys and aggregates read.
    let columns: [ColumnLeaves]

    init(
        _ keys: [BoundSortKey], _ aggregates: [AggregateExpression], _ table: TableInfo,
        _ evaluator: QueryEvaluator, _ memory: QueryMemoryLimit
    ) throws(RealmError) {
        self.keys = try CombinationNumbers(keys, evaluator, memory)
        self.aggregates = aggregates
        operands = aggregates.map { $0.column(of: table).map(ColumnLeaves.init) }
        states = StateTable(StateLayout(aggregates, in: table))
        values = try Self.orderedColumns(aggregates).map { (column) throws(RealmError) in
            try GroupValues(
                BoundColumn(table.columns[column]), evaluator, isGrouped: !keys.isEmpty,
                copiesTexts: memory.copiesTexts)
        }
        memoryLimit = memory.sorting
        copiesTexts = memory.copiesTexts
        collations = keys.map(\.collation)
        columns =
            self.keys.readers.compactMap(\.ownColumn) + values.compactMap(\.column)
            + operands.compactMap { $0 }
    }

    /// Returns the column indexes of the properties aggregated by functions of sorted values, such
    /// as the median. Each index occurs once.
    static func orderedColumns(_ aggregates: [AggregateExpression]) -> [Int] {
        var columns: [Int] = []
        for aggregate in aggregates where aggregate.function.isOrdered {
            if !columns.contains(aggregate.column) { columns.append(aggregate.column) }
        }
        return columns
    }

    var layout: StateLayout { states.layout }

    /// Layout of the groups' records, which store the states of the aggregates.
    var record: GroupRecord {
        GroupRecord(stateSize: layout.size, copiesTexts: copiesTexts, collations: collations)
    }

    /// Layout of the records for the values of one property. The value is stored as one more key
    /// after the keys of the group.
    var valueRecord: GroupRecord {
        GroupRecord(
            stateSize: 0, copiesTexts: copiesTexts, collations: collations + [.binary])
    }

    private var count: Int { counts.count }

    /// Whether the groups use more memory than the limit.
    var isFull: Bool {
        var size = count * (8 + layout.size) + keys.size
        for values in values { size += values.size }
        return size > memoryLimit
    }

    /// Adds the objects in the selected rows of a leaf to their groups: counts them, and aggregates
    /// their values.
    func add(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {
        try keys.read(leaf, rows)
        let (numbers, total) = (keys.numbers, keys.count)
        while count < total {
            counts.append(0)
            states.append()
        }
        let counts = counts.mutable.baseAddress!
        rows.each { counts[Int(numbers[$0])] &+= 1 }
        for (i, column) in operands.enumerated() {
            guard let column, !aggregates[i].function.isOrdered else { continue }
            let slot = layout.slots[i]
            try slot.operation?.add(
                column.leaf(leaf), rows,
                toGroups: states[0] + slot.offset, step: layout.size, numbers)
        }
        for values in values { try values.add(leaf, rows, numbers, below: total, keys.scratch) }
    }

    // MARK: Reading

    /// Returns the records of all groups, sorted by the grouping keys. Also returns one stream for
    /// each property that has an aggregate of sorted values, such as the median. The stream
    /// contains the values of the property, sorted by group and then by value. All streams read
    /// this table, and are valid until it changes.
    func sorted() -> (groups: GroupStream, values: [GroupStream]) {
        let places = keys.readers.map(\.values.places)
        let parts = (0..<count).map { keys.parts(of: $0) }
        let order = Array(0..<count).ordered { a, b in
            for i in places.indices where parts[a][i] != parts[b][i] {
                return places[i][parts[a][i]] < places[i][parts[b][i]]
            }
            return false
        }
        countValues()
        let (record, valueRecord) = (record, valueRecord)
        func keyValues(_ group: Int) -> [Value] {
            parts[group].enumerated().map { keys.readers[$0].values.values.all[$1] }
        }
        let groups = MemoryGroups(record, count: count) { [self] place, room in
            let group = order[place]
            record.setKeys(keyValues(group), of: room)
            record.setCount(counts.all[group], of: room)
            record.states(of: room).copyMemory(from: states[group], byteCount: layout.size)
        }
        var groupIndexes = [Int](repeating: 0, count: values.isEmpty ? 0 : count)
        if !values.isEmpty {
            for (place, group) in order.enumerated() { groupIndexes[group] = place }
        }
        let streams = values.map { values in
            let order = values.sorted(groupIndexes)
            return MemoryGroups(valueRecord, count: order.count) { place, room in
                let entry = values[order[place]]
                valueRecord.setKeys(keyValues(entry.group) + [entry.value], of: room)
                valueRecord.setCount(entry.count, of: room)
            }
        }
        return (groups, streams)
    }

    /// Stores the number of values of each group in the states of the aggregates of sorted values,
    /// such as the median. Such an aggregate needs this number before its first value.
    private func countValues() {
        for (values, column) in zip(values, Self.orderedColumns(aggregates)) {
            for (i, slot) in layout.slots.enumerated()
            where aggregates[i].column == column && aggregates[i].function.isOrdered {
                for j in 0..<values.count {
                    let entry = values[j]
                    slot.operation?.add(
                        entry.value, times: Int64(entry.count),
                        to: states[entry.group] + slot.offset)
                }
            }
        }
    }

    func removeAll() {
        counts.removeAll()
        states.removeAll()
        keys.removeAll()
        for values in values { values.removeAll() }
    }
}
