/// Sorts more rows than fit into memory: sorted runs in a temporary file, merged in one pass.
///
/// A run's records hold the sort keys themselves. Values are spilled as they are in memory: texts
/// are places in the mapped snapshot, which outlives the sort.
struct ExternalSort: RunOrder {
    private let columns: [SortColumn]
    let recordSize: Int
    /// Where each column's part of a record begins.
    private let offsets: [Int]
    private let file: SpillFile
    /// Where each run ends in the file.
    private var ends: [Int] = []
    private let record: UnsafeMutableRawPointer

    /// - Parameter shapes: columns as those of every run will be; they hold no rows.
    init(_ shapes: [SortColumn], _ memory: QueryMemory) throws(RealmError) {
        columns = shapes
        // Key and position of the row come first.
        var size = 16
        var offsets: [Int] = []
        for column in shapes {
            offsets.append(size)
            size += column.recordSize
        }
        self.offsets = offsets
        recordSize = size
        file = try SpillFile(
            in: memory.directory, isConfidential: memory.isConfidential)
        record = .allocate(byteCount: size, alignment: 16)
        record.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    }

    /// Gives the record's memory back. Called once, when the sort is over or has failed.
    func close() { record.deallocate() }

    /// Adds a run: the rows of `columns` in `order`. `keys` are their objects, the first of which
    /// is at `position` of all rows.
    mutating func add(
        _ run: [SortColumn], _ order: [UInt32], _ keys: RowKeys, from position: Int
    ) throws(RealmError) {
        for row in order {
            let row = Int(row)
            record.storeBytes(of: keys[position + row].raw, as: Int64.self)
            record.storeBytes(of: Int64(position + row), toByteOffset: 8, as: Int64.self)
            for (column, offset) in zip(run, offsets) { column.write(row, to: record + offset) }
            try file.append(record, recordSize)
        }
        ends.append(file.size)
    }

    /// Visits the rows of all runs in order: key, position, and whether its keys equal those of the
    /// row before.
    func merge(
        _ body: (ObjectKey, Int, UnsafeRawPointer, Bool) throws(RealmError) -> Void
    ) throws(RealmError) {
        let bytes = try file.mapped()
        var runs = RunHeap(self, bytes, ends)
        var last: UnsafeRawPointer?
        while let next = runs.next() {
            let isRepeated = last.map { compare($0, next) == 0 } ?? false
            let key = ObjectKey(next.load(as: Int64.self))
            let position = Int(next.load(fromByteOffset: 8, as: Int64.self))
            try body(key, position, next, isRepeated)
            last = next
        }
        withExtendedLifetime(bytes) {}
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
