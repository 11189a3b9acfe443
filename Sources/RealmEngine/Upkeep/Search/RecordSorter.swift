/// A trivial record that `RecordSorter` sorts.
protocol SpilledRecord {
    /// Compares two records: negative, zero or positive.
    func compare(_ other: Self) -> Int
}

/// Sorts records. Records that do not fit in memory are written to temporary files.
///
/// Confined to one thread.
final class RecordSorter<Record: SpilledRecord> {
    private var records: [Record] = []
    private let most: Int
    private let memory: QueryMemoryLimit
    private var runs: SortedRuns?
    /// Buffer for the record that is written to a file next.
    private let buffer = UnsafeMutablePointer<Record>.allocate(capacity: 1)

    /// - Parameter most: maximum number of records in memory.
    init(_ memory: QueryMemoryLimit, most: Int) { (self.memory, self.most) = (memory, most) }

    deinit { buffer.deallocate() }

    /// Adds a record. Throws `output` if the disk is full.
    func append(_ record: Record) throws(RealmError) {
        if records.count == most { try spill() }
        records.append(record)
    }

    private func sort() { records.sort { $0.compare($1) < 0 } }

    private func spill() throws(RealmError) {
        if runs == nil { runs = try SortedRuns(memory) }
        sort()
        for record in records {
            buffer.initialize(to: record)
            try runs?.append(UnsafeRawPointer(buffer), Order.size)
        }
        try runs?.endRun(Order())
        records.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with all records in order until it returns false. No record may be added
    /// afterwards.
    func visit(_ body: (Record) throws(RealmError) -> Bool) throws(RealmError) {
        guard let runs else {
            sort()
            for record in records where try !body(record) { return }
            return
        }
        try spill()
        records = []
        let merged = try runs.merged(Order())
        while let record = merged.next() {
            if try !body(record.load(as: Record.self)) { return }
        }
    }

    private struct Order: RunOrder {
        static var size: Int { MemoryLayout<Record>.stride }
        var recordSize: Int { Self.size }

        func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
            a.load(as: Record.self).compare(b.load(as: Record.self))
        }
    }
}
