import RealmEngine

/// Strategy of a load for beginning and committing transactions. `DirectCommits` commits one after
/// the other, `GroupedCommits` in groups that share a sync. Confined to the load's thread.
protocol CommitStep: AnyObject {
    /// Whether a transaction begins as soon as there is a record to write. Otherwise it begins only
    /// when all of its records are read, so that the load never waits for input while it holds the
    /// write mutex.
    var isEager: Bool { get }
    /// Whether there are commits that are not durable yet.
    var hasPendingCommits: Bool { get }
    /// Number of bytes and syncs that the commits have caused so far.
    var writeStatistics: WriteSession.WriteStatistics { get }
    /// Wakes the load's thread. Called by the threads of `RecordFeed` after they have read records.
    var wake: @Sendable () -> Void { get }

    /// Calls `writeTransaction` of the load. Repeats the call as long as all records of the next
    /// transaction have been read.
    func perform(_ load: RecordLoad) throws(RealmError)
    /// Returns the transaction to write in.
    func begin() throws(RealmError) -> WriteTransaction
    /// Discards the changes of the transaction. `begin` then returns a new transaction.
    func restart(_ transaction: WriteTransaction) throws(RealmError)
    /// Discards the open transaction, if there is one.
    func abandon(_ transaction: WriteTransaction?)
    /// Commits the transaction. When the commit is durable, calls `RecordLoad.settle`, which counts
    /// and reports the records.
    func commit(
        _ transaction: WriteTransaction, hasChanged: Bool, _ load: RecordLoad
    ) throws(RealmError)

    /// Counts and reports the records of commits that have become durable. Waits for such commits
    /// up to `milliseconds`.
    func work(_ load: RecordLoad, _ milliseconds: Int32) throws(RealmError)
    /// Called when there is nothing to write and no input to read.
    func idle() throws(RealmError)
    /// Waits until all commits are durable.
    func finish(_ load: RecordLoad) throws(RealmError)
    func drain(_ load: RecordLoad)
}

/// Commits one transaction after the other. Each is durable before the next begins. An open
/// transaction may be given as the first one.
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
