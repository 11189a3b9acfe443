/// Sorts the groups of a query's results by keys and aggregate results.
struct GroupSorter {
    private let record: GroupRecord
    private let order: [GroupOrder]
    private let memory: QueryMemoryLimit

    init(
        _ collations: [TextCollation], results: Int, _ order: [GroupOrder],
        _ memory: QueryMemoryLimit
    ) {
        record = GroupRecord(
            stateSize: results * GroupRecord.valueSize, copiesTexts: memory.copiesTexts,
            collations: collations)
        self.order = order
        self.memory = memory
    }

    /// Visits all groups in the wanted order until `body` returns false. `body` receives the keys
    /// and aggregate results of the group.
    func sort(
        _ groups: GroupResults,
        _ body: (_ keys: [Value], _ results: [Value]) throws(RealmError) -> Bool
    ) throws(RealmError) {
        let results = record.stateSize / GroupRecord.valueSize
        try visit(groups) { (group) throws(RealmError) in
            try body(
                (0..<record.keys).map { record.key($0, of: group) },
                (0..<results).map { record.result($0, of: group) })
        }
    }

    private func visit(
        _ groups: GroupResults, _ body: (UnsafeRawPointer) throws(RealmError) -> Bool
    ) throws(RealmError) {
        var runs: GroupRuns?
        let held = RecordBuffer()
        let room = UnsafeMutableRawPointer.allocate(byteCount: record.maximumLength, alignment: 16)
        defer { room.deallocate() }
        while let (group, results) = groups.next() {
            record.copyKeys(of: group, to: room)
            for (i, result) in results.enumerated() { record.setResult(i, result, of: room) }
            held.append(room, record.size(of: room))
            if held.count >= 16, held.size > memory.sorting { try spill(held, to: &runs) }
        }
        guard runs != nil else {
            for place in sorted(held) { if try !body(held[place]) { return } }
            return
        }
        try spill(held, to: &runs)
        guard let all = try runs?.merged() else { return }
        while let group = all.next() { if try !body(group) { return } }
    }

    private func sorted(_ held: RecordBuffer) -> [Int] {
        Array(0..<held.count).ordered { compare(held[$0], held[$1]) < 0 }
    }

    private func spill(
        _ held: RecordBuffer, to runs: inout GroupRuns?
    ) throws(RealmError) {
        let file = if let runs { runs } else { try GroupRuns(record, memory, compare) }
        for place in sorted(held) { try file.append(held[place]) }
        try file.endRun()
        runs = file
        held.removeAll()
    }

    private func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
        for part in order {
            let result =
                switch part.subject {
                case .key(let i): record.compareKey(i, a, b)
                case .aggregate(let i):
                    ValueNumbers.order(record.result(i, of: a), record.result(i, of: b))
                }
            if result != 0 { return part.isAscending ? result : -result }
        }
        return 0
    }
}

/// A list of group records in memory.
private final class RecordBuffer {
    private var bytes = ByteBuffer(capacity: 1 << 12)
    private var offsets: [Int] = []

    var count: Int { offsets.count }

    /// Memory in bytes that the list uses.
    var size: Int { bytes.count + offsets.count * MemoryLayout<Int>.stride }

    func append(_ record: UnsafeRawPointer, _ size: Int) {
        offsets.append(bytes.count)
        bytes.append(record, size)
    }

    /// Returns the record at index `place`. The address is valid until the next append.
    subscript(place: Int) -> UnsafeRawPointer { bytes.bytes.baseAddress! + offsets[place] }

    func removeAll() {
        bytes.removeAll()
        offsets.removeAll()
    }
}
