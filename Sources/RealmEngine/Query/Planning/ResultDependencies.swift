/// What something found in a version depends on: it stays true in later ones as long as that is the
/// same. Free to cross threads.
struct ResultDependencies: Sendable {
    /// The version, or the state of an open write transaction.
    let state: VersionState
    /// The tables that were looked at; nil for all.
    private let tables: [TableInfo]?
    /// What the tables say of themselves tells whether they changed. In an open write transaction
    /// those it changed say no more than that.
    private let isLasting: Bool

    /// - Parameters:
    ///   - base: the version that an open write transaction began with.
    ///   - keys: the tables that were looked at; nil for all.
    init(_ snapshot: Snapshot, base: VersionState?, reading keys: [TableKey]?) {
        state = snapshot.state
        let schema = state.schema
        tables = keys.map { $0.compactMap { schema.table($0) } }
        let used = tables ?? schema.tables
        isLasting =
            snapshot.isSettled
            || base.map { (base) in
                used.allSatisfy { base.schema.table($0.key)?.isUnchanged($0) == true }
            } ?? false
    }

    private init(_ earlier: ResultDependencies, in state: VersionState) {
        self.state = state
        tables = earlier.tables
        isLasting = true
    }

    /// The same in what `snapshot` shows; nil where that may have something else.
    func following(_ snapshot: Snapshot) -> ResultDependencies? {
        let now = snapshot.state
        if now === state { return self }
        guard isLasting else { return nil }
        if tables == nil, now.schema.tables.count != state.schema.tables.count { return nil }
        let isSame = (tables ?? state.schema.tables).allSatisfy { (old) in
            now.schema.table(old.key)?.isUnchanged(old) == true
        }
        return isSame ? ResultDependencies(self, in: now) : nil
    }
}

extension TableInfo {
    /// Whether the table has the objects and properties that it had in `other`, another version, which
    /// need not be readable any more: where nodes were others may be, but the number of changes grows
    /// with each that a commit makes.
    fileprivate func isUnchanged(_ other: TableInfo) -> Bool {
        if self === other { return true }
        return contentVersion == other.contentVersion && root == other.root
            && tombstones == other.tombstones && origin == other.origin && name == other.name
            && columns.count == other.columns.count
    }
}
