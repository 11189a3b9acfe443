/// Maximum numbers of elements in nodes. Tests reduce them, so that a few rows fill several nodes;
/// files are written with the numbers of the format.
struct Fanout: Sendable {
    var clusterLeaf = ClusterLeafShape.maximumObjectCount
    var clusterInner = InnerClusterShape.maximumChildCount
    var tree = TreeShape.maximumCount
    /// Maximum number of entries in a node of an index. The format permits 1000. But consecutive
    /// integers belong to different nodes, so a commit rewrites many nodes, which should be small.
    var index = 128
    /// Number of changes of an index in one transaction after which further changes are deferred.
    var singleIndexChanges = 512

    /// Number of objects in a leaf that is not split further, in tables where transactions change
    /// only a few objects of each leaf. A commit writes the whole leaf of each changed object, so
    /// smaller leaves make such commits smaller.
    var scatteredLeaf: Int { max(1, clusterLeaf / 4) }
}

/// State that all editors of one write transaction share: the space in which they read nodes, the
/// slab in which they create nodes, and the list of freed extents. Confined to the writer.
final class EditContext {
    /// Copies and changes nodes.
    let nodes: NodeMutator
    let slab: SlabNodes
    /// Retains the memory of `slab`.
    private let slabOwner: Slab
    let encoder: NodeEncoder
    let fanout: Fanout
    /// Extents to which the transaction has spilled nodes, in ascending order.
    private var spilledExtents: [Extent] = []
    /// Number of extents in `freed` that `takeSpilledExtents` has already compared with
    /// `spilledExtents`. They belong to the base version, so later spills cannot write to them, and
    /// they need no further comparison.
    private var sortedOut = 0
    /// Number of changes of tables' columns. A change invalidates data that was derived from the
    /// columns.
    var schemaGeneration = 0
    /// Memory for copies of values that must outlive the buffers of the caller.
    let arena = ByteArena()
    /// Read context for the current state of the open transaction; nil until that state is read.
    var readers: ReadContext?
    /// Number of changes so far. A location in a node is valid only while this number stays the
    /// same.
    @exclusivity(unchecked) private(set) var changeCount = 0
    /// Approximate memory, in bytes, that editors use for decoded leaves and collected values.
    @exclusivity(unchecked) var editedBytes = 0
    /// Memory, in bytes, of pending index changes, which outlast spills.
    let waitingBytes = ByteCount()
    /// For each indexed column, an upper bound of the integers in its search index, if the commit
    /// before this transaction recorded one. A batch can add larger integers without looking them
    /// up.
    var bounds: [IntegerBounds.Column: Int64] = [:]
    /// Whether objects were added in batches. If so, the commit records upper bounds of the
    /// integers in search indexes, which the next transaction reads as `bounds`. Only batches use
    /// them.
    var hasBatches = false

    init(space: NodeSpace, slab: Slab, fanout: Fanout) {
        nodes = NodeMutator(slab.nodes, space)
        slabOwner = slab
        self.slab = slab.nodes
        self.fanout = fanout
        encoder = NodeEncoder(slab: slab.nodes)
    }

    deinit { nodes.deallocate() }

    var space: NodeSpace { nodes.space }
    /// Extents of nodes that belong to the base version or were spilled, and that the transaction
    /// no longer uses.
    var freed: [Extent] { nodes.state.pointee.freed }
    /// Size in bytes of nodes that the transaction copied and is likely to change again.
    var changeableBytes: Int { nodes.state.pointee.changeableBytes }

    /// Makes the context of the next transaction of a commit group, after a transaction that was
    /// rolled back. Uses the nodes of `other`, the context of the last committed transaction. Of
    /// the extents that `other` lists as freed, the first `count` stay freed, and the nodes in the
    /// others stay in use.
    init(_ other: EditContext, _ space: NodeSpace, freed count: Int) {
        nodes = NodeMutator(other.slab, space)
        slabOwner = other.slabOwner
        slab = other.slab
        fanout = other.fanout
        encoder = other.encoder
        spilledExtents = other.spilledExtents
        nodes.take(other.freed[..<count])
    }

