/// What groups are put in order by.
package struct GroupOrder: Sendable {
    package enum Subject: Sendable {
        /// A key, by its place.
        case key(Int)
        /// An aggregate, by its index.
        case aggregate(Int)
    }

    let subject: Subject
    let isAscending: Bool

    package init(_ subject: Subject, isAscending: Bool) {
        self.subject = subject
        self.isAscending = isAscending
    }
}

extension QueryPlan {
    /// Visits groups of the objects that the query yields, until `body` says no: a group for each
    /// combination of values of the keys, which are those of the query's last SORT; then in their
    /// order, unless there is another. What does not fit into the memory of the plan's options goes
    /// to a temporary file. Returns the number of objects. Throws `corrupt`, and `output` when that
    /// file cannot be written.
    @discardableResult
    package func forEachGroup(
        _ aggregates: [AggregateExpression], order: [GroupOrder] = [], in snapshot: Snapshot,
        _ body: (_ keys: [Value], _ results: [Value]) throws(RealmError) -> Bool
    ) throws(RealmError) -> Int {
        guard case .sort(let keys)? = query.descriptors.last else {
            throw .misuse("groups need a SORT by their keys")
        }
        let memory = QueryMemory(options, snapshot)
        let evaluator = QueryEvaluator(snapshot, looks: query.descriptors.map(\.looks).max() ?? 1)
        let table = try GroupTable(
            keys, aggregates, query.table, evaluator, memory)
        let record = table.record
        var runs: GroupRuns?
        var count = 0
        try forEachRow(evaluator, snapshot) { (leaf, rows) throws(RealmError) in
            count &+= rows.count
            try table.add(leaf, rows)
            if table.isFull { try Self.spill(table, to: &runs, memory) }
        } atEnd: { () throws(RealmError) in
            try table.finish()
        }
        if runs != nil { try Self.spill(table, to: &runs, memory) }
        let all = GroupSource(table: table, runs: runs)
        func visit(_ group: UnsafeRawPointer) throws(RealmError) -> Bool {
            try body(
                (0..<keys.count).map { record.key($0, of: group) },
                aggregates.indices.map { record.result($0, of: group) })
        }
        if order.isEmpty {
            try all.visit(visit)
        } else {
            try GroupSorter(record, order, memory).sort(all, visit)
        }
        return count
    }

    private static func spill(
        _ table: GroupTable, to runs: inout GroupRuns?, _ memory: QueryMemory
    ) throws(RealmError) {
        let record = table.record
        let file =
            if let runs { runs } else { try GroupRuns(record, memory, record.compareKeys) }
        try table.drain { (group) throws(RealmError) in
            try file.append(group)
            return true
        }
        try file.endRun()
        runs = file
    }

    /// Visits the rows of the objects that the query yields, leaf by leaf where their order does not
    /// matter. Leaves are read as long as `atEnd` has not returned.
    private func forEachRow(
        _ evaluator: QueryEvaluator, _ snapshot: Snapshot,
        _ body: (ClusterLeaf, Selection) throws(RealmError) -> Void,
        atEnd: () throws(RealmError) -> Void
    ) throws(RealmError) {
        evaluator.visits.beginPass()
        if query.descriptors.count == 1 {
            let run = QueryRun(self, in: snapshot)
            try run.forEachLeaf { (leaf, rows) throws(RealmError) in
                try body(leaf, rows)
                return true
            }
            try atEnd()
            return withExtendedLifetime(run) {}
        }
        let place = TablePlace(query.table)
        for key in try rows(in: snapshot).keys {
            guard let spot = try evaluator.find(key, in: place) else { continue }
            try body(spot.leaf, Selection(row: spot.row))
        }
        try atEnd()
    }
}

extension Selection {
    /// One row.
    fileprivate init(row: Int) {
        self.init(first: row + 1)
        self = subtracting(Selection(first: row))
    }
}

/// The groups that were found, in the order of their keys.
private struct GroupSource {
    let table: GroupTable
    let runs: GroupRuns?

    func visit(_ body: (UnsafeRawPointer) throws(RealmError) -> Bool) throws(RealmError) {
        guard let runs else { return try table.drain(body) }
        let record = table.record
        // What several runs have of a group.
        let group = UnsafeMutableRawPointer.allocate(byteCount: record.longest, alignment: 16)
        defer { group.deallocate() }
        var (isOpen, isDone) = (false, false)
        try runs.merge { (next) throws(RealmError) in
            if isOpen, record.compareKeys(group, next) == 0 {
                record.merge(next, into: group)
                return true
            }
            if isOpen, try !body(group) {
                isDone = true
                return false
            }
            group.copyMemory(from: next, byteCount: record.size(of: next))
            isOpen = true
            return true
        }
        if isOpen, !isDone { _ = try body(group) }
    }
}

/// Puts groups in an order of their keys and aggregates.
private struct GroupSorter {
    private let record: GroupRecord
    private let order: [GroupOrder]
    private let memory: QueryMemory

    init(_ record: GroupRecord, _ order: [GroupOrder], _ memory: QueryMemory) {
        self.record = record
        self.order = order
        self.memory = memory
    }

    func sort(
        _ groups: GroupSource, _ body: (UnsafeRawPointer) throws(RealmError) -> Bool
    ) throws(RealmError) {
        var runs: GroupRuns?
        let room = HeldRecords()
        try groups.visit { (group) throws(RealmError) in
            room.append(group, record.size(of: group))
            if room.count >= 16, room.size > memory.sorting { try spill(room, to: &runs) }
            return true
        }
        guard runs != nil else {
            for place in sorted(room) { if try !body(room[place]) { return } }
            return
        }
        try spill(room, to: &runs)
        try runs?.merge(body)
    }

    private func sorted(_ room: HeldRecords) -> [Int] {
        Array(0..<room.count).ordered { compare(room[$0], room[$1]) < 0 }
    }

    private func spill(
        _ room: HeldRecords, to runs: inout GroupRuns?
    ) throws(RealmError) {
        let file = if let runs { runs } else { try GroupRuns(record, memory, compare) }
        for place in sorted(room) { try file.append(room[place]) }
        try file.endRun()
        runs = file
        room.removeAll()
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

/// Records one behind the other.
private final class HeldRecords {
    private var bytes = ByteBuffer(capacity: 1 << 12)
    private var offsets: [Int] = []

    var count: Int { offsets.count }

    /// Bytes of memory in use.
    var size: Int { bytes.count + offsets.count * MemoryLayout<Int>.stride }

    func append(_ record: UnsafeRawPointer, _ size: Int) {
        offsets.append(bytes.count)
        bytes.append(record, size)
    }

    /// Valid until the next append.
    subscript(place: Int) -> UnsafeRawPointer { bytes.bytes.baseAddress! + offsets[place] }

    func removeAll() {
        bytes.removeAll()
        offsets.removeAll()
    }
}
