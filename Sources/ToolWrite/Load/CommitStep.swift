import RealmEngine

/// How the transactions of a load get their turn, and become durable: all that differs between one
/// transaction after the other and many that share their syncs. Confined to the load's thread.
protocol CommitStep: AnyObject {
    /// A transaction begins when there is anything to write; otherwise when all of it is at hand, so
    /// that nobody waits for input with the writer's turn.
    var isEager: Bool { get }
    /// Commits that are not durable yet.
    var hasUnsettled: Bool { get }
    /// Of the files written.
    var traffic: WriteSession.Traffic { get }
    /// Called by threads that have read something.
    var wake: @Sendable () -> Void { get }

    /// Has `writeTransaction` of the load called in a turn to write, as often as whole transactions are
    /// at hand.
    func perform(_ load: RecordLoad) throws(RealmError)
    /// The transaction of the turn.
    func begin() throws(RealmError) -> WriteTransaction
    /// Forgets what the transaction has written; `begin` gives another one for the same turn.
    func restart(_ transaction: WriteTransaction) throws(RealmError)
    /// Forgets the open transaction, if there is one.
    func abandon(_ transaction: WriteTransaction?)
    /// Commits what is written so far; the load is told once it is durable.
    func commit(
        _ transaction: WriteTransaction, hasChanged: Bool, _ load: RecordLoad
    ) throws(RealmError)

    /// Lets commits become durable, for up to so long.
    func work(_ load: RecordLoad, _ milliseconds: Int32) throws(RealmError)
    /// Nothing is left to write, or to be read.
    func idle() throws(RealmError)
    /// Returns when all commits are durable. After an error those that can be.
    func finish(_ load: RecordLoad) throws(RealmError)
    func drain(_ load: RecordLoad)
}

/// Each transaction is durable before the next begins; the only one may be open already.
final class DirectCommits: CommitStep {
    private let session: WriteSession
    private let request: WriteRequest

    init(_ session: WriteSession, _ request: WriteRequest) {
        self.session = session
        self.request = request
    }

    var isEager: Bool { true }
    var hasUnsettled: Bool { false }
    var traffic: WriteSession.Traffic { session.traffic }
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
        try load.settle(load.settlement(version))
        try load.report.flushAcknowledgements()
    }

    func work(_ load: RecordLoad, _ milliseconds: Int32) {}
    func idle() {}
    func finish(_ load: RecordLoad) {}
    func drain(_ load: RecordLoad) {}
}
