import Synchronization

/// Derived nodes: nodes in the current format, built from the structures in a file of an older
/// format.
///
/// The nodes are not part of the file. Each is built when it is first opened and never changes.
/// Free to cross threads. Refs from `firstRef` on are refs of derived nodes; the version that is
/// read owns the `DerivedNodes` that open them.
class DerivedNodes: @unchecked Sendable {
    /// Smallest ref of a node built by this class, greater than all refs of nodes in files or of
    /// write transactions.
    static let firstRef: UInt64 = 1 << 60

    /// Maximum number of elements of a leaf in a file of an older format. Writers of these formats
    /// store up to 1000.
    static let maximumLeafCount = 1 << 16

    /// Range of the refs of nodes that were copied from the file to memory, in the current format.
    /// Both bounds are 0 if no node was copied. Derived nodes, which are built when they are first
    /// opened, are not in this range but have refs from `firstRef` on.
    let copiesStart = Atomic<UInt64>(0)
    let copiesEnd = Atomic<UInt64>(0)

    /// Returns the node at `ref`, which is valid as long as this object lives. The payload may be
    /// in an encrypted file; the caller then decrypts its pages.
    func node(_ ref: Ref) throws(RealmError) -> NodeView {
        throw .corrupt("a reference leads outside the snapshot", at: ref)
    }
}

extension NodeSpace {
    /// Subtracts a third of `count`, the number of elements in a leaf of a file of an older format,
    /// from the read budget, the number of bytes that may still be read. The fraction is larger
    /// than for the current format, because the budget is larger, too (`NodeSpace.extent`).
    @inline(never)
    func chargeDerivedElements(_ count: Int, at ref: Ref) throws(RealmError) {
        guard count <= DerivedNodes.maximumLeafCount else { throw tooMany(count, ref) }
        try charge(count / 3, at: ref)
    }

    /// Opens a derived node (a node built by `DerivedNodes`), or a node that was copied to memory.
    /// Returns nil for all other refs.
    ///
    /// Reduces the read budget, the number of bytes that may still be read, by an eighth of the
    /// size of a derived node. A fraction suffices: the size of the file limits the number of
    /// derived nodes, and nodes of the file that derived nodes reference are charged in full.
    @inline(never)
    func derivedNode(_ ref: Ref) throws(RealmError) -> NodeView? {
        guard let derived = state.pointee.derived else { return nil }
        if ref.raw < DerivedNodes.firstRef {
            // From now on, `NodeSpace.node` opens these copies directly.
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

    /// Returns the ref of `node`, which was opened before. For error messages.
    func place(of node: NodeView) -> Ref {
        Ref(UInt64(max(0, node.payload - base - NodeView.headerSize)))
    }
}