    /// Records that nodes were spilled to `extents`. No version references them before the commit.
    func wroteAhead(_ extents: [Extent]) {
        spilledExtents = FreeSpace.merged(spilledExtents, FreeSpace.released(extents))
    }

    /// Removes from `freed` the extents of nodes that the transaction had spilled to the file and
    /// then freed, and returns these extents. They can be reused at once.
    func takeSpilledExtents() -> [Extent] {
        if spilledExtents.isEmpty { return [] }
        var own: [Extent] = []
        nodes.discardFreed(from: sortedOut) { extent in
            guard spilledExtents.extent(with: extent.start) != nil else { return false }
            own.append(extent)
            return true
        }
        sortedOut = freed.count
        return FreeSpace.released(own)
    }

    /// Removes all extents after the first `count` from `freed`. A transaction that was rolled back
    /// had freed them, so their nodes are still in use.
    func discardFreed(after count: Int) {
        nodes.discardFreed(from: count) { _ in true }
        sortedOut = min(sortedOut, count)
    }

    /// Invalidates locations that were found, and snapshots of the open transaction. Called once
    /// for each change of the transaction's nodes: before the change, or directly after it.
    @inline(__always)
    func invalidateReaders() {
        changeCount &+= 1
        if readers != nil { releaseReaders() }
    }

    @inline(never)
    private func releaseReaders() {
        readers?.outdate()
        readers = nil
    }

    /// Memory, in bytes, that the transaction uses. Includes what a spill will need for each node.
    var usedBytes: Int {
        slab.used + NodeOrder.bytesPerNode * slab.count + arena.used + editedBytes
            + waitingBytes.value
    }

    /// Continues after a spill, when all nodes are in the file, which `space` reads. Editors that
    /// were made before must no longer be used.
    func restart(_ space: NodeSpace) {
        changeCount &+= 1
        nodes.state.pointee.space = space
        nodes.state.pointee.changeableBytes = 0
        arena.reset()
        editedBytes = 0
    }

    /// Frees one node, without the nodes that it references.
    func free(_ ref: Ref) throws(RealmError) { try nodes.free(ref) }

    /// Frees a node and all nodes in its subtree.
    func freeDeep(_ ref: Ref) throws(RealmError) { try nodes.freeDeep(ref) }

    /// Frees a node and its direct children, which must not contain refs.
    func freeWithChildren(_ ref: Ref) throws(RealmError) { try nodes.freeWithChildren(ref) }
}

/// A number of bytes, to which several editors add.
final class ByteCount {
    @exclusivity(unchecked) var value = 0
}

/// Memory for bytes, which stay valid at the same address until the transaction ends or `reset` is
/// called.
final class ByteArena {
    private var chunks: [UnsafeMutableRawPointer] = []
    private var next: UnsafeMutableRawPointer?
    private var left = 0
    /// Number of bytes allocated in the arena since the last reset.
    private(set) var used = 0
    private static let chunkSize = 1 << 18

    deinit { for chunk in chunks { chunk.deallocate() } }

    /// Returns a copy of `bytes`, which is valid until `reset`.
    func copy(_ bytes: ByteView) -> ByteView {
        let at = allocate(bytes.count)
        at.copyMemory(from: bytes.base, byteCount: bytes.count)
        return ByteView(at, count: bytes.count)
    }

    /// Returns the value with a copy of its bytes.
    @inline(__always)
    func copy(_ value: Value) -> Value {
        switch value {
        case .string(let bytes): .string(copy(bytes))
        case .binary(let bytes): .binary(copy(bytes))
        default: value
        }
    }

    /// Allocates `count` bytes without alignment.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        if count > left || next == nil { grow(count) }
        let at = next!
        next = at + count
        left -= count
        used += count
        return at
    }

    private func grow(_ count: Int) {
        let size = max(Self.chunkSize, count)
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        chunks.append(chunk)
        next = chunk
        left = size
    }

    func reset() {
        for chunk in chunks { chunk.deallocate() }
        chunks = []
        next = nil
        left = 0
        used = 0
    }
}
