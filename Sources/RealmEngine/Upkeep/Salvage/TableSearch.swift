/// Finds the tables of a file whose root does not reference all of them.
///
/// If a root is readable, it determines which tables exist, and their names and slots. Searches the
/// file for the other parts, which are nodes with the shape of roots, tables and cluster nodes. If
/// no root is readable, searches for all parts. Confined to one thread; used once.
final class TableSearch {
    let space: NodeSpace
    let reader: SchemaReader
    let nodes: FoundNodes
    let work: SearchWork
    private let versions: [TableKey: [TableVersion]]
    /// For each slot of the root's list of tables, the key of the newest table that was found for
    /// it.
    private let newestKeys: [Int: TableKey]
    private let names: FoundNames
    /// Roots found in the file, newest first.
    private let roots: [FoundRoot]
    /// The root that lists the tables; nil if none is readable.
    private let root: FoundRoot?
    /// Whether the header selects `root`. If so, newer roots and tables in the file were never
    /// committed.
    private let isNewest: Bool

    /// Detects overwritten nodes. An intact node is followed by another node, by free space or by
    /// the end of the file.
    let neighbourhood: OverwriteDetector

    /// Whether the file contains tables that are newer than the root selected by the header.
    private(set) var hasNewerTables = false
    private(set) var tables: [TableInfo] = []
    var losses: [SalvageLoss] = []
    var naming = TableNaming()
    private(set) var leaves: [TableKey: FoundLeaves] = [:]

    /// Maximum number of tables that the search accepts from one source other than the root's list.
    static let most = 1 << 12

    /// - Parameters:
    ///     - ref: a readable root; `.none` if there is none.
    ///     - isNewest: whether the header selects that root.
    init(
        _ space: NodeSpace, _ mapping: Mapping, _ memory: SearchMemoryLimit, root ref: Ref,
        isNewest: Bool
    ) throws(RealmError) {
        self.space = space
        reader = SchemaReader(space: space, names: .none, tables: .none)
        nodes = try FoundNodes(space, mapping, memory)
        work = SearchWork(bytes: space.limit, memory)
        versions = TableVersion.all(space, nodes.tables)
        newestKeys = Dictionary(versions.keys.map { ($0.slot, $0) }) { $0.tag > $1.tag ? $0 : $1 }
        roots = FoundRoot.proven(space, nodes.roots)
        names = FoundNames(space, roots: roots, lists: nodes.names)
        root = FoundRoot(space, ref) ?? roots.first
        neighbourhood = OverwriteDetector(
            space, SearchWork(bytes: space.limit, memory), top: root?.top)
        self.isNewest = isNewest && root?.top.ref == ref
        if nodes.isCutShort {
            losses.append(.table(slot: -1, why: "more was found than is looked at"))
        }
        for slot in 0..<(root?.tables.count ?? 0) { addTable(slot) }
        if !self.isNewest { addOtherTables() }
        addTopless()
        try fill(mapping)
        for info in tables { leaves[info.key]?.endSearch() }
    }

    /// Number of a version that is newer than the version of `root`; nil if there is none.
    var newerVersion: UInt64? {
        roots.first.flatMap { $0.top.version > version ? $0.top.version : nil }
    }

    /// The root that lists the tables; nil if none is readable.
    var top: TopArray? { root?.top }

    /// Number of the version whose root lists the tables; 0 if no root is readable.
    var version: UInt64 { root?.top.version ?? 0 }

    // MARK: Tables

    /// Adds the table in `slot` of the root.
    private func addTable(_ slot: Int) {
        guard let root, let ref = root.tables.slot(slot).child else { return }
        let named = TableVersion(space, ref)
        let key = named?.key.slot == slot ? named?.key : newestKey(slot)
        var candidates = key.flatMap { versions[$0] } ?? []
        if let named, named.key == key {
            // If the header selects the root, newer tables that the root does not reference were
            // never committed.
            if isNewest {
                let count = candidates.count
                candidates.removeAll { $0.content > named.content }
                hasNewerTables = hasNewerTables || candidates.count < count
            }
            candidates.removeAll { $0.ref == ref }
            let place = candidates.partitionPoint { $0.content <= named.content }
            candidates.insert(named, at: place)
        }
        let isNamed = candidates.first?.ref == ref
        let name = areNamesSound ? root.name(slot) : nil
        guard add(candidates, named: name, slot: slot, newest: isNewest ? ref : nil) else {
            return losses.append(.table(slot: slot, why: why(ref, slot)))
        }
        if isNewest, !isNamed || tables.last?.top != ref {
            losses.append(
                .objects(
                    className: tables.last!.className, count: nil,
                    why: "what is newer than an earlier version of the class: \(why(ref, slot))"))
        }
    }

    /// Returns the reason why the table at `ref` cannot be read.
    private func why(_ ref: Ref, _ slot: Int) -> String {
        do throws(RealmError) {
            _ = try reader.table(ref, slot: slot, name: "")
            return "it is incomplete"
        } catch { return error.message }
    }

    /// Returns the key of the newest table that was found for a slot of the root's list of tables.
    private func newestKey(_ slot: Int) -> TableKey? {
        newestKeys[slot]
    }

    /// Whether the file may have a table for `slot`, so that a search for its columns is
    /// worthwhile. A readable root answers for the slots of its list of tables: a slot without a
    /// ref is a removed table. Later slots may have a table if the root is not the newest, or if no
    /// root is readable.
    func mayContainTable(_ slot: Int) -> Bool {
        guard let root, slot < root.tables.count else { return !isNewest }
        return root.tables.slot(slot).child != nil
    }

