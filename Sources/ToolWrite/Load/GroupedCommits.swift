import RealmEngine
import ToolKit

/// Commits by asynchronous transactions of an instance, which share their syncs.
///
/// A transaction is requested when its records are read completely. As long as more complete
/// transactions are read, each transaction requests the next, and all become durable together.
final class GroupedCommits: CommitStep {
    private let place: WriterPlace
    private let request: WriteRequest
    /// A requested transaction that has not begun; nil for none.
    private var asked: Instance.AsyncID?
    private var settlements = Settlements()
    /// Time of the first commit in the current group.
    private var groupStart: UInt64 = 0
    private var failure: RealmError?

    init(_ place: WriterPlace, _ request: WriteRequest) {
        self.place = place
        self.request = request
    }

    var isEager: Bool { false }
    var hasUnsettled: Bool { !settlements.isEmpty }
    var traffic: WriteSession.Traffic { place.instance.asynchronousTraffic }
    var wake: @Sendable () -> Void { place.loop.wake }

    // MARK: Turns

    func perform(_ load: RecordLoad) throws(RealmError) {
        try ask(load)
        while asked != nil {
            try work(load)
            try load.checkInterruption()
        }
    }

    private func ask(_ load: RecordLoad) throws(RealmError) {
        asked = try place.instance.beginAsyncWrite { (error) in
            self.asked = nil
            self.fail(error)
        } _: {
            self.asked = nil
            self.write(load)
        }
    }

    /// Writes a transaction, as the block of an asynchronous write.
    private func write(_ load: RecordLoad) {
        do throws(RealmError) {
            try load.checkInterruption()
            try load.writeTransaction()
            if failure == nil, load.collectNext() { try ask(load) }
        } catch {
            load.abandon()
            fail(error)
        }
    }

    private func fail(_ error: RealmError) {
        if failure == nil { failure = error }
    }

    // MARK: Transactions

    func begin() -> WriteTransaction { place.instance.write }

    func restart(_ transaction: WriteTransaction) throws(RealmError) {
        try place.instance.restartAsyncWrite()
    }

    func abandon(_ transaction: WriteTransaction?) { place.cancelWrite() }

    /// Commits in a group with the transactions that follow at once. A group is limited by its
    /// memory and by the time that records may wait.
    func commit(
        _ transaction: WriteTransaction, hasChanged: Bool, _ load: RecordLoad
    ) throws(RealmError) {
        guard hasChanged else {
            place.instance.cancelWrite()
            settlements.add(load.settlement(nil))
            return try settleUnchanged(load)
        }
        let version = transaction.version
        let now = MonotonicClock.nanoseconds()
        if settlements.isEmpty { groupStart = now }
        let isLong = now &- groupStart >= longestGroup
        try place.instance.commitAsyncWrite(
            allowGrouping: !isLong && transaction.size < request.mostMemory / 8
        ) { self.complete($0, load) }
        settlements.add(load.settlement(version))
    }

    /// Maximum age of a group in nanoseconds. At least 20 ms, so that syncs do not take most of the
    /// time.
    private var longestGroup: UInt64 { max(request.limits.interval, 20_000_000) }

    /// Settles the first waiting commit, which is durable, or records its error.
    private func complete(_ error: RealmError?, _ load: RecordLoad) {
        if let error {
            // After a failed commit no later commit becomes durable.
            settlements.removeAll()
            return fail(error)
        }
        do throws(RealmError) {
            if !settlements.isEmpty { try load.settle(settlements.removeFirst()) }
            try settleUnchanged(load)
        } catch { fail(error) }
    }

    /// Settles transactions without changes once all commits before them are settled.
    private func settleUnchanged(_ load: RecordLoad) throws(RealmError) {
        while let first = settlements.first, first.version == nil {
            try load.settle(settlements.removeFirst())
        }
    }

    // MARK: Durability

    /// Runs blocks delivered to this thread, waiting for them up to `milliseconds`.
    func work(_ load: RecordLoad, _ milliseconds: Int32 = 200) throws(RealmError) {
        place.loop.run(milliseconds: milliseconds)
        try load.report.flushAcknowledgements()
        if let failure { throw failure }
    }

    /// Refreshes the instance, so that an idle writer does not pin an old version.
    func idle() throws(RealmError) { try place.instance.refresh() }

    func finish(_ load: RecordLoad) throws(RealmError) {
        while place.instance.isPerformingAsynchronousWriteOperations { try work(load) }
        place.instance.waitForEndOfTurn()
    }

    func drain(_ load: RecordLoad) {
        let asked = asked
        self.asked = nil
        if let asked { place.instance.cancelAsyncWrite(asked) }
        while place.instance.isPerformingAsynchronousWriteOperations {
            _ = try? work(load)
        }
        // A cancelled request has no turn to wait for.
        if asked == nil { place.instance.waitForEndOfTurn() }
    }
}
