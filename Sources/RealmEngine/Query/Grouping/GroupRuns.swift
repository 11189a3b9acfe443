/// Records of groups in temporary files: sorted runs, which are merged when read.
final class GroupRuns: RunOrder {
    let recordSize: Int
    let maximumRecordSize: Int
    let layout: GroupRecord
    private let order: (UnsafeRawPointer, UnsafeRawPointer) -> Int
    private let runs: SortedRuns

    init(
        _ layout: GroupRecord, _ memory: QueryMemoryLimit,
        _ order: @escaping (UnsafeRawPointer, UnsafeRawPointer) -> Int
    ) throws(RealmError) {
        self.layout = layout
        recordSize = layout.size
        maximumRecordSize = layout.maximumLength
        self.order = order
        runs = try SortedRuns(memory)
    }

    @inline(__always)
    func size(of record: UnsafeRawPointer) -> Int { layout.size(of: record) }

    func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int { order(a, b) }

    func append(_ record: UnsafeRawPointer) throws(RealmError) {
        try runs.append(record, layout.size(of: record))
    }

    /// Ends the current run. The records appended to it must be sorted by their keys.
    func endRun() throws(RealmError) { try runs.endRun(self) }

    /// Returns the records of all runs, merged in the order of their keys. Of records with equal
    /// keys, the record of the earlier run comes first.
    func merged() throws(RealmError) -> RunHeap<GroupRuns> { try runs.merged(self) }
}
