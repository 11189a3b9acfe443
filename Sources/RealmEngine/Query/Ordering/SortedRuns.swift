/// Sorted runs of records in temporary files, merged when read. Whenever one level has `fanIn`
/// runs, they are merged into one run of the next level. A record is thus written once per level,
/// and the number of levels is the logarithm of the number of runs to the base `fanIn`.
///
/// Confined to one thread.
final class SortedRuns {
    /// Runs of one merge level, in one file. When there are `fanIn` runs, they are merged into one
    /// run of the next level.
    private struct Level {
        let file: SpillFile
        var ends: [Int] = []
    }

    /// Number of runs at one level that are merged into one run of the next level.
    static let fanIn = 256

    private let memory: QueryMemoryLimit
    private var levels: [Level] = []
    /// Number of bytes written to temporary files.
    private(set) var written = 0

    init(_ memory: QueryMemoryLimit) throws(RealmError) {
        self.memory = memory
        levels = [try level()]
    }

    private func level() throws(RealmError) -> Level {
        Level(file: try SpillFile(in: memory.directory, isConfidential: memory.isConfidential))
    }

    /// Appends a record to the current run. Throws `output` if the disk is full.
    func append(_ record: UnsafeRawPointer, _ size: Int) throws(RealmError) {
        try levels[0].file.append(record, size)
    }

    /// Ends the current run: the records appended after it form another run. Does nothing if the
    /// run is empty.
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

    /// Merges the records of all runs. Of equal records, the record added earlier comes first. No
    /// record may be added afterwards.
    func merged<Order: RunOrder>(_ order: Order) throws(RealmError) -> RunHeap<Order> {
        var all: [SortedRun] = []
        for level in levels.reversed() { all += try Self.runs(of: level) }
        return RunHeap(order, all)
    }
}
