/// Range of records to print: the first `skip` records are omitted, and at most `take` records are
/// printed.
package struct RecordWindow: Sendable, Equatable {
    package var skip = 0
    package var take = Int.max

    package static let all = RecordWindow()

    package init(skip: Int = 0, take: Int = .max) {
        self.skip = skip
        self.take = take
    }

    /// Number of records up to the end of the range, including the omitted records: `skip + take`.
    package var end: Int {
        let (sum, overflow) = skip.addingReportingOverflow(take)
        return overflow ? .max : sum
    }

    /// Returns the records that are in the range.
    package func of<T: Collection>(_ records: T) -> T.SubSequence {
        records.dropFirst(skip).prefix(take)
    }

    /// Returns which of the next `count` records are in the range, as indexes from 0. Later calls
    /// continue after these records.
    mutating func next(_ count: Int) -> Range<Int> {
        let start = min(skip, count)
        let end = start + min(take, count - start)
        skip -= start
        take -= end - start
        return start..<end
    }
}
