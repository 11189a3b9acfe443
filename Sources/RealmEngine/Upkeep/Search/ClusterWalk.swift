/// Walks the readable part of a possibly damaged cluster tree, for given ranges of object keys.
///
/// The possible keys of a leaf follow from the key offsets in the nodes above it. They are thus
/// known even if the leaves next to it cannot be read. Used once.
final class ClusterWalk {
    /// A leaf and the range of object keys it may contain.
    struct Leaf {
        let ref: Ref
        let base: UInt64
        var keys: Range<UInt64>
    }

    /// Children of one inner node that could not be read, with all nodes below them.
    struct Loss {
        var keys: [Range<UInt64>]
        /// Number of objects in the unreadable branches; nil if unknown.
        let count: Int?
        let why: String
    }

    /// Range of the keys of live objects.
    static let liveKeys: Range<UInt64> = 0..<1 << 63

    private let space: NodeSpace
    /// Ranges of keys to visit, ascending.
    private let wanted: [Range<UInt64>]
    private let work: SearchWork
    /// Detects overwritten nodes; nil to accept all nodes.
    private let neighbourhood: OverwriteDetector?
    /// Leaves ordered by key.
    private(set) var leaves: [Leaf] = []
    private(set) var losses: [Loss] = []
    /// For each visited node, its base: the number to which the keys below the node are relative.
    private(set) var bases: [Ref: UInt64] = [:]

    init(
        _ space: NodeSpace, wanted: [Range<UInt64>], _ work: SearchWork,
        _ neighbourhood: OverwriteDetector? = nil
    ) {
        (self.space, self.wanted, self.work) = (space, wanted, work)
        self.neighbourhood = neighbourhood
    }

    /// Walks the tree at `root`, whose keys are relative to `base`.
    func run(_ root: Ref, base: UInt64 = 0) {
        let all = base..<max(base, Self.liveKeys.upperBound)
        let outcome = visit(Branch(ref: root, keys: all, base: base, depth: 0))
        if case .lost(let error) = outcome { reportLoss([all], nil, error.message) }
    }

    /// Records the loss of a whole tree.
    func loseAll(_ why: String) { reportLoss([Self.liveKeys], nil, why) }

    private struct Branch {
        let ref: Ref
        let keys: Range<UInt64>
        let base: UInt64
        let depth: Int
    }

    /// Result of visiting a branch: the number of its objects that were found or reported as lost;
    /// an error if the branch is unreadable; or that the branch has no wanted keys.
    private enum Outcome {
        case accounted(Int)
        case lost(RealmError)
        case unwanted
    }

    private enum Opened {
        case leaf(ClusterLeaf)
        case inner(InnerCluster)
    }

    private func open(_ branch: Branch) throws(RealmError) -> Opened {
        guard work.memory.reserveNode() else { throw .noRoom }
        guard bases.updateValue(branch.base, forKey: branch.ref) == nil else {
            throw .corrupt("a node that was met before", at: branch.ref)
        }
        guard branch.depth <= ClusterTree.maximumDepth else { throw space.exhausted(branch.ref) }
        let node = try space.treeNode(branch.ref, slots: ClusterLeafShape.minimumCount, "cluster")
        guard work.spend(node.count) else { throw space.exhausted(branch.ref) }
        try check(branch.ref)
        if let keys = node.slot(ClusterLeafShape.keys).child { try check(keys) }
        if node.isInner {
            return .inner(try InnerCluster(space, branch.ref, node: node, base: branch.base))
        }
        let leaf = try ClusterLeaf(space, branch.ref, node: node, base: branch.base)
        try leaf.checkOrder()
        return .leaf(leaf)
    }

    /// Throws if a node that determines object keys seems to be overwritten.
    private func check(_ ref: Ref) throws(RealmError) {
        guard let neighbourhood, !neighbourhood.isPlausible(ref) else { return }
        throw .corrupt("something may have been written over it", at: ref)
    }

    private func visit(_ branch: Branch) -> Outcome {
        guard isWanted(branch.keys) else { return .unwanted }
        do throws(RealmError) {
            switch try open(branch) {
            case .inner(let inner): return visit(inner, branch)
            case .leaf(let leaf):
                leaves.append(Leaf(ref: branch.ref, base: branch.base, keys: branch.keys))
                return .accounted(leaf.count)
            }
        } catch { return .lost(error) }
    }

    private func isWanted(_ keys: Range<UInt64>) -> Bool {
        let i = wanted.partitionPoint { $0.upperBound > keys.lowerBound }
        return i < wanted.count && wanted[i].lowerBound < keys.upperBound
    }

    private func visit(_ inner: InnerCluster, _ branch: Branch) -> Outcome {
        var accounted = 0
        var isWhole = true
        var lost: [Range<UInt64>] = []
        var first: RealmError?
        var reached = branch.keys.lowerBound
        for i in 0..<inner.childCount {
            let (keys, outcome) = visit(child: i, of: inner, branch, from: reached)
            reached = keys.upperBound
            switch outcome {
            case .accounted(let count): accounted += count
            case .unwanted: isWhole = false
            case .lost(let error):
                lost.append(keys)
                first = first ?? error
            }
        }
        let missing = isWhole ? Self.missing(inner, accounted, lost.count) : nil
        if let first {
            let others = lost.count > 1 ? ", and \(lost.count - 1) more branches" : ""
            reportLoss(lost, missing, first.message + others)
        } else if let missing {
            reportLoss([], missing, "\(inner.count) objects are announced, \(accounted) are there")
        }
        return .accounted(accounted + (missing ?? 0))
    }

    /// Visits a child. `reached` is the end of the key range of the child before it; the keys of
    /// this child must not be smaller.
    private func visit(
        child i: Int, of inner: InnerCluster, _ branch: Branch, from reached: UInt64
    ) -> (Range<UInt64>, Outcome) {
        let start = inner.base &+ inner.offset(i)
        let next = i + 1 < inner.childCount ? inner.base &+ inner.offset(i + 1) : nil
        let end = min(next ?? .max, branch.keys.upperBound)
        guard start >= reached, start < end else {
            let error = RealmError.corrupt("children in disorder", at: inner.ref)
            return (reached..<reached, .lost(error))
        }
        guard let ref = inner.node.slot(InnerClusterShape.child(i)).child else {
            return (start..<end, .lost(.corrupt("an inner node without a child", at: inner.ref)))
        }
        let child = Branch(ref: ref, keys: start..<end, base: start, depth: branch.depth + 1)
        return (start..<end, visit(child))
    }

    private func reportLoss(_ keys: [Range<UInt64>], _ count: Int?, _ why: String) {
        losses.append(Loss(keys: keys.filter { !$0.isEmpty }, count: count, why: why))
    }

    /// Returns the number of objects missing below an inner node: the count that the node stores,
    /// less `accounted`. Nil if none is missing, or if more are missing than the unreadable
    /// children can contain.
    ///
    /// - Parameters:
    ///   - accounted: number of objects that were found or already reported as lost.
    ///   - failures: number of unreadable children.
    private static func missing(
        _ inner: InnerCluster, _ accounted: Int, _ failures: Int
    ) -> Int? {
        let missing = inner.count - accounted
        let branches = failures > 0 ? failures : inner.childCount
        let room = inner.depth > 4 ? .max : branches << (8 * inner.depth)
        return missing > 0 && missing <= room ? missing : nil
    }
}

extension RealmError {
    /// The error for a search that reached its memory limit.
    fileprivate static var noRoom: RealmError {
        .corrupt("there is no memory left to keep what is found", in: "search")
    }
}
