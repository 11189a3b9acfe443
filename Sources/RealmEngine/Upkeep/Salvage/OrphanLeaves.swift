/// Leaves that no node references, in tables with a primary key. The keys of their objects were in
/// the lost nodes above the leaves, so the objects are identified by their primary keys and get new
/// object keys.
///
/// A leaf is assigned to a table if all of the following are true: it has exactly one slot per
/// column of the table, each column has the right form and one value per object, no other tree in
/// the file owns any of its nodes, and no other table, present or past, would match. Links to its
/// objects contain the lost keys and are therefore lost.
struct OrphanLeaves {
    private let space: NodeSpace
    private let claims: NodeClaims
    private let work: SearchWork
    /// Tables that may own a leaf, by the number of slots of the table's cluster leaves.
    private var owners: [Int: [TableInfo]] = [:]

    init(
        _ space: NodeSpace, _ claims: NodeClaims, _ work: SearchWork, owners: [TableInfo]
    ) {
        (self.space, self.claims, self.work) = (space, claims, work)
        self.owners = Dictionary(grouping: owners, by: \.leafSlots)
    }

    /// Returns the leaves of the `wanted` tables. Later leaves in the file come first, because they
    /// are usually newer.
    func find(
        _ wanted: Set<TableKey>, _ mapping: Mapping
    ) throws(RealmError) -> [TableKey: [Ref]] {
        var found: [TableKey: [Ref]] = [:]
        for ref in try candidates(wanted, mapping).reversed() {
            guard !claims.isTaken(ref),
                let node = try? space.refNode(ref, slots: ClusterLeafShape.minimumCount, "cluster"),
                let leaf = try? ClusterLeaf(space, ref, node: node, base: 0)
            else { continue }
            let owners = owners[node.count, default: []]
            guard work.spend(owners.count * node.count) else { return found }
            let fitting = owners.filter { leaf.fits($0) }
            // If the columns of several tables have this form, it is unknown which of the tables
            // owns the leaf.
            guard fitting.count == 1, wanted.contains(fitting[0].key), claims.take(ref) else {
                continue
            }
            found[fitting[0].key, default: []].append(ref)
        }
        return found
    }

    private func candidates(
        _ wanted: Set<TableKey>, _ mapping: Mapping
    ) throws(RealmError) -> [Ref] {
        let counts = Set(owners.filter { $0.value.contains { wanted.contains($0.key) } }.keys)
        var refs: [Ref] = []
        try NodeScan(mapping, limit: space.limit).run { (ref, flags, count) throws(RealmError) in
            guard counts.contains(count), refs.count < work.memory.maximumNodesPerShape,
                flags & (NodeView.formMask | NodeView.contextFlag) == NodeView.hasRefsFlag,
                work.spend(count), !claims.isTaken(ref), let node = try? space.node(ref),
                node.looksLikeLeaf(of: [])
            else { return }
            refs.append(ref)
        }
        return refs
    }
}

extension TableInfo {
    /// Number of slots of a cluster leaf.
    var leafSlots: Int {
        (columns.map(\.leafIndex) + backlinks.map(\.leafIndex)).reduce(0) { max($0, $1 + 2) }
    }
}

extension ClusterLeaf {
    /// Whether the leaf has exactly the columns of `info`, each in the right form and with one
    /// value per object.
    func fits(_ info: TableInfo) -> Bool {
        do throws(RealmError) {
            try checkOrder()
            for item in info.columns { _ = try column(item.leafIndex, item.layout) }
            for backlink in info.backlinks {
                let cells = try BacklinkLeaf(space, columnRef(backlink.leafIndex))
                if cells.count != count { return false }
            }
            return count > 0 && key(count - 1).raw >= 0
        } catch { return false }
    }
}
