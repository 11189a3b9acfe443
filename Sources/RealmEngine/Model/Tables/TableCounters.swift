/// Counters of a table (object format 1.2).
struct TableCounters {
    /// Sequence number of the next object; its key is computed from this number.
    var nextSequenceNumber: UInt64
    /// Number of columns removed so far; it is part of the keys of new columns.
    var columnCounter: UInt64
    /// Number that each transaction increments if it changes the table.
    private(set) var contentVersion: UInt64
    /// Whether the open transaction has already incremented `contentVersion`, which it does once.
    private var hasCountedChange = false

    /// Makes the counters of a table without objects.
    init() { (nextSequenceNumber, columnCounter, contentVersion) = (0, 0, 0) }

    init(_ info: TableInfo) {
        nextSequenceNumber = info.nextSequenceNumber
        columnCounter = info.columnCounter
        contentVersion = info.contentVersion
    }

    /// Increments the content version, at most once per transaction.
    @inline(__always)
    mutating func countChange() {
        if hasCountedChange { return }
        hasCountedChange = true
        contentVersion += 1
    }

    mutating func beginTransaction() { hasCountedChange = false }
}
