/// Batch of index entries, each with a single object, sorted by object key.
///
/// An index stores its entries in the order of values. Looking up their objects in that order would
/// open each leaf of a table many times; a sorted batch of some hundred thousand entries opens each
/// leaf once. `capacity` limits the memory. Confined to one thread.
struct IndexEntryBatch: ~Copyable {
    /// The object key of an index entry, and the one or two four-byte chunks on the path to the
    /// entry.
    struct Entry {
        let key: Int64
        let chunks: (Int32, Int32)
        let depth: Int32
    }

    /// Maximum number of four-byte chunks on the path to an entry. Entries with longer paths belong
    /// to an `IndexListBatch`.
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

    /// Adds an entry. Precondition: the batch is not full, and `path` has one or two chunks.
    mutating func add(_ key: Int64, _ path: [Int32]) {
        entries[count] = Entry(
            key: key, chunks: (path[0], path.count > 1 ? path[1] : 0), depth: Int32(path.count))
        count += 1
    }

    /// Returns the entries sorted by bits 8 to 29 of their object keys, which groups them by
    /// cluster leaf unless keys exceed 2^30. Empties the batch. The buffer is valid until the next
    /// `add`.
    mutating func take() -> UnsafeBufferPointer<Entry> {
        // Ignore the low eight bits of the object keys: they only distinguish objects of one leaf.
        sort(by: 8)
        sort(by: 8 + Self.digit)
        defer { count = 0 }
        return UnsafeBufferPointer(start: entries, count: count)
    }

    /// Sorts the entries by one digit of the object key: one pass of a radix sort.
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
