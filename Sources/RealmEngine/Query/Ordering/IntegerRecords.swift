/// The integers of each object of a `TableOrder`, in table order. Tools make records from them if
/// all fields of the records are integers.
///
/// Confined to one thread.
package final class IntegerRecords {
    /// Number of 64-bit words per record: one integer per column. If a column is nullable, there is
    /// one more word, with a bit for each column that is null.
    package let words: Int
    private var memory: UnsafeMutablePointer<Int64>
    private var capacity = 0
    private let places: UnsafeMutablePointer<Int>

    /// Maximum number of records that one call of `find` finds.
    package static let maximumFound = 128

    /// Makes records for the columns of a scan; nil if not all of them are integers.
    package init?(_ scan: TableScan) {
        guard let words = scan.integerWords else { return nil }
        self.words = words
        memory = .allocate(capacity: 1)
        places = .allocate(capacity: Self.maximumFound)
    }

    deinit {
        memory.deallocate()
        places.deallocate()
    }

    /// Reads the integers of the columns of `scan`, for every object listed in `order`. Returns
    /// false if an object does not exist.
    package func read(_ order: TableOrder, _ scan: TableScan) throws(RealmError) -> Bool {
        reserve(order.count * words)
        var next = memory
        var isComplete = true
        try order.visitRanges { (key, count) throws(RealmError) in
            guard isComplete else { return }
            isComplete = try scan.seek(key, count: count) { (rows) throws(RealmError) in
                try scan.storeIntegers(rows, to: next, stride: words)
                next += rows.count * words
            }
        }
        return isComplete
    }

    private func reserve(_ count: Int) {
        if count <= capacity { return }
        memory.deallocate()
        memory = .allocate(capacity: count)
        capacity = count
        LargeMemory.requestHugePages(memory, count * MemoryLayout<Int64>.stride)
    }

    /// Stores the addresses of the records of consecutive list elements, at most `maximumFound`,
    /// and prefetches the records. The addresses are valid until the next `read`.
    package func find(
        _ elements: Range<Int>, in order: TableOrder,
        to found: UnsafeMutablePointer<UnsafePointer<Int64>>
    ) {
        precondition(elements.count <= Self.maximumFound)
        order.store(elements, to: places)
        for i in 0..<elements.count {
            let record = UnsafePointer(memory + places[i] &* words)
            found[i] = record
            Prefetch.line(record)
        }
    }
}
