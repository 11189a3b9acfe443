/// Records of groups in a temporary file: runs that are in order each, read as one.
final class GroupRuns: RunOrder {
    let recordSize: Int
    private let order: (UnsafeRawPointer, UnsafeRawPointer) -> Int
    private let file: SpillFile
    private var ends: [Int] = []

    init(
        _ layout: GroupRecord, _ memory: QueryMemory,
        _ order: @escaping (UnsafeRawPointer, UnsafeRawPointer) -> Int
    ) throws(RealmError) {
        recordSize = layout.size
        self.order = order
        file = try SpillFile(in: memory.directory, isConfidential: memory.isConfidential)
    }

    func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int { order(a, b) }

    func append(_ record: UnsafeRawPointer) throws(RealmError) {
        try file.append(record, recordSize)
    }

    /// What was appended since the last run is a run.
    func endRun() { if file.size > ends.last ?? 0 { ends.append(file.size) } }

    /// Visits the records of all runs in order, those of earlier runs before equal ones, until `body`
    /// says no.
    func merge(_ body: (UnsafeRawPointer) throws(RealmError) -> Bool) throws(RealmError) {
        let bytes = try file.mapped()
        var runs = RunHeap(self, bytes, ends)
        while let record = runs.next() { if try !body(record) { break } }
        withExtendedLifetime(bytes) {}
    }
}
