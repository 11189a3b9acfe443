/// What runs of records of one size are in order by.
protocol RunOrder {
    /// Bytes of a record.
    var recordSize: Int { get }

    /// Negative, zero or positive.
    func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int
}

/// The next record of each run, the first of all on top. Of equal ones that of the earlier run
/// comes first, so sorting is stable.
struct RunHeap<Order: RunOrder> {
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

    private let order: Order
    private let bytes: SpilledBytes
    /// What a copy of a record takes, so that the next one is aligned.
    private let roomSize: Int
    private let rooms: ByteBufferBox
    private var runs: [Run] = []

    /// - Parameter ends: where each run ends in `bytes`.
    init(_ order: Order, _ bytes: SpilledBytes, _ ends: [Int]) {
        self.order = order
        self.bytes = bytes
        roomSize = (order.recordSize + 15) & ~15
        let room = bytes.isPlain ? 0 : 3 * roomSize
        rooms = ByteBufferBox(capacity: room * ends.count)
        var start = 0
        for (number, end) in ends.enumerated() {
            if end > start {
                let place = room == 0 ? nil : rooms.reserve(room)
                rooms.advance(by: room)
                runs.append(
                    Run(
                        record: bytes.bytes(at: start, order.recordSize, place), offset: start,
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
        run.offset += order.recordSize
        if run.offset == run.end { return false }
        run.turn = (run.turn + 1) % 3
        let room = run.room.map { $0 + run.turn * roomSize }
        run.record = bytes.bytes(at: run.offset, order.recordSize, room)
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
        let result = order.compare(a.record, b.record)
        return result != 0 ? result < 0 : a.number < b.number
    }
}
