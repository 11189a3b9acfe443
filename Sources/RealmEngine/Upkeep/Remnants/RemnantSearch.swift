/// Searches a file for old leaves: cluster leaves with objects that the newest version does not
/// have.
///
/// The readable versions determine which bytes are in use. All other bytes are searched for nodes
/// that have the form of cluster leaves. Tables, roots and inner nodes among these bytes show to
/// which class a leaf belongs and which keys its objects have. A column is only used if no other
/// node can have been written over it. Confined to one thread; used once.
final class RemnantSearch {
    let newest: RemnantSide
    /// All readable versions, newest first.
    let sides: [RemnantSide]
    /// Read context for the whole file, not only for the newest version.
    let context: ReadContext
    let work: SearchWork
    let memory: SearchMemoryLimit
    /// The nodes of all readable versions.
    let live: NodeClaims
    private(set) var subjects: [RemnantSubject] = []
    var leaves: [RemnantLeaf] = []
    /// Whether parts of the file were not searched because of the memory limit.
    var isCutShort: Bool { wasCut || memory.isReached }
    private var wasCut = false
    /// Whether the read budget was spent, so that objects were left out. Nodes of the file then
    /// overlap, or more objects share nodes than in an intact file.
    var isExhausted: Bool { walks.isExhausted || work.isExhausted }
    var walks: RemnantWalkBudget
    /// Tables, with bases, to which each node of a cluster tree may belong. The key is the ref of
    /// the node.
    var places: [Ref: [NodeOwner]] = [:]
    /// Column nodes that a leaf of `candidates` shares with a leaf of a readable version, by ref.
    /// The value is the index in `liveOwners` of the readable version's leaf; `unknownOwner` until
    /// that leaf is found.
    var liveColumns: [Ref: Int32] = [:]
    /// Tables and bases of those leaves of readable versions that share columns with leaves in
    /// `candidates`.
    private(set) var liveOwners: [NodeOwner] = []
    private(set) var innerNodes: [Ref] = []
    private(set) var candidates: [Ref] = []
    private(set) var roots: [FoundRoot] = []
    private(set) var freeChunks: [Extent] = []
    /// For each class, the object that finds its objects by primary key; made when it is first
    /// needed.
    var keysOfSubjects: [TableKey: PrimaryKeyTable] = [:]
    let keyDigest: ContentDigest

    /// Table to which a node of a cluster tree belongs, and base of the node: an object's key is
    /// the base plus the key stored in the node.
    struct NodeOwner: Hashable {
        let table: TableKey
        let base: UInt64
        /// Index in `RemnantSubject.layouts` of the layout that all leaves below the node have. It
        /// follows from the table whose tree contains the node; nil if that table was not found.
        /// When a table's columns change, all its leaves are written again.
        var layout: Int?
    }

    var space: NodeSpace { context.lookup }

    init(
        _ sides: [RemnantSide], _ memory: SearchMemoryLimit
    ) throws(RealmError) {
        newest = sides[0]
        keyDigest = ContentDigest(sides[0].snapshot, links: .stored)
        self.sides = sides
        self.memory = memory
        let file = newest.database.file
        let size = UInt64(try file.extendToEnd()) & ~7
        context = ReadContext(file.mapping, limit: size)
        work = SearchWork(bytes: size, memory, releasing: file.mapping)
        walks = RemnantWalkBudget(bytes: size)
        live = NodeClaims(
            context.lookup, SearchWork(bytes: size, memory, releasing: file.mapping))
        for side in sides {
            if let top = side.snapshot.state.top { _ = live.take(top.ref) }
            side.walk(work) { [self] (ref, table, base) in
                places[ref, default: []].append(NodeOwner(table: table, base: base))
            }
        }
        if let top = newest.snapshot.state.top {
            let chunks = (try? FreeSpace.chunks(space, top)) ?? []
            freeChunks = chunks.map { Extent(start: $0.start, count: $0.count) }
                .ordered { $0.start < $1.start }
        }
        let hasLegacy = sides.contains { $0.snapshot.state.legacy != nil }
        if hasLegacy {
            subjects = Self.subjects(sides, orphans: [], [])
        } else {
            try search(file.mapping)
        }
    }

