/// A part of a sequence of records: some are skipped, and no more than so many taken.
package struct RecordWindow: Sendable, Equatable {
    package var skip = 0
    package var take = Int.max

    package static let all = RecordWindow()

    package init(skip: Int = 0, take: Int = .max) {
        self.skip = skip
        self.take = take
    }

    /// How many records there have to be at the beginning, so that all of the part are among them.
    package var end: Int {
        let (sum, overflow) = skip.addingReportingOverflow(take)
        return overflow ? .max : sum
    }

    /// The part of these.
    package func of<T: Collection>(_ records: T) -> T.SubSequence {
        records.dropFirst(skip).prefix(take)
    }

    /// The part of `count` records, which come next; what is left of the window is for those after
    /// them.
    mutating func next(_ count: Int) -> Range<Int> {
        let start = min(skip, count)
        let end = start + min(take, count - start)
        skip -= start
        take -= end - start
        return start..<end
    }
}
