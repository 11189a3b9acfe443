/// What results hold in one version, and what that depends on. Immutable and free to cross threads.
final class ResultsContent: Sendable {
    let members: Members
    let count: Int
    /// The version, or the state of an open write transaction, that this is true of.
    let state: VersionState
    /// The tables that were looked at; nil for all.
    private let sources: [TableInfo]?
    /// What the tables say of themselves tells whether they changed. In an open write transaction
    /// those it changed say no more than that.
    private let isLasting: Bool

    enum Members: Sendable {
        /// All objects of the class.
        case everything
        /// In order; ascending when nothing put them into another order.
        case keys(RowKeys, isAscending: Bool)
        /// Not more than their number is known.
        case number
    }

    /// - Parameter base: the version that an open write transaction began with.
    init(
        _ members: Members, count: Int, _ snapshot: Snapshot, base: VersionState?,
        reading sources: [TableKey]?
    ) {
        self.members = members
        self.count = count
        state = snapshot.state
        let schema = state.schema
        self.sources = sources.map { $0.compactMap { schema.table($0) } }
        let used = self.sources ?? schema.tables
        isLasting =
            snapshot.isSettled
            || base.map { (base) in
                used.allSatisfy { base.schema.table($0.key)?.isUnchanged($0) == true }
            } ?? false
    }

    private init(_ earlier: ResultsContent, in state: VersionState) {
        (members, count, self.state) = (earlier.members, earlier.count, state)
        sources = earlier.sources
        isLasting = true
    }

    /// The same for what `snapshot` shows; nil where that may have other objects.
    func following(_ snapshot: Snapshot) -> ResultsContent? {
        let now = snapshot.state
        if now === state { return self }
        guard isLasting else { return nil }
        if sources == nil, now.schema.tables.count != state.schema.tables.count { return nil }
        let isSame = (sources ?? state.schema.tables).allSatisfy { (old) in
            now.schema.table(old.key)?.isUnchanged(old) == true
        }
        return isSame ? ResultsContent(self, in: now) : nil
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

extension ResultsDefinition {
    /// What the results hold in the version `snapshot` shows; nothing when the class is gone, or the
    /// object whose collection or incoming links they are.
    ///
    /// - Parameter onlyCount: their number is enough.
    func content(
        in snapshot: Snapshot, base: VersionState? = nil, onlyCount: Bool = false
    ) throws(RealmError) -> ResultsContent {
        guard let info = snapshot.schema.table(table) else {
            return ResultsContent(
                .keys(RowKeys([]), isAscending: true), count: 0, snapshot, base: base,
                reading: nil)
        }
        snapshot.beginWalk()
        let table = snapshot.table(info)
        let query = try bound(to: table)
        let (members, count) = try members(query, table, onlyCount)
        return ResultsContent(
            members, count: count, snapshot, base: base, reading: sources(query))
    }

    /// Keys of the objects in the version `snapshot` shows.
    public func keys(in snapshot: Snapshot) throws(RealmError) -> RowKeys {
        let content = try content(in: snapshot)
        if case .keys(let keys, _) = content.members { return keys }
        guard let info = snapshot.schema.table(table) else { return RowKeys([]) }
        return RowKeys(try snapshot.table(info).keys())
    }

    private func members(
        _ query: BoundQuery?, _ table: Table, _ onlyCount: Bool
    ) throws(RealmError) -> (ResultsContent.Members, Int) {
        if isEverything { return (.everything, try table.count()) }
        if origin == .objects, let query {
            let plan = try QueryPlan(query, in: table.snapshot)
            if onlyCount { return (.number, try plan.count(in: table.snapshot)) }
            let keys = try plan.rows(in: table.snapshot).keys
            return (.keys(keys, isAscending: !query.isSorted), keys.count)
        }
        var keys = RowKeys(try linked(in: table.snapshot))
        if let query { keys = try query.rows(among: keys, in: table.snapshot) }
        return (.keys(keys, isAscending: false), keys.count)
    }

    /// The objects that a collection or the incoming links of an object lead to.
    private func linked(in snapshot: Snapshot) throws(RealmError) -> [ObjectKey] {
        switch origin {
        case .objects: return []
        case .collection(let owner, let column):
            guard let info = snapshot.schema.table(owner.table),
                let place = info.columns.firstIndex(where: { $0.key == column }),
                let row = try snapshot.table(info).row(owner.key)
            else { return [] }
            return try Self.links(of: try row.value(place), snapshot)
        case .linking(let object, let column):
            guard let info = snapshot.schema.table(object.table),
                let end = info.backlinks.first(where: {
                    $0.origin == table && $0.originColumn == column
                }), let row = try snapshot.table(info).row(object.key)
            else { return [] }
            var keys: [ObjectKey] = []
            var cursor = try row.backlinks(end)
            while let key = try cursor.next() { if !key.isUnresolved { keys.append(key) } }
            return keys
        }
    }

    private static func links(
        of value: Value, _ snapshot: Snapshot
    ) throws(RealmError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        switch value {
        case .list(let view), .set(let view):
            var cursor = snapshot.elements(of: view)
            while let element = try cursor.next() {
                if case .link(let link) = element { keys.append(link.key) }
            }
        case .dictionary(let view):
            var cursor = try snapshot.entries(of: view)
            while let (_, element) = try cursor.next() {
                if case .link(let link) = element { keys.append(link.key) }
            }
        default: break
        }
        return keys
    }

    /// The tables that what the results hold depends on; nil for all.
    private func sources(_ query: BoundQuery?) -> [TableKey]? {
        var tables: Set<TableKey> = [table]
        switch origin {
        case .objects: break
        case .collection(let owner, _): tables.insert(owner.table)
        case .linking(let object, _): tables.insert(object.table)
        }
        if let query, !query.addTables(to: &tables) { return nil }
        return Array(tables)
    }
}
