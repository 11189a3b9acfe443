/// Sorts rows that exceed the memory limit: writes sorted runs to temporary files and merges them.
///
/// Records contain the sort keys. Values are written as they are in memory: texts are pointers into
/// the mapped snapshot, which outlives the sort. If the database is encrypted, records also contain
/// the first bytes of each text, so that most comparisons do not decrypt a page.
struct ExternalSort: RunOrder {
    private let columns: [SortColumn]
    let recordSize: Int
    let maximumRecordSize: Int
    /// Offset in bytes of each column's sort key in a record.
    private let offsets: [Int]
    private let runs: SortedRuns
    private let record: UnsafeMutableRawPointer

    /// Size in bytes of the fields before the sort keys in a record: object key, position of the
    /// row, and record size.
    private static let headSize = 32

    /// - Parameter shapes: an empty column for each sort key, which determines the layout of the
    ///   records. The columns of all runs have the same form and record size.
    init(_ shapes: [SortColumn], _ memory: QueryMemoryLimit) throws(RealmError) {
        columns = shapes
        var size = Self.headSize
        var offsets: [Int] = []
        for column in shapes {
            offsets.append(size)
            size += column.recordSize
        }
        self.offsets = offsets
        recordSize = size
        maximumRecordSize = shapes.reduce(size) { $0 + $1.maximumTailSize } + 7
        runs = try SortedRuns(memory)
        record = .allocate(byteCount: maximumRecordSize, alignment: 16)
        record.initializeMemory(as: UInt8.self, repeating: 0, count: maximumRecordSize)
    }

    /// Frees the memory in which `add` builds records. Call it once, after the sort has ended or
    /// failed.
    func close() { record.deallocate() }

    /// Writes a sorted run: the rows of `columns` in the given order. `keys` contains the object
    /// keys of the rows of all runs; row 0 of this run is at index `position`.
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
            // Pad to 8 bytes, so that the next record is aligned.
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

    /// Visits the rows of all runs in sorted order. Calls `body` with the object key of a row, its
    /// position before sorting, its record, and whether its sort keys equal the keys of the
    /// previous row.
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

    /// Compares the sort keys of two records: negative, zero or positive. Ignores the positions of
    /// the rows, which decide between equal keys.
    func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
        for i in columns.indices {
            let order = columns[i].compareRecords(a + offsets[i], b + offsets[i])
            if order != 0 { return columns[i].key.isAscending ? order : -order }
        }
        return 0
    }

    /// Whether a spilled record has a null link in the path of one of its sort keys.
    func isMissing(_ record: UnsafeRawPointer) -> Bool {
        for i in columns.indices where columns[i].isMissing(record + offsets[i]) { return true }
        return false
    }
}
