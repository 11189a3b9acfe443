import RealmEngine

/// Records that are rendered in the order of the table and printed in the order of a SORT.
/// Thousands of objects are rendered at a time, so each leaf is opened once for all of its objects,
/// instead of once for each object.
///
/// Confined to one thread.
package struct ArrangedRecords: ~Copyable {
    /// Minimum number of objects for which this type is worthwhile. Fewer objects are read and
    /// rendered one by one in the order of the SORT.
    package static let minimumObjects = 2048
    private static let maximumObjects = 1 << 24

    /// Bytes of memory per record in addition to the text of the record: for an element of
    /// `starts`, and for an entry of the `TableOrder` by which objects are read.
    private static let recordOverhead = 16

    /// Limit in bytes of the records that are rendered at a time.
    private let memory: Int
    private var records = ByteBuffer(capacity: 1 << 16)
    /// Offset of each record in `records`, in the order of the table. The last entry is the end of
    /// the last record. A missing object has an empty record.
    private var starts: [Int] = []
    /// Number of objects to render at a time, adapted to `memory`.
    private var objects = 1 << 13

    /// Integers read from the objects in the order of the table, if every record consists of
    /// integers. Such records are then rendered from the integers, in the order of the SORT. Nil
    /// for other records.
    private let integers: IntegerRecords?

    private init(memory: Int, _ integers: IntegerRecords?) {
        self.memory = memory
        self.integers = integers
        if let integers { adapt(to: integers.words * 8) }
    }

    /// Sets `objects` to the number of records of `size` bytes that fit into `memory`.
    private mutating func adapt(to size: Int) {
        let size = size + Self.recordOverhead
        objects = min(Self.maximumObjects, max(Self.minimumObjects, memory / size))
    }

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
        var records = ArrangedRecords(memory: memory, renderer.integerRecords())
        var rest = keys
        var count = 0
        while !rest.isEmpty {
            let part = rest.prefix(records.objects)
            rest = rest[part.endIndex...]
            let order = TableOrder(part)
            if let integers = records.integers, try integers.read(order, renderer.scan) {
                count += part.count
                guard try append(part.count, integers, order, renderer, to: &out, limit, flush)
                else { return nil }
                continue
            }
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

    /// Renders records that consist of integers, in the order of the SORT.
    ///
    /// - Parameters:
    ///   - count: number of records.
    ///   - integers: integers of the objects, which `IntegerRecords.read` has read.
    ///
    /// - Returns: false if `flush` returned false.
    @_optimize(speed)
    private static func append(
        _ count: Int, _ integers: IntegerRecords, _ order: TableOrder, _ renderer: RecordRenderer,
        to out: inout ByteBuffer, _ limit: Int,
        _ flush: (inout ByteBuffer) throws(RealmError) -> Bool
    ) throws(RealmError) -> Bool {
        let found = UnsafeMutablePointer<UnsafePointer<Int64>>.allocate(
            capacity: IntegerRecords.maximumFound)
        defer { found.deallocate() }
        let hasNulls = integers.words > renderer.plan.columns.count
        var next = 0
        while next < count {
            let end = min(next + IntegerRecords.maximumFound, count)
            integers.find(next..<end, in: order, to: found)
            for i in 0..<end - next {
                try renderer.append(found[i], hasNulls: hasNulls, to: &out)
            }
            next = end
            if out.count >= limit, try !flush(&out) { return false }
        }
        return true
    }

    /// Renders the objects in the order of the table.
    @_optimize(speed)
    private mutating func render(
        _ order: TableOrder, _ renderer: RecordRenderer
    ) throws(RealmError) {
        records.removeAll()
        starts.removeAll(keepingCapacity: true)
        starts.reserveCapacity(order.count + 1)
        try order.visitRanges { (key, count) throws(RealmError) in
            var left = count
            while left > 0 {
                let isComplete = try renderer.scan.seek(
                    ObjectKey(key.raw + Int64(count - left)), count: left
                ) { (rows) throws(RealmError) in
                    for row in rows {
                        starts.append(records.count)
                        try renderer.append(row, to: &records)
                    }
                    left -= rows.count
                }
                if !isComplete {
                    starts.append(records.count)
                    left -= 1
                }
            }
        }
        starts.append(records.count)
        adapt(to: records.count / max(1, order.count))
    }
}
