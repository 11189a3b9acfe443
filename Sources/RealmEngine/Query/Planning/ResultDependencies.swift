/// Tables and version that a cached result depends on: it remains valid in later versions while
/// these tables are unchanged. Safe to use from any thread.
struct ResultDependencies: Sendable {
    /// The version in which the result was computed, or the state of an open write transaction.
    let state: VersionState
    /// The tables that were read; nil if the result may depend on any table.
    private let tables: [TableInfo]?
    /// Whether a later version can be compared with this one to show that the tables are unchanged.
    /// False in an open write transaction that changed one of the tables.
    private let isLasting: Bool

    /// Records on which tables a result depends that was computed in `snapshot`.
    ///
    /// - Parameters:
    ///     - base: the version in which an open write transaction began.
    ///     - keys: the tables that the computation read; nil for all tables.
    init(_ snapshot: Snapshot, base: VersionState?, reading keys: [TableKey]?) {
        state = snapshot.state
        let schema = state.schema
        tables = keys.map { $0.compactMap { schema.table($0) } }
        let used = tables ?? schema.tables
        isLasting =
            snapshot.isStored
            || base.map { (base) in
                used.allSatisfy { base.schema.table($0.key)?.isUnchanged($0) == true }
            } ?? false
    }

    private init(_ earlier: ResultDependencies, in state: VersionState) {
        self.state = state
        tables = earlier.tables
        isLasting = true
    }

    /// Returns these dependencies with the version of `snapshot`, if no table has changed since;
    /// nil if a table may have changed.
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
    /// Whether the table has the same objects and properties as `other`, which is the table in
    /// another version. Compares the content versions of both: each commit that changes a table
    /// increments its content version. Does not read the nodes of `other`, because later commits
    /// may have overwritten them.
    fileprivate func isUnchanged(_ other: TableInfo) -> Bool {
        if self === other { return true }
        return contentVersion == other.contentVersion && root == other.root
            && tombstones == other.tombstones && origin == other.origin && name == other.name
            && columns.count == other.columns.count
    }
}
