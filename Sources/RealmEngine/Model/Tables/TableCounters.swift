/// Counters of a table (object format 1.2).
struct TableCounters {
    /// Sequence number of the next object, from which its key is made.
    var nextSequenceNumber: UInt64
    /// Number of columns removed so far; part of the keys of new columns.
    var columnCounter: UInt64
    /// Incremented by each transaction that changes the table.
    private(set) var contentVersion: UInt64
    /// Whether the open transaction has incremented the content version.
    private var hasCountedChange = false

    /// Makes the counters of a new table.
    init() { (nextSequenceNumber, columnCounter, contentVersion) = (0, 0, 0) }

    init(_ info: TableInfo) {
        nextSequenceNumber = info.nextSequenceNumber
        columnCounter = info.columnCounter
        contentVersion = info.contentVersion
    }

    /// Increments the content version once per transaction.
    @inline(__always)
    mutating func countChange() {
        if hasCountedChange { return }
        hasCountedChange = true
        contentVersion += 1
    }

    mutating func beginTransaction() { hasCountedChange = false }
}
