/// Entries of an index that lead to one object each, put in the order of the objects.
///
/// An index has its entries in the order of values, which takes whoever looks them up through all
/// leaves of a table again and again. Sorted, some hundred thousand entries at a time touch each
/// leaf once. Memory is bounded by `capacity`. Confined to one thread.
struct IndexEntryBatch: ~Copyable {
    /// The key of an object, and the one or two chunks that lead to it.
    struct Entry {
        let key: Int64
        let chunks: (Int32, Int32)
        let depth: Int32
    }

    /// Entries with more chunks do not fit.
    static let maximumDepth = 2
    private static let capacity = 1 << 18
    private static let digit = 11

    private var entries: UnsafeMutablePointer<Entry>
    private var other: UnsafeMutablePointer<Entry>
    private(set) var count = 0

    init() {
        entries = .allocate(capacity: Self.capacity)
        other = .allocate(capacity: Self.capacity)
    }

    deinit {
        entries.deallocate()
        other.deallocate()
    }

    var isFull: Bool { count == Self.capacity }

    /// Adds an entry; there must be room, and `path` must have one or two chunks.
    mutating func add(_ key: Int64, _ path: [Int32]) {
        entries[count] = Entry(
            key: key, chunks: (path[0], path.count > 1 ? path[1] : 0), depth: Int32(path.count))
        count += 1
    }

    /// The entries, those of a cluster leaf beside each other in all but very large tables. Empties
    /// the batch; what is returned is valid until the next `add`.
    mutating func take() -> UnsafeBufferPointer<Entry> {
        // The low eight bits of a key tell places in one leaf apart.
        sort(by: 8)
        sort(by: 8 + Self.digit)
        defer { count = 0 }
        return UnsafeBufferPointer(start: entries, count: count)
    }

    /// One step of a radix sort.
    private mutating func sort(by shift: Int) {
        let mask = (1 << Self.digit) - 1
        var ends = [Int](repeating: 0, count: mask + 2)
        for i in 0..<count { ends[Int(entries[i].key >> shift) & mask + 1] += 1 }
        for i in 1...mask { ends[i] += ends[i - 1] }
        for i in 0..<count {
            let digit = Int(entries[i].key >> shift) & mask
            other[ends[digit]] = entries[i]
            ends[digit] += 1
        }
        swap(&entries, &other)
    }
}
