/// Sorts more rows than fit into memory: sorted runs in a temporary file, merged in one pass.
///
/// A run's records hold the sort keys themselves. Values are spilled as they are in memory: texts
/// are places in the mapped snapshot, which outlives the sort.
struct ExternalSort {
    private let columns: [SortColumn]
    fileprivate let recordSize: Int
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

    /// What a copy of a record takes, so that the next one is aligned.
    fileprivate var roomSize: Int { (recordSize + 15) & ~15 }

    /// Negative, zero or positive: by the sort keys alone.
    fileprivate func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
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

    /// The next record of each run, the first of all on top. Of equal ones that of the earlier run
    /// comes first, so sorting is stable.
    private struct RunHeap {
        private struct Run {
            /// Its next record, valid until the third one after it is read.
            var record: UnsafeRawPointer
            /// Where that begins in the file.
            var offset: Int
            let end: Int
            let number: Int
            /// For records that have to be copied to be read: this one, the one handed out last, and
            /// the one before.
            let room: UnsafeMutableRawPointer?
            var turn = 0
        }

        private let sort: ExternalSort
        private let bytes: SpilledBytes
        private let rooms: ByteBufferBox
        private var runs: [Run] = []

        init(_ sort: ExternalSort, _ bytes: SpilledBytes, _ ends: [Int]) {
            self.sort = sort
            self.bytes = bytes
            let room = bytes.isPlain ? 0 : 3 * sort.roomSize
            rooms = ByteBufferBox(capacity: room * ends.count)
            var start = 0
            for (number, end) in ends.enumerated() {
                if end > start {
                    let place = room == 0 ? nil : rooms.reserve(room)
                    rooms.advance(by: room)
                    runs.append(
                        Run(
                            record: bytes.bytes(at: start, sort.recordSize, place), offset: start,
                            end: end, number: number, room: place))
                }
                start = end
            }
            for i in (0..<runs.count / 2).reversed() { sink(i) }
        }

        mutating func next() -> UnsafeRawPointer? {
            guard let first = runs.first else { return nil }
            if !advance(&runs[0]) {
                let last = runs.removeLast()
                if runs.isEmpty { return first.record }
                runs[0] = last
            }
            sink(0)
            return first.record
        }

        private func advance(_ run: inout Run) -> Bool {
            run.offset += sort.recordSize
            if run.offset == run.end { return false }
            run.turn = (run.turn + 1) % 3
            let room = run.room.map { $0 + run.turn * sort.roomSize }
            run.record = bytes.bytes(at: run.offset, sort.recordSize, room)
            return true
        }

        private mutating func sink(_ start: Int) {
            var i = start
            while true {
                var least = i
                for child in [2 * i + 1, 2 * i + 2] where child < runs.count {
                    if precedes(runs[child], runs[least]) { least = child }
                }
                if least == i { return }
                runs.swapAt(i, least)
                i = least
            }
        }

        private func precedes(_ a: Run, _ b: Run) -> Bool {
            let order = sort.compare(a.record, b.record)
            return order != 0 ? order < 0 : a.number < b.number
        }
    }
}
