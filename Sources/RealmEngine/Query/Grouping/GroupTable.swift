/// Groups of objects whose keys are equal, with their aggregates. What does not fit into memory goes to a
/// temporary file as groups in order, which are put together in the end.
final class GroupTable {
    private let readers: [GroupKeyReader]
    /// Numbers of pairs: of a group by all keys before, and of the value of the next key.
    private let pairs: [ValueNumbers]
    private let shapes: [AggregateState]
    /// The column that each aggregate reads; nil for the number of objects.
    private let operands: [BoundColumn?]
    private let counts = ReusedBuffer<Int>()
    /// One state for each group and aggregate; all states of a group are adjacent.
    private let states = ReusedBuffer<AggregateState>()
    private let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
    private let others = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
    private let memoryLimit: Int
    private let layout: GroupRecord
    /// Columns that are looked at, by leaf index.
    private let columns: [Int]
    /// Taken when the next one comes, so that its columns are fetched meanwhile.
    private var waiting: (leaf: ClusterLeaf, rows: Selection)?

    init(
        _ keys: [BoundSortKey], _ aggregates: [AggregateExpression], _ table: TableInfo,
        _ evaluator: QueryEvaluator, _ memory: QueryMemory
    ) throws(RealmError) {
        readers = try keys.map { (key) throws(RealmError) in
            try GroupKeyReader(key, evaluator, copiesTexts: memory.copiesTexts)
        }
        pairs = keys.dropFirst().map { _ in ValueNumbers() }
        shapes = aggregates.map { $0.state(in: table) }
        operands = aggregates.map { $0.column(of: table) }
        memoryLimit = memory.sorting
        layout = GroupRecord(
            keys: keys.count, aggregates: aggregates.count, copiesTexts: memory.copiesTexts)
        columns = readers.compactMap(\.ownColumn) + operands.compactMap { $0?.leafIndex }
    }

    deinit {
        numbers.deallocate()
        others.deallocate()
    }

    var record: GroupRecord { layout }

    private var count: Int { counts.count }

    /// More than may be kept.
    var isFull: Bool {
        var size = count * (8 + shapes.count * MemoryLayout<AggregateState>.stride)
        for reader in readers { size += reader.values.size }
        for pair in pairs { size += pair.size }
        return size > memoryLimit
    }

    /// Adds the chosen rows of a leaf, those of the last one with `finish`.
    func add(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {
        for column in columns { leaf.prefetch(column) }
        let last = waiting
        waiting = (leaf, rows)
        if let last { try take(last.leaf, last.rows) }
    }

    func finish() throws(RealmError) {
        let last = waiting
        waiting = nil
        if let last { try take(last.leaf, last.rows) }
    }

    private func take(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {
        let (numbers, others) = (numbers, others)
        try readers[0].read(leaf, rows, to: numbers)
        for (reader, pair) in zip(readers.dropFirst(), pairs) {
            try reader.read(leaf, rows, to: others)
            rows.each { row in
                numbers[row] = pair.number(
                    of: Int64(numbers[row]) << 32 | Int64(others[row]))
            }
        }
        let total = (pairs.last ?? readers[0].values).count
        while count < total {
            counts.append(0)
            for shape in shapes { states.append(shape) }
        }
        let counts = counts.mutable.baseAddress!
        rows.each { counts[Int(numbers[$0])] &+= 1 }
        guard let states = states.mutable.baseAddress else { return }
        for (i, column) in operands.enumerated() {
            guard let column else { continue }
            let cells = try leaf.column(column.leafIndex, column.layout)
            try AggregateState.add(cells, rows, to: states + i, every: shapes.count, numbers)
        }
    }

    /// Hands out all groups in the order of their keys, and forgets them.
    func drain(_ body: (UnsafeRawPointer) throws(RealmError) -> Bool) throws(RealmError) {
        let places = readers.map { Self.places($0.values) }
        let sorted = (0..<count).map { (group: $0, parts: parts(of: $0)) }.ordered { a, b in
            for i in places.indices where a.parts[i] != b.parts[i] {
                return places[i][a.parts[i]] < places[i][b.parts[i]]
            }
            return false
        }
        let record = UnsafeMutableRawPointer.allocate(byteCount: layout.longest, alignment: 16)
        defer { record.deallocate() }
        for (group, parts) in sorted {
            layout.setKeys(
                parts.enumerated().map { readers[$0].values.values.all[$1] }, of: record)
            layout.setCount(counts.all[group], of: record)
            for i in shapes.indices {
                layout.setState(i, states.all[group * shapes.count + i], of: record)
            }
            if try !body(record) { break }
        }
        removeAll()
    }

    private func removeAll() {
        counts.removeAll()
        states.removeAll()
        for reader in readers { reader.removeAll() }
        for pair in pairs { pair.removeAll() }
    }

    /// The numbers of the group's values, by key.
    private func parts(of group: Int) -> [Int] {
        var parts: [Int] = []
        var group = group
        for pair in pairs.reversed() {
            guard case .int(let both) = pair.values.all[group] else { break }
            parts.append(Int(both & 0xFFFF_FFFF))
            group = Int(both >> 32)
        }
        parts.append(group)
        return parts.reversed()
    }

    /// By number, the place of the value among all.
    private static func places(_ values: ValueNumbers) -> [Int] {
        var places = [Int](repeating: 0, count: values.count)
        let order = Array(0..<values.count).ordered {
            ValueNumbers.order(values.values.all[$0], values.values.all[$1]) < 0
        }
        for (place, number) in order.enumerated() { places[number] = place }
        return places
    }
}
