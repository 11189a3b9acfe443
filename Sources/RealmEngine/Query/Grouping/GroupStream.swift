/// Stream of the records of groups in the order of their keys. Each group occurs once.
class GroupStream {
    let record: GroupRecord

    fileprivate init(_ record: GroupRecord) { self.record = record }

    /// Returns the next record, valid until the next call; nil at the end.
    func next() -> UnsafeRawPointer? { nil }
}

/// Groups in memory, read as a stream of records.
final class MemoryGroups: GroupStream {
    private let count: Int
    private let fill: (Int, UnsafeMutableRawPointer) -> Void
    private let room: UnsafeMutableRawPointer
    private var position = 0

    /// - Parameter fill: writes the group at an index to a record. Index 0 is the first group in
    ///   sorted order.
    init(
        _ record: GroupRecord, count: Int, _ fill: @escaping (Int, UnsafeMutableRawPointer) -> Void
    ) {
        self.count = count
        self.fill = fill
        room = .allocate(byteCount: record.maximumLength, alignment: 16)
        super.init(record)
    }

    deinit { room.deallocate() }

    override func next() -> UnsafeRawPointer? {
        if position == count { return nil }
        fill(position, room)
        position += 1
        return UnsafeRawPointer(room)
    }
}

/// Stream of groups in temporary files. Several runs may contain a record of the same group. These
/// records are merged into one.
final class SpilledGroups: GroupStream {
    private let layout: StateLayout
    private let runs: RunHeap<GroupRuns>
    private let room: UnsafeMutableRawPointer
    /// First record of the next group; nil at the end. Other runs may contain further records of
    /// the same group.
    private var ahead: UnsafeRawPointer?

    init(_ runs: GroupRuns, _ layout: StateLayout) throws(RealmError) {
        self.layout = layout
        self.runs = try runs.merged()
        room = .allocate(byteCount: runs.layout.maximumLength, alignment: 16)
        super.init(runs.layout)
        ahead = self.runs.next()
    }

    deinit { room.deallocate() }

    override func next() -> UnsafeRawPointer? {
        guard let first = ahead else { return nil }
        room.copyMemory(from: first, byteCount: record.size(of: first))
        ahead = runs.next()
        while let part = ahead, record.compareKeys(room, part) == 0 {
            record.setCount(record.count(of: room) + record.count(of: part), of: room)
            layout.merge(record.states(of: part), into: record.states(of: room))
            ahead = runs.next()
        }
        return UnsafeRawPointer(room)
    }
}
