/// Content of results in one version: the objects, or only their number. Immutable and safe to use
/// from any thread.
final class ResultsContent: Sendable {
    let members: Members
    let count: Int
    /// The tables that were read, and their version. The content is outdated when one of these
    /// tables changes.
    let basis: ResultDependencies

    enum Members: Sendable {
        /// All objects of the class match.
        case everything
        /// Keys of the matching objects in order; `isAscending` if they are in table order.
        case keys(RowKeys, isAscending: Bool)
        /// Only the number of objects was computed; their keys are unknown.
        case number
    }

    init(_ members: Members, count: Int, _ basis: ResultDependencies) {
        (self.members, self.count, self.basis) = (members, count, basis)
    }

    /// Returns this content with the version of `snapshot`, to be used instead of evaluating again;
    /// nil if the objects may have changed since.
    func following(_ snapshot: Snapshot) -> ResultsContent? {
        if basis.state === snapshot.state { return self }
        return basis.following(snapshot).map { ResultsContent(members, count: count, $0) }
    }

    /// Whether the content includes the object keys. False if only the number of objects was
    /// computed.
    var isEnumerated: Bool {
        if case .number = members { return false }
        return true
    }
}

extension ResultsDefinition {
    /// Evaluates the results in the version of `snapshot`. Empty if the class does not exist, or
    /// the object with the collection or backlinks does not exist.
    ///
    /// - Parameters:
    ///     - onlyCount: whether the number of objects is sufficient.
    ///     - bound: all queries combined, if the caller has already bound them to that version.
    func content(
        in snapshot: Snapshot, base: VersionState? = nil, onlyCount: Bool = false,
        bound: BoundQuery? = nil
    ) throws(RealmError) -> ResultsContent {
        guard let info = snapshot.schema.table(table) else {
            return ResultsContent(
                .keys(RowKeys([]), isAscending: true), count: 0,
                ResultDependencies(snapshot, base: base, reading: nil))
        }
        snapshot.beginWalk()
        let table = snapshot.table(info)
        let query: BoundQuery? = if let bound { bound } else { try self.bound(to: table) }
        let (members, count) = try members(query, table, onlyCount)
        return ResultsContent(
            members, count: count,
            ResultDependencies(snapshot, base: base, reading: sources(query)))
    }

    /// Returns the results' content, made from the keys of the matching objects in the version of
    /// `snapshot`. Nil if the content is every object of the class, or if the class does not exist.
    func content(of keys: [ObjectKey], in snapshot: Snapshot) throws(RealmError) -> ResultsContent?
    {
        guard !isEverything, let info = snapshot.schema.table(table) else { return nil }
        let query = try bound(to: snapshot.table(info))
        return ResultsContent(
            .keys(RowKeys(keys), isAscending: isInTableOrder(query)),
            count: keys.count, ResultDependencies(snapshot, base: nil, reading: sources(query)))
    }

    /// Returns the keys of the objects in the version of `snapshot`.
    func keys(in snapshot: Snapshot) throws(RealmError) -> RowKeys {
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
            return (.keys(keys, isAscending: isInTableOrder(query)), keys.count)
        }
        var keys = RowKeys(try linked(in: table.snapshot))
        if let query { keys = try query.rows(among: keys, in: table.snapshot) }
        return (.keys(keys, isAscending: isInTableOrder(query)), keys.count)
    }

    private func isInTableOrder(_ query: BoundQuery?) -> Bool {
        origin == .objects && query?.isSorted != true
    }

    /// Returns the objects that a collection references, or the objects that link to an object.
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

    /// Returns the tables whose changes can change the results; nil if these may be any tables.
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
