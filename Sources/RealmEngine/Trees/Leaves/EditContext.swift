/// How many elements nodes hold before they split. Tests shrink these so that a few rows reach
/// every path; files are written with the format's own numbers.
struct Fanout: Sendable {
    var clusterLeaf = 256
    var clusterInner = 256
    var tree = 1000
    /// Smaller than the format's own 1000: consecutive integers spread over the whole index, so that
    /// small nodes save most of what a commit rewrites.
    var index = 128
    /// Changes of an index that a transaction makes at once, before further ones wait for each other.
    var singleIndexChanges = 512

    /// Objects of a leaf that changes scattered over the tree keep dividing: what a commit writes for
    /// each of them is its whole leaf.
    var scatteredLeaf: Int { max(1, clusterLeaf / 4) }
}

/// What every editor of one write transaction shares: the bytes it reads, the slab it writes into,
/// and the list of file space its edits let go. Confined to the writer.
final class EditContext {
    /// What changes nodes.
    let nodes: NodeMutator
    let slab: SlabNodes
    /// Keeps the nodes.
    private let slabOwner: Slab
    let encoder: NodeEncoder
    let fanout: Fanout
    /// Where the transaction wrote nodes ahead of its commit, in ascending order.
    private var writtenAhead: [Extent] = []
    /// Number of `freed` extents that are known not to be written ahead: a version uses them, so that
    /// nothing was written there.
    private var sortedOut = 0
    /// Grows whenever a table's columns change: what was worked out from them is outdated.
    var schemaGeneration = 0
    /// Copies of values that must outlive the caller's buffers.
    let arena = ByteArena()
    /// What reads the open transaction's state as it is now.
    var readers: ReadContext?
    /// Number of changes so far. What was found before a change is not valid after it.
    @exclusivity(unchecked) private(set) var changeCount = 0
    /// Bytes, about, of what editors have taken apart or collected.
    @exclusivity(unchecked) var editedBytes = 0
    /// Bytes of changes that wait for indexes, also while nodes are written out.
    let waitingBytes = ByteCount()
    /// What no integer of an index of the base version goes beyond, as far as that is known.
    var bounds: [IntegerBounds.Place: Int64] = [:]
    /// Objects were added many at a time, which bounds are of use for.
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

    /// Goes on from `other`'s nodes and the first `count` of the extents it let go.
    init(_ other: EditContext, _ space: NodeSpace, freed count: Int) {
        nodes = NodeMutator(other.slab, space)
        slabOwner = other.slabOwner
        slab = other.slab
        fanout = other.fanout
        encoder = other.encoder
        writtenAhead = other.writtenAhead
        nodes.take(other.freed[..<count])
    }

    /// The transaction's nodes are at `extents` now; no version knows of them before the commit.
    func wroteAhead(_ extents: [Extent]) {
        writtenAhead = FreeSpace.merged(writtenAhead, FreeSpace.released(extents))
    }

    /// Takes from what was let go the nodes the transaction itself had written ahead: their space can
    /// be used again at once.
    func takeWrittenAhead() -> [Extent] {
        if writtenAhead.isEmpty { return [] }
        var own: [Extent] = []
        nodes.forgetFreed(from: sortedOut) { extent in
            guard writtenAhead.extent(with: extent.start) != nil else { return false }
            own.append(extent)
            return true
        }
        sortedOut = freed.count
        return FreeSpace.released(own)
    }

    /// What was let go after the first `count` extents is in use after all.
    func forgetFreed(after count: Int) {
        nodes.state.pointee.freed.removeSubrange(count...)
        sortedOut = min(sortedOut, count)
    }

    /// Something is about to change, or has just: who read the state before reads no further.
    @inline(__always)
    func outdateReaders() {
        changeCount &+= 1
        if readers != nil { letGoOfReaders() }
    }

    @inline(never)
    private func letGoOfReaders() {
        readers?.outdate()
        readers = nil
    }

    /// Bytes of memory that the transaction takes, with what writing its nodes out takes for each.
    var usedBytes: Int {
        slab.used + NodeOrder.bytesPerNode * slab.count + arena.used + editedBytes
            + waitingBytes.value
    }

    /// All nodes made so far are in the file now, which `space` reaches; no editor of before is used
    /// any more.
    func restart(_ space: NodeSpace) {
        changeCount &+= 1
        nodes.state.pointee.space = space
        nodes.state.pointee.changeableBytes = 0
        arena.reset()
        editedBytes = 0
    }

    /// Lets go of one node, not of what it references.
    func free(_ ref: Ref) throws(RealmError) { try nodes.free(ref) }

    /// Lets go of a node and of everything below it.
    func freeDeep(_ ref: Ref) throws(RealmError) { try nodes.freeDeep(ref) }

    /// Lets go of a node and its direct children, which hold no refs of their own.
    func freeWithChildren(_ ref: Ref) throws(RealmError) { try nodes.freeWithChildren(ref) }
}

/// A number of bytes that several objects add to.
final class ByteCount {
    @exclusivity(unchecked) var value = 0
}

/// Bytes kept until the transaction ends; addresses never move.
final class ByteArena {
    private var chunks: [UnsafeMutableRawPointer] = []
    private var next: UnsafeMutableRawPointer?
    private var left = 0
    /// Bytes handed out since the last reset.
    private(set) var used = 0
    private static let chunkSize = 1 << 18

    deinit { for chunk in chunks { chunk.deallocate() } }

    /// A copy of `bytes` that lives as long as the arena.
    func copy(_ bytes: ByteView) -> ByteView {
        let at = allocate(bytes.count)
        at.copyMemory(from: bytes.base, byteCount: bytes.count)
        return ByteView(at, count: bytes.count)
    }

    /// The value with its bytes copied.
    @inline(__always)
    func copy(_ value: Value) -> Value {
        switch value {
        case .string(let bytes): .string(copy(bytes))
        case .binary(let bytes): .binary(copy(bytes))
        default: value
        }
    }

    /// Room for `count` bytes, unaligned.
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
