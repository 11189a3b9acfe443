/// Transactions that become durable together, as one version of the file.
///
/// The transactions share one set of editors and leave their nodes in the slab. `flush` writes the
/// file once. Before that no root in the file references the nodes, so a crash loses the whole
/// group. Each transaction has its own version number and its own changeset in the history; for
/// other processes the version number increases by the number of transactions. Until `flush`, this
/// process reads the state after each transaction from the slab, and the version before the group
/// stays pinned. Guarded by the write mutex.
final class CommitGroup {
    private unowned let session: WriteSession
    private let base: VersionState
    /// The last committed transaction of the group; nil if there is none.
    private var last: WriteTransaction?
    /// Number of extents that the committed transactions of the group freed. They are the first
    /// ones in `EditContext.freed`; a transaction that was rolled back freed the later ones.
    private var freed = 0
    private var mustReload = false
    private(set) var count = 0
    private let arena = ByteArena()
    private var changesets: [Changeset] = []
    private var cachedHead: VersionState?

    init(_ session: WriteSession) {
        self.session = session
        base = session.database.newest
    }

    /// Number of the version that the next transaction starts from.
    var version: UInt64 { base.version + UInt64(count) }

    /// Memory, in bytes, that the group's transactions use.
    var usedBytes: Int { last.map { $0.size + arena.used } ?? 0 }

    /// Returns the state of the database after the last commit of this group.
    func head() throws(RealmError) -> VersionState {
        if let cachedHead { return cachedHead }
        let state = try last?.state(session.slab.view) ?? base
        cachedHead = state
        return state
    }

    /// Returns the changesets of the commits after `version`, except the ones that were partly
    /// written to the file by a spill.
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

    /// Adds a committed transaction, whose nodes are in the slab.
    func add(_ transaction: WriteTransaction) {
        var changes = transaction.changeset
        changes.rest = arena.copy(changes.rest)
        changesets.append(changes)
        last = transaction
        freed = transaction.context.freed.count
        count += 1
        cachedHead = nil
    }

    /// Records the end of a transaction. After a rollback, the next transaction discards the
    /// editors.
    func ended(isCommitted: Bool) { if !isCommitted { mustReload = true } }

    /// Writes all commits of this group to the file, as one version.
    func flush() throws(RealmError) {
        guard let last else { return }
        last.context.discardFreed(after: freed)
        session.slab.reattach(last.memory)
        _ = try Commit(last, version: version, changesets: changesets).run()
    }
}
