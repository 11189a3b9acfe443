import RealmEngine
import ToolKit

/// Commits by asynchronous transactions of an instance, which share their syncs.
///
/// A transaction is requested when its records are read completely. As long as more complete
/// transactions are read, each transaction requests the next, and all become durable together.
final class GroupedCommits: CommitStep {
    private let writer: AsyncWriter
    private let request: WriteRequest
    /// A requested transaction that has not begun; nil for none.
    private var requestedTransaction: Instance.AsyncID?
    private var pendingCommits = PendingCommits()
    /// Time of the first commit in the current group.
    private var groupStart: UInt64 = 0
    private var failure: RealmError?

    init(_ writer: AsyncWriter, _ request: WriteRequest) {
        self.writer = writer
        self.request = request
    }

    var isEager: Bool { false }
    var hasPendingCommits: Bool { !pendingCommits.isEmpty }
    var writeStatistics: WriteSession.WriteStatistics {
        writer.instance.asynchronousWriteStatistics
    }
    var wake: @Sendable () -> Void { writer.loop.wake }

    // MARK: Turns

    func perform(_ load: RecordLoad) throws(RealmError) {
        try ask(load)
        while requestedTransaction != nil {
            try work(load)
            try load.checkInterruption()
        }
    }

    private func ask(_ load: RecordLoad) throws(RealmError) {
        requestedTransaction = try writer.instance.beginAsyncWrite { (error) in
            self.requestedTransaction = nil
            self.fail(error)
        } _: {
            self.requestedTransaction = nil
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

    func begin() -> WriteTransaction { writer.instance.write }

    func restart(_ transaction: WriteTransaction) throws(RealmError) {
        try writer.instance.restartAsyncWrite()
    }

    func abandon(_ transaction: WriteTransaction?) { writer.cancelWrite() }

    /// Commits in a group with the transactions that follow at once. A group is limited by its
    /// memory and by the time that records may wait.
    func commit(
        _ transaction: WriteTransaction, hasChanged: Bool, _ load: RecordLoad
    ) throws(RealmError) {
        guard hasChanged else {
            writer.instance.cancelWrite()
            pendingCommits.add(load.pendingCommit(nil))
            return try completeUnchanged(load)
        }
        let version = transaction.version
        let now = MonotonicClock.nanoseconds()
        if pendingCommits.isEmpty { groupStart = now }
        let isLong = now &- groupStart >= maximumGroupDuration
        try writer.instance.commitAsyncWrite(
            allowGrouping: !isLong && transaction.size < request.memoryLimit / 8
        ) { self.complete($0, load) }
        pendingCommits.add(load.pendingCommit(version))
    }

    /// Maximum age of a group in nanoseconds. At least 20 ms, so that syncs do not take most of the
    /// time.
    private var maximumGroupDuration: UInt64 { max(request.limits.interval, 20_000_000) }

    /// Settles the first waiting commit, which is durable, or records its error.
    private func complete(_ error: RealmError?, _ load: RecordLoad) {
        if let error {
            // After a failed commit no later commit becomes durable.
            pendingCommits.removeAll()
            return fail(error)
        }
        do throws(RealmError) {
            if !pendingCommits.isEmpty { try load.settle(pendingCommits.removeFirst()) }
            try completeUnchanged(load)
        } catch { fail(error) }
    }

    /// Settles transactions without changes once all commits before them are settled.
    private func completeUnchanged(_ load: RecordLoad) throws(RealmError) {
        while let first = pendingCommits.first, first.version == nil {
            try load.settle(pendingCommits.removeFirst())
        }
    }

    // MARK: Durability

    /// Runs blocks delivered to this thread, waiting for them up to `milliseconds`.
    func work(_ load: RecordLoad, _ milliseconds: Int32 = 200) throws(RealmError) {
        writer.loop.run(milliseconds: milliseconds)
        try load.report.flushAcknowledgements()
        if let failure { throw failure }
    }

    /// Refreshes the instance, so that an idle writer does not pin an old version.
    func idle() throws(RealmError) { try writer.instance.refresh() }

    func finish(_ load: RecordLoad) throws(RealmError) {
        while writer.instance.isPerformingAsynchronousWriteOperations { try work(load) }
        writer.instance.waitForEndOfTurn()
    }

    func drain(_ load: RecordLoad) {
        let requestedTransaction = requestedTransaction
        self.requestedTransaction = nil
        if let requestedTransaction { writer.instance.cancelAsyncWrite(requestedTransaction) }
        while writer.instance.isPerformingAsynchronousWriteOperations {
            _ = try? work(load)
        }
        // A cancelled request has no turn to wait for.
        if requestedTransaction == nil { writer.instance.waitForEndOfTurn() }
    }
}
