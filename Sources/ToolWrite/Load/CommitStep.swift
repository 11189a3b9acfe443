import RealmEngine

/// Strategy by which the transactions of a load begin and become durable: one after the other, or
/// grouped with shared syncs. Confined to the load's thread.
protocol CommitStep: AnyObject {
    /// Whether a transaction begins as soon as there is a record to write. Otherwise it begins when
    /// all of its records are read, so that the load does not wait for input while it has the write
    /// mutex.
    var isEager: Bool { get }
    /// Whether there are commits that are not durable yet.
    var hasPendingCommits: Bool { get }
    /// Bytes and syncs of the database so far.
    var writeStatistics: WriteSession.WriteStatistics { get }
    /// Wakes the load's thread; called by threads that have read records.
    var wake: @Sendable () -> Void { get }

    /// Calls `writeTransaction` of the load, repeatedly as long as the records of whole
    /// transactions are read.
    func perform(_ load: RecordLoad) throws(RealmError)
    /// Returns the transaction to write in.
    func begin() throws(RealmError) -> WriteTransaction
    /// Discards the changes of the transaction; `begin` then returns another one.
    func restart(_ transaction: WriteTransaction) throws(RealmError)
    /// Discards the open transaction, if there is one.
    func abandon(_ transaction: WriteTransaction?)
    /// Commits the transaction and calls `settle` of the load once the commit is durable.
    func commit(
        _ transaction: WriteTransaction, hasChanged: Bool, _ load: RecordLoad
    ) throws(RealmError)

    /// Processes completed commits, waiting for them up to `milliseconds`.
    func work(_ load: RecordLoad, _ milliseconds: Int32) throws(RealmError)
    /// Called when there is nothing to write and no input to read.
    func idle() throws(RealmError)
    /// Waits until all commits are durable.
    func finish(_ load: RecordLoad) throws(RealmError)
    func drain(_ load: RecordLoad)
}

/// Commits one transaction after the other, each durable before the next begins. The first
/// transaction may be open already.
final class DirectCommits: CommitStep {
    private let session: WriteSession
    private let request: WriteRequest

    init(_ session: WriteSession, _ request: WriteRequest) {
        self.session = session
        self.request = request
    }

    var isEager: Bool { true }
    var hasPendingCommits: Bool { false }
    var writeStatistics: WriteSession.WriteStatistics { session.writeStatistics }
    var wake: @Sendable () -> Void { {} }

    func perform(_ load: RecordLoad) throws(RealmError) { try load.writeTransaction() }

    func begin() throws(RealmError) -> WriteTransaction { try request.begin(session) }

    func restart(_ transaction: WriteTransaction) { transaction.rollback() }

    func abandon(_ transaction: WriteTransaction?) { transaction?.rollback() }

    func commit(
        _ transaction: WriteTransaction, hasChanged: Bool, _ load: RecordLoad
    ) throws(RealmError) {
        defer { transaction.rollback() }
        let version = hasChanged ? try transaction.commit() : nil
        try load.settle(load.pendingCommit(version))
        try load.report.flushAcknowledgements()
    }

    func work(_ load: RecordLoad, _ milliseconds: Int32) {}
    func idle() {}
    func finish(_ load: RecordLoad) {}
    func drain(_ load: RecordLoad) {}
}
