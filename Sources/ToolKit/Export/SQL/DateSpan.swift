import RealmEngine

/// Range and precision of the dates of a property. They determine the SQL type of its column.
package struct DateSpan {
    /// Whether a date is more precise than a microsecond.
    private(set) var hasNanoseconds = false
    private var least = Int64.max
    private var most = Int64.min

    /// Reads all dates of a property, including elements of collections.
    package init(
        of column: Int, _ info: TableInfo, _ snapshot: Snapshot
    ) throws(RealmError) {
        let scan = snapshot.table(info).scan(columns: [column])
        while try scan.next() {
            for row in 0..<scan.count {
                try add(try scan.value(row: row, column: 0), snapshot)
            }
        }
    }

    private mutating func add(_ value: Value, _ snapshot: Snapshot) throws(RealmError) {
        switch value {
        case .timestamp(let time):
            if time.nanoseconds % 1000 != 0 { hasNanoseconds = true }
            // Dates before 1970 have negative nanoseconds, so they are earlier than their whole
            // seconds.
            least = min(least, time.nanoseconds < 0 ? time.seconds &- 1 : time.seconds)
            most = max(most, time.seconds)
        case .list(let view), .set(let view):
            guard !view.root.isNone else { return }
            var elements = snapshot.elements(of: view)
            while let element = try elements.next() { try add(element, snapshot) }
        case .dictionary(let view):
            guard !view.root.isNone else { return }
            var entries = try snapshot.entries(of: view)
            while let (_, element) = try entries.next() { try add(element, snapshot) }
        default: return
        }
    }

    /// The years 1 to 9999, in seconds since 1970.
    private static let years: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// Range of seconds in which 64-bit nanoseconds do not overflow, less a second at each end.
    private static let nanoseconds: ClosedRange<Int64> = -9_223_372_035...9_223_372_035

    private func isWithin(_ range: ClosedRange<Int64>) -> Bool {
        least > most || (range.contains(least) && range.contains(most))
    }

    /// Whether all dates are in the years 1 to 9999.
    package var isWithinYears: Bool { isWithin(Self.years) }

    /// Whether all dates are in the range of 64-bit nanoseconds since 1970.
    var fitsNanoseconds: Bool { isWithin(Self.nanoseconds) }
}