    private func search(_ mapping: Mapping) throws(RealmError) {
        let found = try FoundNodes(space, mapping, memory, leavesOutside: live)
        wasCut = found.isCutShort
        innerNodes = found.inner.filter { !live.isTaken($0) }
        candidates = found.leaves
        roots = FoundRoot.proven(space, found.roots)
        let names = FoundNames(space, roots: roots, lists: found.names)
        let reader = SchemaReader(space: space, names: .none, tables: .none)
        var orphans: [TableInfo] = []
        var older: [TableInfo] = []
        var infos: [Ref: TableInfo] = [:]
        for (key, versions) in TableVersion.all(space, found.tables) {
            for version in versions where !live.isTaken(version.ref) {
                let name = newest.snapshot.schema.table(key)?.name ?? names.name(of: key) ?? ""
                guard work.spend(64),
                    let info = try? reader.table(version.ref, slot: key.slot, name: name)
                else { continue }
                infos[version.ref] = info
                if newest.snapshot.schema.table(key) == nil {
                    orphans.append(info)
                } else {
                    older.append(info)
                }
            }
        }
        subjects = Self.subjects(sides, orphans: orphans, older)
        placeNodes(found.tables, infos)
        collectColumns()
        findLeaves()
        try checkClaims()
        (places, liveColumns, liveOwners) = ([:], [:], [])
        (innerNodes, candidates) = ([], [])
    }

    private static func subjects(
        _ sides: [RemnantSide], orphans: [TableInfo], _ older: [TableInfo]
    ) -> [RemnantSubject] {
        let newest = sides[0].snapshot.schema
        var subjects = newest.tables.map { RemnantSubject($0, isOrphan: false) }
        var positions = Dictionary(
            uniqueKeysWithValues: subjects.indices.map { (subjects[$0].info.key, $0) })
        let others = sides.dropFirst().flatMap { $0.snapshot.schema.tables } + older + orphans
        for info in others {
            if let i = positions[info.key] {
                subjects[i].add(info)
            } else if !info.name.isEmpty {
                positions[info.key] = subjects.count
                subjects.append(RemnantSubject(info.withoutObjects(), isOrphan: true))
            }
        }
        return subjects
    }

    /// Number of bytes that no readable version uses.
    var unusedBytes: UInt64 {
        var (total, at): (UInt64, UInt64) = (0, RawHeader.end)
        // The footer of a streamed file follows its nodes.
        let isStreaming = newest.database.header.isStreaming
        let limit = isStreaming ? newest.snapshot.state.limit : space.limit
        while let start = live.first(taken: false, from: at, before: limit) {
            let end = live.first(taken: true, from: start, before: limit) ?? limit
            total += end - start
            at = end
        }
        return total
    }

    /// Records that the memory limit was too small to search all parts.
    func noteCut() { wasCut = true }

    /// Whether the newest version's free list contains the bytes at `ref`.
    func isListed(_ ref: Ref) -> Bool { freeChunks.extent(with: ref.raw) != nil }
}

// MARK: - Keys

extension RemnantSearch {
    /// Records the owners of all nodes in the trees of `tables`, down to their leaves.
    private func placeNodes(_ tables: [Ref], _ infos: [Ref: TableInfo]) {
        for ref in tables where !live.isTaken(ref) {
            guard let version = TableVersion(space, ref) else { continue }
            let subject = subjects.first { $0.info.key == version.key }
            let layout = infos[ref].flatMap { subject?.layout(of: $0) }
            place(version.root, NodeOwner(table: version.key, base: 0, layout: layout))
        }
        // The owner of an inner node may follow from its children, so repeat this once per level.
        for _ in 0..<ClusterTree.maximumDepth {
            var isGrowing = false
            for ref in innerNodes where places[ref] == nil {
                guard let found = ownerOfChildren(ref) else { continue }
                place(ref, found)
                isGrowing = true
            }
            if !isGrowing { return }
        }
    }

