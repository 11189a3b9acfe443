/// Records of groups in a temporary file: runs that are in order each, read as one.
struct GroupRuns {
    private let size: Int
    private let compare: (UnsafeRawPointer, UnsafeRawPointer) -> Int
    private let file: SpillFile
    private var ends: [Int] = []

    init(
        _ layout: GroupRecord, _ memory: QueryMemory,
        _ compare: @escaping (UnsafeRawPointer, UnsafeRawPointer) -> Int
    ) throws(RealmError) {
        size = layout.size
        self.compare = compare
        file = try SpillFile(in: memory.directory, isConfidential: memory.isConfidential)
    }

    func append(_ record: UnsafeRawPointer) throws(RealmError) { try file.append(record, size) }

    /// What was appended since the last run is a run.
    mutating func endRun() { if file.size > ends.last ?? 0 { ends.append(file.size) } }

    /// Visits the records of all runs in order, those of earlier runs before equal ones, until `body`
    /// says no.
    func merge(_ body: (UnsafeRawPointer) throws(RealmError) -> Bool) throws(RealmError) {
        let bytes = try file.mapped()
        let rooms = UnsafeMutableRawPointer.allocate(
            byteCount: max(16, ends.count * (size + 16)), alignment: 16)
        defer { rooms.deallocate() }
        var heap: [Run] = []
        var start = 0
        for (number, end) in ends.enumerated() {
            var run = Run(
                number: number, offset: start, end: end, room: rooms + number * ((size + 15) & ~15))
            start = end
            run.load(bytes, size)
            push(run, &heap)
        }
        while let first = heap.first {
            if try !body(first.record!) { break }
            var next = first
            next.offset += size
            if next.offset < next.end {
                next.load(bytes, size)
                heap[0] = next
            } else {
                let last = heap.removeLast()
                if !heap.isEmpty { heap[0] = last }
            }
            sink(&heap)
        }
        withExtendedLifetime(bytes) {}
    }

    /// A run and its next record.
    private struct Run {
        let number: Int
        var offset: Int
        let end: Int
        /// For records that have to be copied to be read.
        let room: UnsafeMutableRawPointer
        var record: UnsafeRawPointer?

        mutating func load(_ bytes: SpilledBytes, _ size: Int) {
            record = bytes.bytes(at: offset, size, room)
        }
    }

    private func isBefore(_ a: Run, _ b: Run) -> Bool {
        let order = compare(a.record!, b.record!)
        return order != 0 ? order < 0 : a.number < b.number
    }

    private func push(_ run: Run, _ heap: inout [Run]) {
        heap.append(run)
        var i = heap.count - 1
        while i > 0, isBefore(heap[i], heap[(i - 1) / 2]) {
            heap.swapAt(i, (i - 1) / 2)
            i = (i - 1) / 2
        }
    }

    private func sink(_ heap: inout [Run]) {
        var i = 0
        while true {
            var least = i
            for child in [2 * i + 1, 2 * i + 2]
            where child < heap.count && isBefore(heap[child], heap[least]) {
                least = child
            }
            if least == i { return }
            heap.swapAt(i, least)
            i = least
        }
    }
}
