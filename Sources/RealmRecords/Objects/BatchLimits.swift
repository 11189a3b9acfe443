import RealmEngine

/// Sizes of the batches in which one thread converts records and another stores them.
package enum BatchLimits {
    /// Maximum number of records in a batch.
    package static let recordCount = 512
    /// Maximum number of values in a batch. A record takes memory for every property of its class,
    /// even if it has few fields.
    package static let valueCount = 1 << 17
    /// Size in bytes at which a batch ends.
    package static let byteCount = 1 << 19

    /// Maximum number of records of the class `table` in a batch.
    package static func recordCount(of table: TableInfo) -> Int {
        max(1, min(recordCount, valueCount / max(1, table.columns.count)))
    }
}
