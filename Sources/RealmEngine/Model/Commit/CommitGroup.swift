/// Transactions that become durable together, as one version of the file.
///
/// They work with one set of editors and leave their nodes in the slab; the file is written once, by
/// `flush`, and nothing leads to any of it before, so that a crash leaves all or none. Each has its
/// own number and its own entry in the history; for others the number grows by as many at once. In
/// between this process reads each one's state from the slab, with the version the group began with
/// pinned. Guarded by the writer's turn.
final class CommitGroup {
    private unowned let session: WriteSession
    private let base: VersionState
    /// What was committed last; nil before the first.
    private var last: WriteTransaction?
    /// What the first transactions let go of; more belongs to one that was taken back.
    private var freed = 0
    private var mustReload = false
    private(set) var count = 0
    private let arena = ByteArena()
    private var changesets: [Changeset] = []
    private var knownHead: VersionState?

    init(_ session: WriteSession) {
        self.session = session
        base = session.database.newest
    }

    /// What the next transaction begins with.
    var version: UInt64 { base.version + UInt64(count) }

    /// Bytes of memory that the commits take.
    var usedBytes: Int { last.map { $0.size + arena.used } ?? 0 }

    /// The state after the last commit.
    func head() throws(RealmError) -> VersionState {
        if let knownHead { return knownHead }
        let state = try last?.state(session.slab.view) ?? base
        knownHead = state
        return state
    }

    /// What the commits after `version` changed, as far as it is in memory as a whole.
    func changesets(after version: UInt64) -> [ByteView] {
        let known = version > base.version ? Int(clamping: version - base.version) : 0
        return changesets.dropFirst(known).filter { $0.written.parts.isEmpty }.map(\.rest)
    }

    func begin() throws(RealmError) -> WriteTransaction {
        guard let last else { return try WriteTransaction(session, base: base) }
        guard mustReload else { return WriteTransaction(after: last) }
        let begun = try WriteTransaction(after: last, freed: freed)
        mustReload = false
        return begun
    }

    /// Takes in a transaction whose nodes are in the slab.
    func add(_ transaction: WriteTransaction) {
        var changes = transaction.changeset
        changes.rest = arena.copy(changes.rest)
        changesets.append(changes)
        last = transaction
        freed = transaction.context.freed.count
        count += 1
        knownHead = nil
    }

    /// A transaction of the group ended.
    func ended(isCommitted: Bool) { if !isCommitted { mustReload = true } }

    /// Puts all commits into the file as one version.
    func flush() throws(RealmError) {
        guard let last else { return }
        last.context.forgetFreed(after: freed)
        session.slab.reattach(last.memory)
        _ = try Commit(last, version: version, changesets: changesets).run()
    }
}
