/// Sorts more rows than fit into memory: sorted runs in temporary files, which are merged.
///
/// A run's records hold the sort keys themselves. Values are spilled as they are in memory: texts
/// are places in the mapped snapshot, which outlives the sort. Of an encrypted file the first bytes of
/// each text are in the tail of the record, too, so that most comparisons need no page of the file.
struct ExternalSort: RunOrder {
    private let columns: [SortColumn]
    let recordSize: Int
    let longestRecord: Int
    /// Where each column's part of a record begins.
    private let offsets: [Int]
    private let runs: SortedRuns
    private let record: UnsafeMutableRawPointer

    /// Bytes of key, position and size, before the sort keys.
    private static let headSize = 32

    /// - Parameter shapes: columns as those of every run will be; they hold no rows.
    init(_ shapes: [SortColumn], _ memory: QueryMemory) throws(RealmError) {
        columns = shapes
        var size = Self.headSize
        var offsets: [Int] = []
        for column in shapes {
            offsets.append(size)
            size += column.recordSize
        }
        self.offsets = offsets
        recordSize = size
        longestRecord = shapes.reduce(size) { $0 + $1.longestTail } + 7
        runs = try SortedRuns(memory)
        record = .allocate(byteCount: longestRecord, alignment: 16)
        record.initializeMemory(as: UInt8.self, repeating: 0, count: longestRecord)
    }

    /// Frees the record's memory. Called once, when the sort is over or has failed.
    func close() { record.deallocate() }

    /// Adds a run: the rows of `columns` in `order`. `keys` are their objects, the first of which
    /// is at `position` of all rows.
    func add(
        _ run: [SortColumn], _ order: [UInt32], _ keys: RowKeys, from position: Int
    ) throws(RealmError) {
        for row in order {
            let row = Int(row)
            record.storeBytes(of: keys[position + row].raw, as: Int64.self)
            record.storeBytes(of: Int64(position + row), toByteOffset: 8, as: Int64.self)
            var end = recordSize
            for (column, offset) in zip(run, offsets) {
                end += column.write(row, to: record + offset, tail: end - offset)
            }
            // Records begin at multiples of 8.
            end = (end + 7) & ~7
            record.storeBytes(of: Int64(end), toByteOffset: 16, as: Int64.self)
            try runs.append(record, end)
        }
        try runs.endRun(self)
    }

    @inline(__always)
    func size(of record: UnsafeRawPointer) -> Int {
        Int(record.load(fromByteOffset: 16, as: Int64.self))
    }

    /// Visits the rows of all runs in order: key, position, and whether its keys equal those of the
    /// row before.
    func merge(
        _ body: (ObjectKey, Int, UnsafeRawPointer, Bool) throws(RealmError) -> Void
    ) throws(RealmError) {
        let records = try runs.merged(self)
        var last: UnsafeRawPointer?
        while let next = records.next() {
            let isRepeated = last.map { compare($0, next) == 0 } ?? false
            let key = ObjectKey(next.load(as: Int64.self))
            let position = Int(next.load(fromByteOffset: 8, as: Int64.self))
            try body(key, position, next, isRepeated)
            last = next
        }
        withExtendedLifetime(records) {}
    }

    /// Negative, zero or positive: by the sort keys alone.
    func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
        for i in columns.indices {
            let order = columns[i].compareRecords(a + offsets[i], b + offsets[i])
            if order != 0 { return columns[i].key.isAscending ? order : -order }
        }
        return 0
    }

    /// Whether a record lies behind a null link in one of its columns.
    func isMissing(_ record: UnsafeRawPointer) -> Bool {
        for i in columns.indices where columns[i].isMissing(record + offsets[i]) { return true }
        return false
    }
}
