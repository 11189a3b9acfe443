/// Nodes of a file that were recognised by their first slots (`NodeShape.swift`). Which nodes refer
/// to them is unknown.
struct FoundNodes {
    private(set) var roots: [Ref] = []
    private(set) var tables: [Ref] = []
    private(set) var specs: [Ref] = []
    private(set) var inner: [Ref] = []
    private(set) var names: [Ref] = []
    /// Nodes with the shape of a cluster leaf that no version uses; filled only on request.
    private(set) var leaves: [Ref] = []
    /// Maximum number of nodes in each of the arrays `roots`, `tables`, `specs`, `inner`, `names`
    /// and `leaves`. Intact files have far fewer: 100 million objects need 2000 inner nodes in each
    /// version.
    private let maximumSize: Int

    /// Whether the maximum number of nodes of some kind was reached, so that nodes may be missing.
    var isCutShort: Bool {
        [roots, tables, specs, inner, names, leaves].contains { $0.count == maximumSize }
    }

    /// Maximum number of slots of a node that is examined. No root, table, spec, inner node or
    /// cluster leaf has more.
    private static let maximumSlotCount = 1 << 12

    /// Searches all bytes that `space` can read.
    ///
    /// - Parameter used: nodes of the readable versions. They are skipped, and all other nodes are
    ///   also searched for cluster leaves. If nil, all nodes are examined and no cluster leaves are
    ///   collected.
    init(
        _ space: NodeSpace, _ mapping: Mapping, _ memory: SearchMemoryLimit,
        leavesOutside used: NodeClaims? = nil
    ) throws(RealmError) {
        maximumSize = memory.maximumNodesPerShape
        try NodeScan(mapping, limit: space.limit, outside: used).run {
            (ref, flags, count) throws(RealmError) in
            switch flags & (NodeView.formMask | NodeView.contextFlag) {
            case NodeView.hasRefsFlag, NodeView.hasRefsFlag | NodeView.innerFlag:
                guard 2...Self.maximumSlotCount ~= count, let node = try? space.node(ref) else {
                    return
                }
                if count > 2 { add(ref, node) }
                if used != nil, !node.isInner, node.isLikeLeaf(in: space) {
                    Self.insert(ref, in: &leaves, maximumSize)
                }
            case NodeView.bytesFlag where flags & 7 > 3 && count < 1 << 16:
                guard let node = try? space.node(ref) else { return }
                if node.looksLikeTableNames { Self.insert(ref, in: &names, maximumSize) }
            default: return
            }
        }
    }

    private mutating func add(_ ref: Ref, _ node: NodeView) {
        if node.isInner {
            if node.looksLikeInnerCluster { Self.insert(ref, in: &inner, maximumSize) }
        } else if node.looksLikeTable {
            Self.insert(ref, in: &tables, maximumSize)
        } else if node.looksLikeSpec {
            Self.insert(ref, in: &specs, maximumSize)
        } else if TopArray.isLike(node) {
            Self.insert(ref, in: &roots, maximumSize)
        }
    }

    private static func insert(_ ref: Ref, in refs: inout [Ref], _ maximumSize: Int) {
        if refs.count < maximumSize { refs.append(ref) }
    }
}
