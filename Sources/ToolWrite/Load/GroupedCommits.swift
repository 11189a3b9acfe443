import RealmEngine
import ToolKit

/// Asynchronous transactions of an instance, which share their syncs.
///
/// A transaction is asked for when its batch has been read as a whole; as long as whole batches are at
/// hand, one transaction asks for the next, and all become durable together.
final class GroupedCommits: CommitStep {
    private let place: WriterPlace
    private let request: WriteRequest
    /// The transaction that was asked for and has not begun.
    private var asked: Instance.AsyncID?
    private var settlements = Settlements()
    /// When the first of them was committed.
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

    /// The block of a transaction.
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

    /// Durable with those that follow at once; a group does not grow beyond its memory nor for longer
    /// than records may wait.
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

    /// How long a group may grow, in nanoseconds: not so short that syncs take most of the time.
    private var longestGroup: UInt64 { max(request.limits.interval, 20_000_000) }

    /// The first commit that was waiting is durable, or failed.
    private func complete(_ error: RealmError?, _ load: RecordLoad) {
        if let error {
            // Nothing becomes durable any more.
            settlements.removeAll()
            return fail(error)
        }
        do throws(RealmError) {
            if !settlements.isEmpty { try load.settle(settlements.removeFirst()) }
            try settleUnchanged(load)
        } catch { fail(error) }
    }

    /// What changed nothing counts as soon as all before it does.
    private func settleUnchanged(_ load: RecordLoad) throws(RealmError) {
        while let first = settlements.first, first.version == nil {
            try load.settle(settlements.removeFirst())
        }
    }

    // MARK: Becoming durable

    /// Runs what was delivered to this thread.
    func work(_ load: RecordLoad, _ milliseconds: Int32 = 200) throws(RealmError) {
        place.loop.run(milliseconds: milliseconds)
        try load.report.flushAcknowledgements()
        if let failure { throw failure }
    }

    /// The version an idle writer has seen is not kept for it.
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
        // A turn that has not come is not waited for.
        if asked == nil { place.instance.waitForEndOfTurn() }
    }
}
