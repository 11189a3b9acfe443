/// A readable version: the newest, the previous one, or a version that a reader pins.
final class RemnantSide {
    let database: Database
    let snapshot: Snapshot
    /// Source of the version's objects; nil for the newest version.
    let source: Remnant.Source?
    /// Leaves of each table, in key order.
    private(set) var leaves: [TableKey: [ClusterWalk.Leaf]] = [:]
    /// Whether part of a table cannot be read.
    private(set) var hasLosses = false

    init(_ database: Database, _ source: Remnant.Source?) {
        (self.database, self.source) = (database, source)
        snapshot = database.snapshot()
    }

    /// Walks the trees of all tables as far as they can be read. Calls `body` with each node, its
    /// table, and the base to which the keys stored in the node are relative.
    func walk(_ work: SearchWork, _ body: (Ref, TableKey, UInt64) -> Void) {
        for info in snapshot.schema.tables {
            let walk = ClusterWalk(
                snapshot.lookup, wanted: [ClusterWalk.liveKeys], work)
            if !info.root.isNone { walk.run(info.root) }
            if !walk.losses.isEmpty { hasLosses = true }
            leaves[info.key] = walk.leaves
            for (ref, base) in walk.bases { body(ref, info.key, base) }
        }
    }

    /// Returns the leaf whose key range contains `key`; nil if there is none.
    func leaf(_ table: TableKey, covering key: UInt64) -> ClusterWalk.Leaf? {
        guard let leaves = leaves[table] else { return nil }
        let i = leaves.partitionPoint { $0.keys.upperBound > key }
        return i < leaves.count && leaves[i].keys.contains(key) ? leaves[i] : nil
    }

    /// Returns the leaves whose key ranges overlap `keys`.
    func leaves(_ table: TableKey, in keys: ClosedRange<UInt64>) -> ArraySlice<ClusterWalk.Leaf> {
        guard let leaves = leaves[table] else { return [] }
        let start = leaves.partitionPoint { $0.keys.upperBound > keys.lowerBound }
        let end = leaves.partitionPoint { $0.keys.lowerBound > keys.upperBound }
        return leaves[start..<max(start, end)]
    }

    func open(_ found: ClusterWalk.Leaf) -> ClusterLeaf? {
        Self.open(found.ref, base: found.base, in: snapshot)
    }

    /// Opens the leaf at `ref`, whose keys are relative to `base`, in `snapshot`, which may be another
    /// thread's. Returns nil if the leaf cannot be opened.
    static func open(_ ref: Ref, base: UInt64, in snapshot: Snapshot) -> ClusterLeaf? {
        let space = snapshot.lookup
        let node = try? space.refNode(ref, slots: ClusterLeafShape.minimumCount, "cluster")
        return node.flatMap { try? ClusterLeaf(space, ref, node: $0, base: base) }
    }
}
