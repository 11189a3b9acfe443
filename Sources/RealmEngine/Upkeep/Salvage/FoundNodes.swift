/// Nodes of a file recognized by their shape; their parents are unknown.
struct FoundNodes {
    private(set) var roots: [Ref] = []
    private(set) var tables: [Ref] = []
    private(set) var specs: [Ref] = []
    private(set) var inner: [Ref] = []
    private(set) var names: [Ref] = []
    /// Nodes with the shape of a cluster leaf that no version uses; filled only on request.
    private(set) var leaves: [Ref] = []
    /// Maximum number of nodes per kind: a file of 100 million objects has 2000 inner nodes,
    /// possibly in several versions.
    private let most: Int

    /// Whether some kind has reached the maximum, so that nodes may be missing.
    var isCutShort: Bool {
        [roots, tables, specs, inner, names, leaves].contains { $0.count == most }
    }

    /// Maximum number of slots of an examined node.
    private static let mostSlots = 1 << 12

    /// Searches everything that `space` reads.
    ///
    /// - Parameter used: nodes of the versions that can be read, which are passed over. Cluster leaves
    ///   among all other nodes are searched for, too; nil to look at all nodes and to leave leaves out.
    init(
        _ space: NodeSpace, _ mapping: Mapping, _ memory: SearchMemory,
        leavesOutside used: NodeClaims? = nil
    ) throws(RealmError) {
        most = memory.mostOfAShape
        try NodeScan(mapping, limit: space.limit, outside: used).run {
            (ref, flags, count) throws(RealmError) in
            switch flags & (NodeView.formMask | NodeView.contextFlag) {
            case NodeView.hasRefsFlag, NodeView.hasRefsFlag | NodeView.innerFlag:
                guard 2...Self.mostSlots ~= count, let node = try? space.node(ref) else { return }
                if count > 2 { add(ref, node) }
                if used != nil, !node.isInner, node.isLikeLeaf(in: space) {
                    Self.keep(ref, in: &leaves, most)
                }
            case 0x08 where flags & 7 > 3 && count < 1 << 16:
                guard let node = try? space.node(ref) else { return }
                if node.looksLikeTableNames { Self.keep(ref, in: &names, most) }
            default: return
            }
        }
    }

    private mutating func add(_ ref: Ref, _ node: NodeView) {
        if node.isInner {
            if node.looksLikeInnerCluster { Self.keep(ref, in: &inner, most) }
        } else if node.looksLikeTable {
            Self.keep(ref, in: &tables, most)
        } else if node.looksLikeSpec {
            Self.keep(ref, in: &specs, most)
        } else if TopArray.isLike(node) {
            Self.keep(ref, in: &roots, most)
        }
    }

    private static func keep(_ ref: Ref, in refs: inout [Ref], _ most: Int) {
        if refs.count < most { refs.append(ref) }
    }
}
