/// The bytes of all nodes that a search has already assigned to a tree (*claimed*).
///
/// Each node belongs to one tree (storage format 3.3). If a leaf of an older version refers to a
/// node that another tree has claimed, the leaf's own node was overwritten.
final class NodeClaims {
    private let space: NodeSpace
    private let work: SearchWork
    private let taken: ExtentMap

    init(_ space: NodeSpace, _ work: SearchWork) {
        (self.space, self.work) = (space, work)
        taken = work.memory.extents(of: space.limit)
    }

    func isTaken(_ ref: Ref) -> Bool { taken.isMarked(ref.raw) }

    /// Returns the first byte offset in `start..<end` that is in a node of a tree (a claimed node).
    /// If `isTaken` is false, returns the first offset that is in no claimed node. Nil if there is
    /// none.
    func first(taken isTaken: Bool, from start: UInt64, before end: UInt64) -> UInt64? {
        taken.first(marked: isTaken, from: start, before: end)
    }

    /// Whether any of the bytes is in a node that was already assigned to a tree (claimed).
    func takesPart(of bytes: Range<UInt64>) -> Bool {
        first(taken: true, from: bytes.lowerBound, before: bytes.upperBound) != nil
    }

    /// Claims the node at `root` and all nodes below it: their bytes then belong to this tree.
    /// Returns false if a node is unreadable, or if another tree has already claimed a node that is
    /// not in `others`.
    ///
    /// - Parameter others: nodes that this tree may share with other trees.
    func take(_ root: Ref, sharing others: Set<Ref> = []) -> Bool {
        var isFree = true
        walk(root) { (ref, node) in
            if taken.mark(ref.raw, ref.raw + UInt64(node.byteSize)) { return true }
            if !others.contains(ref) { isFree = false }
            return false
        } lost: {
            isFree = false
        }
        return isFree
    }

    /// Returns the nodes at `roots` and below them.
    func nodes(below roots: [Ref]) -> Set<Ref> {
        var found: Set<Ref> = []
        for root in roots {
            walk(root) { (ref, _) in
                found.insert(ref).inserted
            } lost: {
            }
        }
        return found
    }

    /// Calls `body` with the node at `root` and the nodes below it. `body` returns whether to visit
    /// the children of the node. Calls `lost` for each reference to an unreadable node.
    private func walk(_ root: Ref, _ body: (Ref, NodeView) -> Bool, lost: () -> Void) {
        var open = [root]
        while let ref = open.popLast() {
            guard work.spend(0), let node = try? space.node(ref), node.hasSignature else {
                lost()
                continue
            }
            guard body(ref, node), node.hasRefs, node.widthType == 0, node.width > 0 else {
                continue
            }
            guard work.spend(node.count) else { return lost() }
            for i in 0..<node.count {
                if let child = node.slot(i).child { open.append(child) }
            }
        }
    }
}
