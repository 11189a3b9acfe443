import RealmEngine

/// Records that are rendered in the order of the table and read in the order of a SORT, some thousand at
/// a time: each leaf is opened once for all of its objects instead of once for each.
///
/// Confined to one thread.
struct ArrangedRecords: ~Copyable {
    /// Fewer objects are rendered in the order of the SORT.
    static let minimumObjects = 2048
    private static let maximumObjects = 1 << 18

    /// Bytes that a part of the records may take.
    private let memory: Int
    private var records = ByteBuffer(capacity: 1 << 16)
    /// Offset of each record in `records`; record i ends at `ends[i]`. Both are 0 for an object that does
    /// not exist.
    private var starts: [Int] = []
    private var ends: [Int] = []
    /// Objects that are rendered at a time: as many as the memory is enough for.
    private(set) var objects = 1 << 13

    init(memory: Int) { self.memory = memory }

    /// Renders the objects with `keys`.
    mutating func render(
        _ keys: Slice<RowKeys>, _ renderer: RecordRenderer
    ) throws(RealmError) {
        records.removeAll()
        starts = [Int](repeating: 0, count: keys.count)
        ends = starts
        for next in RowKeys.tableOrder(of: keys) {
            guard let row = try renderer.scan.seek(next.key) else { continue }
            starts[next.place] = records.count
            try renderer.append(row, to: &records)
            ends[next.place] = records.count
        }
        let size = records.count / max(1, keys.count) + 32
        objects = min(Self.maximumObjects, max(Self.minimumObjects, memory / size))
    }

    /// Calls `body` with each record in the order of the keys, until it says no.
    borrowing func visit(
        _ body: (UnsafeRawBufferPointer) throws(RealmError) -> Bool
    ) throws(RealmError) -> Bool {
        let bytes = records.bytes
        for place in starts.indices where starts[place] < ends[place] {
            let record = UnsafeRawBufferPointer(rebasing: bytes[starts[place]..<ends[place]])
            if try !body(record) { return false }
        }
        return true
    }
}