    /// Records the table and base of the node at `root` and of the nodes below it. Skips nodes of
    /// readable versions.
    private func place(_ root: Ref, _ rootOwner: NodeOwner) {
        var open = [(root, rootOwner, ClusterTree.maximumDepth + 1)]
        while let (ref, place, depth) = open.popLast() {
            guard !live.isTaken(ref), work.spend(0), memory.reserveNode(),
                !(places[ref]?.contains(place) ?? false),
                let node = try? space.treeNode(
                    ref, slots: ClusterLeafShape.minimumCount, "cluster"), node.hasSignature
            else { continue }
            guard node.isInner else {
                places[ref, default: []].append(place)
                continue
            }
            guard let inner = try? InnerCluster(space, ref, node: node, base: place.base),
                inner.depth < depth, work.spend(node.count)
            else { continue }
            places[ref, default: []].append(place)
            for i in 0..<inner.childCount {
                guard let child = node.slot(InnerClusterShape.child(i)).child else { continue }
                let base = place.base &+ inner.offset(i)
                let below = NodeOwner(table: place.table, base: base, layout: place.layout)
                open.append((child, below, inner.depth))
            }
        }
    }

    /// Returns the table and base of an inner node, computed from the tables and bases of its
    /// children. Nil if the results for two children differ, or no child has exactly one known
    /// table and base.
    private func ownerOfChildren(_ ref: Ref) -> NodeOwner? {
        guard let node = try? space.treeNode(ref, slots: InnerClusterShape.minimumCount, "cluster"),
            node.isInner,
            node.hasSignature, let inner = try? InnerCluster(space, ref, node: node, base: 0),
            work.spend(inner.childCount)
        else { return nil }
        var place: NodeOwner?
        for i in 0..<inner.childCount {
            guard let child = node.slot(InnerClusterShape.child(i)).child,
                let known = places[child], let first = known.first,
                known.allSatisfy({ $0.table == first.table && $0.base == first.base })
            else { continue }
            let offset = inner.offset(i)
            guard first.base >= offset else { return nil }
            let own = NodeOwner(table: first.table, base: first.base - offset)
            guard place == nil || place == own else { return nil }
            place = own
        }
        return place
    }

    /// Finds the leaves of readable versions that share columns with leaves in `candidates`.
    /// Records their tables and bases in `liveOwners`, and the index there in `liveColumns`. Leaves
    /// that share a column have the same keys, so the leaf in `candidates` has the same table and
    /// base.
    private func collectColumns() {
        addSharedColumns()
        guard !liveColumns.isEmpty else { return }
        for side in sides {
            for info in side.snapshot.schema.tables {
                for found in side.leaves[info.key] ?? [] {
                    guard let leaf = side.open(found) else { continue }
                    let owner = Int32(liveOwners.count)
                    var isShared = false
                    for column in info.columns {
                        guard let ref = try? leaf.columnRef(column.leafIndex),
                            let i = liveColumns.index(forKey: ref)
                        else { continue }
                        liveColumns.values[i] = owner
                        isShared = true
                    }
                    if isShared { liveOwners.append(NodeOwner(table: info.key, base: found.base)) }
                }
            }
        }
    }

    /// Adds to `liveColumns` the columns that leaves in `candidates` share with readable versions,
    /// with the value `unknownOwner`.
    private func addSharedColumns() {
        let most = memory.maximumKeyCount
        for ref in candidates {
            guard let node = try? space.node(ref), work.spend(node.count) else { continue }
            for slot in 1..<node.count {
                guard let child = node.slot(slot).child, live.isTaken(child) else { continue }
                guard liveColumns.count < most else {
                    wasCut = true
                    return
                }
                liveColumns[child] = Self.unknownOwner
            }
        }
    }

    /// Value in `liveColumns` of a column for which no leaf of a readable version was found yet.
    static let unknownOwner: Int32 = -1
}
