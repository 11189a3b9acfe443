/// Maximum numbers of elements in nodes. Tests reduce them, so that a few rows reach every path;
/// files are written with the format's own numbers.
struct Fanout: Sendable {
    var clusterLeaf = ClusterLeafShape.maximumObjectCount
    var clusterInner = InnerClusterShape.maximumChildCount
    var tree = TreeShape.maximumCount
    /// Smaller than the format's 1000: consecutive integers are spread over the whole index, and
    /// small nodes reduce what a commit rewrites.
    var index = 128
    /// Number of an index's changes in a transaction from which further ones are deferred.
    var singleIndexChanges = 512

    /// Target size of leaves where changes are scattered. A commit writes the whole leaf of each
    /// changed object.
    var scatteredLeaf: Int { max(1, clusterLeaf / 4) }
}

/// State that all editors of one write transaction share: the node space for reading, the slab for
/// writing, and the list of freed extents. Confined to the writer.
final class EditContext {
    /// Copies and changes nodes.
    let nodes: NodeMutator
    let slab: SlabNodes
    /// Retains the memory of `slab`.
    private let slabOwner: Slab
    let encoder: NodeEncoder
    let fanout: Fanout
    /// Extents of nodes that the transaction spilled before its commit, in ascending order.
    private var spilledExtents: [Extent] = []
    /// Number of `freed` extents that are already compared with `spilledExtents`. A version uses
    /// those that remained, so that no later spill can have written them.
    private var sortedOut = 0
    /// Incremented by each change of a table's columns, which invalidates data derived from them.
    var schemaGeneration = 0
    /// Copies of values that must outlive the caller's buffers.
    let arena = ByteArena()
    /// Read context of the open transaction's current state.
    var readers: ReadContext?
    /// Number of changes so far. Locations found before a change are invalid after it.
    @exclusivity(unchecked) private(set) var changeCount = 0
    /// Approximate memory, in bytes, of decoded and collected data in editors.
    @exclusivity(unchecked) var editedBytes = 0
    /// Memory, in bytes, of pending index changes, which are kept across spills.
    let waitingBytes = ByteCount()
    /// Upper bounds of the integers in indexes of the base version, where known.
    var bounds: [IntegerBounds.Column: Int64] = [:]
    /// Whether objects were added in batches, which make use of `bounds`.
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
    /// Extents of the base version's nodes that the new version no longer uses.
    var freed: [Extent] { nodes.state.pointee.freed }
    /// Bytes of nodes that the transaction made and is likely to change again.
    var changeableBytes: Int { nodes.state.pointee.changeableBytes }

    /// Continues with the nodes of `other` and the first `count` of its freed extents.
    init(_ other: EditContext, _ space: NodeSpace, freed count: Int) {
        nodes = NodeMutator(other.slab, space)
        slabOwner = other.slabOwner
        slab = other.slab
        fanout = other.fanout
        encoder = other.encoder
        spilledExtents = other.spilledExtents
        nodes.take(other.freed[..<count])
    }

    /// Records `extents` as spilled. No version references them before the commit.
    func wroteAhead(_ extents: [Extent]) {
        spilledExtents = FreeSpace.merged(spilledExtents, FreeSpace.released(extents))
    }

    /// Removes from `freed` the nodes that the transaction itself had spilled, and returns their
    /// extents, which can be reused at once.
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

    /// Discards all freed extents after the first `count`, which are still in use.
    func discardFreed(after count: Int) {
        nodes.state.pointee.freed.removeSubrange(count...)
        sortedOut = min(sortedOut, count)
    }

    /// Invalidates the read context, before or after a change.
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

    /// Memory, in bytes, that the transaction takes, including what a spill needs for each of its
    /// nodes.
    var usedBytes: Int {
        slab.used + NodeOrder.bytesPerNode * slab.count + arena.used + editedBytes
            + waitingBytes.value
    }

    /// Continues after a spill: all nodes are in the file, which `space` covers. Earlier editors
    /// must not be used any more.
    func restart(_ space: NodeSpace) {
        changeCount &+= 1
        nodes.state.pointee.space = space
        nodes.state.pointee.changeableBytes = 0
        arena.reset()
        editedBytes = 0
    }

    /// Frees one node, without the nodes that it references.
    func free(_ ref: Ref) throws(RealmError) { try nodes.free(ref) }

    /// Frees a node and all nodes below it.
    func freeDeep(_ ref: Ref) throws(RealmError) { try nodes.freeDeep(ref) }

    /// Frees a node and its direct children, which must not contain refs.
    func freeWithChildren(_ ref: Ref) throws(RealmError) { try nodes.freeWithChildren(ref) }
}

/// Number of bytes, shared by several objects.
final class ByteCount {
    @exclusivity(unchecked) var value = 0
}

/// Memory for bytes that are valid until the transaction ends; addresses never change.
final class ByteArena {
    private var chunks: [UnsafeMutableRawPointer] = []
    private var next: UnsafeMutableRawPointer?
    private var left = 0
    /// Number of bytes allocated since the last reset.
    private(set) var used = 0
    private static let chunkSize = 1 << 18

    deinit { for chunk in chunks { chunk.deallocate() } }

    /// Returns a copy of `bytes` that is valid as long as the arena.
    func copy(_ bytes: ByteView) -> ByteView {
        let at = allocate(bytes.count)
        at.copyMemory(from: bytes.base, byteCount: bytes.count)
        return ByteView(at, count: bytes.count)
    }

    /// Returns the value with its bytes copied.
    @inline(__always)
    func copy(_ value: Value) -> Value {
        switch value {
        case .string(let bytes): .string(copy(bytes))
        case .binary(let bytes): .binary(copy(bytes))
        default: value
        }
    }

    /// Allocates `count` bytes, unaligned.
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
