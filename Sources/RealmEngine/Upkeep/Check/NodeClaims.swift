/// Which nodes belong to what was found already.
///
/// Nodes are in one tree each (storage format 3.3). What an older version left behind may have become
/// another's since: whoever finds some of its nodes taken is not what it was.
final class NodeClaims {
    private let space: NodeSpace
    private let work: SearchWork
    private let taken: ExtentMap

    init(_ space: NodeSpace, _ work: SearchWork) {
        (self.space, self.work) = (space, work)
        taken = work.memory.extents(of: space.limit)
    }

    func isTaken(_ ref: Ref) -> Bool { taken.isMarked(ref.raw) }

    /// The first position from `start` on, and before `end`, that is taken or not.
    func first(taken isTaken: Bool, from start: UInt64, before end: UInt64) -> UInt64? {
        taken.first(marked: isTaken, from: start, before: end)
    }

    /// Whether any of these bytes are taken.
    func takesPart(of bytes: Range<UInt64>) -> Bool {
        first(taken: true, from: bytes.lowerBound, before: bytes.upperBound) != nil
    }

    /// Takes the node at `root` and all below it; false when one of them is none, or taken by others
    /// than those it shares nodes with.
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

    /// The nodes at `roots` and below them.
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

    /// Calls `body` with each node from `root` down, which tells whether to go on below it, and `lost`
    /// where there is none.
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
