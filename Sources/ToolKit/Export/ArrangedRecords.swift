import RealmEngine

/// Records that are rendered in the order of the table and printed in the order of a SORT.
/// Thousands of objects are rendered at a time, so each leaf is opened once for all of its objects,
/// instead of once for each object.
///
/// Confined to one thread.
package struct ArrangedRecords: ~Copyable {
    /// Number of objects below which records are rendered directly in the order of the SORT.
    package static let minimumObjects = 2048
    private static let maximumObjects = 1 << 24

    /// Bytes of memory per record in addition to its text: its offset in `records`, and its key's
    /// bit and index in `TableOrder`.
    private static let recordOverhead = 16

    /// Limit in bytes of the records that are rendered at a time.
    private let memory: Int
    private var records = ByteBuffer(capacity: 1 << 16)
    /// Offset of each record in `records`, in the order of the table. The last entry is the end of
    /// the last record. A missing object has an empty record.
    private var starts: [Int] = []
    /// Number of objects to render at a time, adapted to `memory`.
    private var objects = 1 << 13

    private init(memory: Int) { self.memory = memory }

    /// Appends the records of objects in the order of `keys`. Calls `flush` whenever `out` contains
    /// at least `limit` bytes, and stops if `flush` returns false.
    ///
    /// - Parameter memory: limit in bytes of the records that are rendered at a time.
    ///
    /// - Returns: the number of records; nil if `flush` returned false.
    package static func append(
        _ keys: Slice<RowKeys>, _ renderer: RecordRenderer, memory: Int,
        to out: inout ByteBuffer, until limit: Int = .max,
        _ flush: (inout ByteBuffer) throws(RealmError) -> Bool
    ) throws(RealmError) -> Int? {
        var records = ArrangedRecords(memory: memory)
        var rest = keys
        var count = 0
        while !rest.isEmpty {
            let part = rest.prefix(records.objects)
            rest = rest[part.endIndex...]
            let order = TableOrder(part)
            try records.render(order, renderer)
            var next = 0
            while next < part.count {
                // `flush` may leave the buffer full. The next limit is therefore relative to its
                // size.
                let end = out.count < limit ? limit : out.count + limit
                count += records.starts.withUnsafeBufferPointer { starts in
                    order.append(records.records.bytes, starts, from: &next, to: &out, until: end)
                }
                if out.count >= limit, try !flush(&out) { return nil }
            }
        }
        return count
    }

    /// Renders the objects in the order of the table.
    @_optimize(speed)
    private mutating func render(
        _ order: TableOrder, _ renderer: RecordRenderer
    ) throws(RealmError) {
        records.removeAll()
        starts.removeAll(keepingCapacity: true)
        starts.reserveCapacity(order.count + 1)
        try order.visit { (key) throws(RealmError) in
            starts.append(records.count)
            if let row = try renderer.scan.seek(key) { try renderer.append(row, to: &records) }
        }
        starts.append(records.count)
        let size = records.count / max(1, order.count) + Self.recordOverhead
        objects = min(Self.maximumObjects, max(Self.minimumObjects, memory / size))
    }
}
