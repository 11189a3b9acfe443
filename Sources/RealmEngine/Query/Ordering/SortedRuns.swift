/// Sorted runs of records in temporary files, read as one. As soon as there are many runs they are
/// merged into a longer one, and many longer ones into one longer still: so a record is written once
/// for each factor of `fanIn` in the number of runs, however small the runs are.
///
/// Confined to one thread.
final class SortedRuns {
    /// Runs that make one of the next level, in a file of their own.
    private struct Level {
        let file: SpillFile
        var ends: [Int] = []
    }

    /// Runs that are merged at once.
    static let fanIn = 256

    private let memory: QueryMemory
    private var levels: [Level] = []
    /// Bytes written to files so far.
    private(set) var written = 0

    init(_ memory: QueryMemory) throws(RealmError) {
        self.memory = memory
        levels = [try level()]
    }

    private func level() throws(RealmError) -> Level {
        Level(file: try SpillFile(in: memory.directory, isConfidential: memory.isConfidential))
    }

    /// Adds a record to the present run. Throws `output` when the disk is full.
    func append(_ record: UnsafeRawPointer, _ size: Int) throws(RealmError) {
        try levels[0].file.append(record, size)
    }

    /// Ends the present run, unless it is empty.
    func endRun(_ order: some RunOrder) throws(RealmError) {
        try endRun(order, level: 0)
    }

    private func endRun(_ order: some RunOrder, level i: Int) throws(RealmError) {
        let size = levels[i].file.size
        let start = levels[i].ends.last ?? 0
        guard size > start else { return }
        written += size - start
        levels[i].ends.append(size)
        guard levels[i].ends.count == Self.fanIn else { return }
        if i + 1 == levels.count { levels.append(try level()) }
        let longer = levels[i + 1].file
        let runs = RunHeap(order, try Self.runs(of: levels[i]))
        levels[i] = try level()
        while let record = runs.next() { try longer.append(record, order.size(of: record)) }
        try endRun(order, level: i + 1)
    }

    private static func runs(of level: Level) throws(RealmError) -> [SortedRun] {
        let bytes = try level.file.mapped()
        var start = 0
        return level.ends.map { end in
            defer { start = end }
            return SortedRun(bytes: bytes, range: start..<end)
        }
    }

    /// All runs as one, those that were added earlier first among equal records. Nothing is added
    /// afterwards.
    func merged<Order: RunOrder>(_ order: Order) throws(RealmError) -> RunHeap<Order> {
        var all: [SortedRun] = []
        for level in levels.reversed() { all += try Self.runs(of: level) }
        return RunHeap(order, all)
    }
}
