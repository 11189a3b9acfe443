/// Layout of the records in sorted runs, and the order in which they are sorted.
protocol RunOrder {
    /// Size in bytes of the fixed part of a record, without the copied texts at its end.
    var recordSize: Int { get }
    /// Maximum size in bytes of a record, including the copied texts at its end.
    var maximumRecordSize: Int { get }

    /// Returns the size in bytes of a record, including the copied texts at its end. Only the first
    /// `recordSize` bytes of `record` need to be readable.
    func size(of record: UnsafeRawPointer) -> Int

    /// Compares the sort keys of two records: negative, zero or positive.
    func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int
}

extension RunOrder {
    var maximumRecordSize: Int { recordSize }

    @inline(__always)
    func size(of record: UnsafeRawPointer) -> Int { recordSize }
}

/// A sorted run of records, written by an external sort to a range of bytes of a temporary file.
struct SortedRun {
    let bytes: SpilledBytes
    let range: Range<Int>
}

/// Merges sorted runs with a binary heap of the next record of each run. Of equal records, the
/// record of the earlier run comes first, so that sorting is stable.
final class RunHeap<Order: RunOrder> {
    private struct Run {
        /// Next record of the run. Remains valid until three more records of the run have been
        /// read.
        var record: UnsafeRawPointer
        /// Offset and size in bytes of `record` in the temporary file.
        var offset: Int
        var size: Int
        let end: Int
        let number: Int
        /// Memory for copies of three records: the current record and the two before it. Nil if
        /// records are read directly in the mapped file.
        let room: UnsafeMutableRawPointer?
        var turn = 0
    }

    private let order: Order
    private let sources: [SortedRun]
    /// Size in bytes of the memory for one copied record, rounded up for alignment.
    private let roomSize: Int
    private let rooms: UnsafeMutableRawPointer?
    /// Heap of `count` runs, ordered by their next records. The heap is raw memory and not an
    /// array, which Swift might copy when it is modified.
    private let runs: UnsafeMutablePointer<Run>
    private var count = 0

    init(_ order: Order, _ sources: [SortedRun]) {
        self.order = order
        self.sources = sources
        roomSize = (order.maximumRecordSize + 15) & ~15
        let copied = sources.count { !$0.bytes.isPlain }
        rooms =
            copied == 0 ? nil : .allocate(byteCount: 3 * roomSize * copied, alignment: 16)
        runs = .allocate(capacity: max(1, sources.count))
        var room = rooms
        for (number, source) in sources.enumerated() where !source.range.isEmpty {
            var run = Run(
                record: UnsafeRawPointer(runs), offset: source.range.lowerBound, size: 0,
                end: source.range.upperBound, number: number,
                room: source.bytes.isPlain ? nil : room)
            if run.room != nil { room = room.map { $0 + 3 * roomSize } }
            read(&run)
            (runs + count).initialize(to: run)
            count += 1
        }
        for i in (0..<count / 2).reversed() { sink(i) }
    }

    deinit {
        runs.deallocate()
        rooms?.deallocate()
    }

    /// Returns the smallest record of all runs; nil after the last record. The record remains valid
    /// until `next` is called for the second time after this call.
    func next() -> UnsafeRawPointer? {
        guard count > 0 else { return nil }
        let first = runs[0].record
        if !advance(&runs[0]) {
            count -= 1
            if count == 0 { return first }
            runs[0] = runs[count]
        }
        sink(0)
        return first
    }

    private func advance(_ run: inout Run) -> Bool {
        run.offset += run.size
        if run.offset >= run.end { return false }
        run.turn = (run.turn + 1) % 3
        read(&run)
        return true
    }

    /// Reads the next record of a run, at the run's offset in the file.
    @inline(__always)
    private func read(_ run: inout Run) {
        let bytes = sources[run.number].bytes
        let room = run.room.map { $0 + run.turn * roomSize }
        run.record = bytes.bytes(at: run.offset, order.recordSize, room)
        run.size = order.size(of: run.record)
        if let room, run.size > order.recordSize {
            _ = bytes.bytes(
                at: run.offset + order.recordSize, run.size - order.recordSize,
                room + order.recordSize)
        }
    }

    private func sink(_ start: Int) {
        var i = start
        while true {
            var least = i
            let child = 2 * i + 1
            if child < count, precedes(child, least) { least = child }
            if child + 1 < count, precedes(child + 1, least) { least = child + 1 }
            if least == i { return }
            swap(&runs[i], &runs[least])
            i = least
        }
    }

    @inline(__always)
    private func precedes(_ a: Int, _ b: Int) -> Bool {
        let result = order.compare(runs[a].record, runs[b].record)
        return result != 0 ? result < 0 : runs[a].number < runs[b].number
    }
}