    /// Adds the found tables whose slots are after the end of the root's list of tables.
    private func addOtherTables() {
        let known = root?.tables.count ?? 0
        let slots = newestKeys.keys.filter { $0 >= known }.sorted()
        for slot in slots.prefix(Self.most) {
            guard let key = newestKey(slot), let candidates = versions[key] else { continue }
            _ = add(candidates, named: nil, slot: slot)
        }
    }

    /// Reads one version of a table; nil if it is unreadable or the read budget is spent.
    private func read(_ version: TableVersion, _ name: String) -> TableInfo? {
        guard let top = try? space.refNode(version.ref, slots: TableShape.minimumCount, "table"),
            let spec = try? space.refNode(
                top.slot(TableShape.spec).ref, slots: SpecShape.count, "spec"),
            let keys = try? space.integers(spec.slot(SpecShape.keys).ref, "column keys"),
            work.spend(8 * keys.count)
        else { return nil }
        return try? reader.table(version.ref, slot: version.key.slot, name: name)
    }

    /// Adds a table whose top node is lost, and that was identified by its columns.
    func add(_ info: TableInfo) {
        tables.append(info)
        tables.order { $0.key.slot < $1.key.slot }
        leaves[info.key] = FoundLeaves(space, info, work)
    }

    /// Whether the root's list of table names looks intact; false without a root.
    private var areNamesSound: Bool {
        root.map { neighbourhood.isPlausible($0.top.names) } ?? false
    }

    /// Adds a table in its first readable version. `candidates` are the versions of the table,
    /// newest first. Returns false if none is readable.
    ///
    /// - Parameter newest: ref of the newest version; nil if it is unknown.
    private func add(
        _ candidates: [TableVersion], named name: String?, slot: Int, newest: Ref? = nil
    ) -> Bool {
        for version in candidates {
            guard let info = read(version, "") else { continue }
            let known = name.flatMap { $0.isEmpty ? nil : $0 } ?? self.name(of: version.key)
            let name = naming.name(known, slot: slot)
            let named = info.named(name)
            tables.append(named)
            let isOlder = newest.map { $0 != version.ref } ?? false
            leaves[info.key] = FoundLeaves(
                space, named, work, neighbourhood, isOlder ? .older : .version)
            return true
        }
        return false
    }

    /// Returns the name that a found root, or a list of table names without a root, stores for the
    /// table with `key`.
    func name(of key: TableKey) -> String? { names.name(of: key) }

    // MARK: Objects

    /// Searches for leaves with the keys that a table's own tree lacks. Searches other versions of
    /// each table.
    private func fill(_ mapping: Mapping) throws(RealmError) {
        for info in tables where !isNewest {
            leaves[info.key]?.open(from: Self.firstKey(info))
        }
        guard leaves.values.contains(where: \.hasGaps) else { return }
        let claims = NodeClaims(space, work)
        for info in tables { leaves[info.key]?.claim(claims) }
        for info in tables { fill(info, claims) }
        let wanted = tables.filter {
            $0.primaryKey != nil && $0.kind == .topLevel && leaves[$0.key]!.hasGaps
        }
        guard !wanted.isEmpty else { return }
        let orphans = OrphanLeaves(space, claims, work, owners: owners)
        for (key, refs) in try orphans.find(Set(wanted.map(\.key)), mapping) {
            leaves[key]?.append(keyless: refs)
        }
    }

    /// All tables to which leaves may belong: present tables and removed ones.
    private var owners: [TableInfo] {
        let present = Set(tables.map(\.key))
        let past = versions.values.compactMap(\.first).filter { !present.contains($0.key) }
        return tables
            + past.prefix(Self.most).compactMap {
                read($0, "")
            }
    }

    private func fill(_ info: TableInfo, _ claims: NodeClaims) {
        guard var found = leaves[info.key], found.hasGaps else { return }
        for version in versions[info.key] ?? [] where version.root != info.root {
            guard found.hasGaps, hasSameColumns(version, info) else { continue }
            found.fill(from: version.root, version.isNewer(than: info) ? .unnamed : .older, claims)
        }
        var isGrowing = true
        // A node's base is computed from the base of a child, so each pass finds the bases of nodes
        // one level higher.
        for _ in 0..<ClusterTree.maximumDepth where isGrowing && found.hasGaps {
            isGrowing = false
            for ref in nodes.inner where found.hasGaps {
                guard let base = found.base(of: ref) else { continue }
                found.fill(from: ref, base: base, .unnamed, claims)
                isGrowing = true
            }
        }
        leaves[info.key] = found
    }

    /// Whether a version of a table has the same columns as `info`. Leaves with other columns
    /// cannot be used.
    private func hasSameColumns(_ version: TableVersion, _ info: TableInfo) -> Bool {
        guard let other = read(version, info.name) else { return false }
        return other.columns.map(\.key) == info.columns.map(\.key)
            && other.backlinks.map(\.key) == info.backlinks.map(\.key)
    }

    /// Returns the key that the next created object would get. It is the sequence number; if there
    /// is no primary key, the bits of the number are rearranged (object format 1.12).
    private static func firstKey(_ info: TableInfo) -> UInt64 {
        let number = info.nextSequenceNumber
        if info.primaryKey != nil { return number }
        return number < 1 << 48 ? (number & 0xFF) | (number & ~0xFF) << 8 : .max
    }
}

extension TableVersion {
    fileprivate func isNewer(than info: TableInfo) -> Bool { content > info.contentVersion }
}
