import Synchronization

/// Nodes in the current format for structures that a file stores in an older format. They are not
/// part of the file: each is built when it is first opened and never changes.
///
/// Free to cross threads. Nodes with refs from `firstRef` on are opened with the `DerivedNodes` of
/// their version.
class DerivedNodes: @unchecked Sendable {
    /// First ref of derived nodes, beyond the refs of any file or slab.
    static let firstRef: UInt64 = 1 << 60

    /// Maximum number of elements of a leaf in files of older formats, whose writers put 1000 into
    /// one.
    static let maximumLeafCount = 1 << 16

    /// Range of refs of the copies made so far: nodes in memory after the file, not part of the
    /// file.
    let copiesStart = Atomic<UInt64>(0)
    let copiesEnd = Atomic<UInt64>(0)

    /// Returns the node at `ref`, which is valid as long as this object lives. If its payload is in
    /// an encrypted file, the caller prepares the pages.
    func node(_ ref: Ref) throws(RealmError) -> NodeView {
        throw .corrupt("a reference leads outside the snapshot", at: ref)
    }
}

extension NodeSpace {
    /// Charges the elements of a leaf in files of older formats, whose walks have a larger budget
    /// (`NodeSpace.chargeElements`).
    @inline(never)
    func chargeDerivedElements(_ count: Int, at ref: Ref) throws(RealmError) {
        guard count <= DerivedNodes.maximumLeafCount else { throw tooMany(count, ref) }
        try charge(count / 3, at: ref)
    }

    /// Opens a derived node or a copied one; returns nil for other refs.
    ///
    /// Derived nodes cost little of a walk's budget: the size of the file limits their number, and
    /// the nodes of the file that they reference are charged there.
    @inline(never)
    func derivedNode(_ ref: Ref) throws(RealmError) -> NodeView? {
        guard let derived = state.pointee.derived else { return nil }
        if ref.raw < DerivedNodes.firstRef {
            // From now on, the copies made so far are opened on the fast path.
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

    /// Returns the ref of an open node, for messages.
    func place(of node: NodeView) -> Ref {
        Ref(UInt64(max(0, node.payload - base - NodeView.headerSize)))
    }
}
