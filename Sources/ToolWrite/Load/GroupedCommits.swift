import RealmEngine
import ToolKit

/// Commits by asynchronous transactions of an instance, so that several commits share a sync.
///
/// A transaction is requested when all of its records are read. At the end of its block, the block
/// requests the next transaction if the records for it are read, too. Transactions requested in
/// this way form a group, which becomes durable with one sync.
final class GroupedCommits: CommitStep {
    private let writer: AsyncWriter
    private let request: WriteRequest
    /// Identifier of a requested transaction that has not begun; nil for none.
    private var requestedTransaction: Instance.AsyncID?
    private var pendingCommits = PendingCommits()
    /// Time of the first commit of the current group. The commits of a group share a sync, and none
    /// of them is durable yet.
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

    /// Writes a transaction. Called as the block of an asynchronous write.
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

    /// Commits the transaction. The commit may share its sync with the following transactions of
    /// the group, unless the group has lasted too long or the transaction is too large.
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

    /// Maximum nanoseconds from the first commit of a group to the sync that the group shares. At
    /// least 20 ms, so that syncs do not take most of the time.
    private var maximumGroupDuration: UInt64 { max(request.limits.interval, 20_000_000) }

    /// Called when the oldest pending commit has ended. If the commit is durable, counts and
    /// reports its records. Otherwise stores the error.
    private func complete(_ error: RealmError?, _ load: RecordLoad) {
        if let error {
            // After a commit has failed, no later commit becomes durable.
            pendingCommits.removeAll()
            return fail(error)
        }
        do throws(RealmError) {
            if !pendingCommits.isEmpty { try load.settle(pendingCommits.removeFirst()) }
            try completeUnchanged(load)
        } catch { fail(error) }
    }

    /// Counts and reports the records of transactions without changes, as far as all commits before
    /// them are durable.
    private func completeUnchanged(_ load: RecordLoad) throws(RealmError) {
        while let first = pendingCommits.first, first.version == nil {
            try load.settle(pendingCommits.removeFirst())
        }
    }

    // MARK: Durability

    /// Runs the blocks that the instance has scheduled on this thread, such as blocks of
    /// transactions. Waits for blocks up to `milliseconds`.
    func work(_ load: RecordLoad, _ milliseconds: Int32 = 200) throws(RealmError) {
        writer.loop.run(milliseconds: milliseconds)
        try load.report.flushAcknowledgements()
        if let failure { throw failure }
    }

    /// Advances the instance to the newest version, so that a load without input does not pin an
    /// old version.
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
        // A request that was cancelled never got the write mutex, so there is no end to wait for.
        if requestedTransaction == nil { writer.instance.waitForEndOfTurn() }
    }
}
