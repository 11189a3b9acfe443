import Synchronization

/// Nodes that stand for what a file keeps in an older form: nowhere in the file, made when they are
/// first opened, and the same from then on.
///
/// Free to cross threads. Whoever opens nodes with refs from `firstRef` on asks the one that the
/// version came with.
class DerivedNodes: @unchecked Sendable {
    /// Refs from here on are of such nodes: beyond what any file or slab reaches.
    static let firstRef: UInt64 = 1 << 60

    /// The most elements of a leaf in files that have such nodes: their writers put 1000 into one.
    static let mostInLeaf = 1 << 16

    /// The refs of the nodes made so far that are no part of the file, in memory behind it: from one up
    /// to the other.
    let copiesStart = Atomic<UInt64>(0)
    let copiesEnd = Atomic<UInt64>(0)

    /// The node at `ref`, sound and readable as long as this lives; where the payload is in the file,
    /// the caller sees to its pages.
    func node(_ ref: Ref) throws(RealmError) -> NodeView {
        throw .corrupt("a reference leads outside the snapshot", at: ref)
    }
}

extension NodeSpace {
    /// Of files of older formats, whose walks have a larger budget (`NodeSpace.chargeElements`).
    @inline(never)
    func chargeDerivedElements(_ count: Int, at ref: Ref) throws(RealmError) {
        guard count <= DerivedNodes.mostInLeaf else { throw tooMany(count, ref) }
        try charge(count / 3, at: ref)
    }

    /// Opens a node of the version's `DerivedNodes`, or one that these led to; nil for others.
    ///
    /// The former cost little of a walk's budget: their number is bounded by what the file may announce,
    /// and what they lead to in the file is charged there.
    @inline(never)
    func derivedNode(_ ref: Ref) throws(RealmError) -> NodeView? {
        guard let derived = state.pointee.derived else { return nil }
        if ref.raw < DerivedNodes.firstRef {
            // Those made since are readable without ado from now on.
            (state.pointee.slabStart, state.pointee.slabEnd) =
                derived._withUnsafeGuaranteedRef {
                    let end = $0.copiesEnd.load(ordering: .acquiring)
                    return ($0.copiesStart.load(ordering: .relaxed), end)
                }
            guard ref.raw >= state.pointee.slabStart, ref.raw < state.pointee.slabEnd else {
                return nil
            }
            return try open(ref, below: state.pointee.slabEnd) { _ throws(RealmError) in }
        }
        let node = try derived.takeUnretainedValue().node(ref)
        let size = NodeView.payloadSize(flags: node.flags, count: node.count)
        let offset = node.payload - base
        if offset >= 0, offset < Int(limit) {
            try prepareIfNeeded(Ref(UInt64(offset)), size)
        }
        try charge(8 &+ size >> 3, at: ref)
        return node
    }

    /// Where a node that was opened is, for messages.
    func place(of node: NodeView) -> Ref {
        Ref(UInt64(max(0, node.payload - base - NodeView.headerSize)))
    }
}
