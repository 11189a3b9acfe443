import Testing

@testable import RealmEngine

@Suite struct ReadAttemptsTests {
    @Test func pageWithAnUnchangedEntryIsReadSixTimes() {
        #expect(attempts { _ in 7 } == 6)
    }

    @Test func pageWithAnEmptyEntryIsReadSixTimes() {
        #expect(attempts { _ in 0 } == 6)
    }

    @Test func pageWithChangingEntriesIsGivenUp() {
        #expect(attempts { UInt64($0) } == 1001)
    }

    @Test func changedEntryStartsTheCountAgain() {
        #expect(attempts { $0 < 5 ? 1 : 2 } == 11)
    }

    /// Returns the number of attempts until a read ends, given the entry that each one finds.
    private func attempts(_ entry: (Int) -> UInt64) -> Int {
        var attempts = ReadAttempts()
        var count = 0
        while !attempts.isOver && count < 5000 {
            attempts.add(entry: entry(count))
            count += 1
        }
        return count
    }
}
