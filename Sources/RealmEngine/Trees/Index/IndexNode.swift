/// A node of a search index that the open transaction owns. It contains ascending chunks and one
/// slot for each chunk (object format 5.4).
///
/// ```
///      refs   | keys | slot 0  | slot 1  | ...     64 bits each while the node can be changed
///                |
///      keys      | chunk 0 | chunk 1 | ...         32 bits each in every case
/// ```
///
/// Both arrays are made together, with room for the same number of entries. Trivial; valid until
/// the node is replaced by a larger copy.
struct IndexNode {
    private let refs: SlabNode
    private let keys: SlabNode

    /// Opens the node at `ref`, which the transaction must own.
    @inline(__always)
    init(_ slab: SlabNodes, _ ref: Ref) {
        refs = slab.writable(ref)
        keys = slab.writable(Ref(refs.slots[IndexShape.chunks]))
    }

    /// Makes a node without entries, with room for `capacity` of them.
    static func make(
        _ context: EditContext, isInner: Bool, capacity: Int
    ) throws(RealmError) -> (ref: Ref, node: IndexNode) {
        let keyWidth: UInt8 = 6
        let keys = try context.slab.node(flags: keyWidth, count: 0, room: 4 * capacity)
        let inner = isInner ? NodeView.innerFlag : 0
        let refs = try context.slab.node(
            flags: NodeView.hasRefsFlag | NodeView.contextFlag | inner | 7, count: 1,
            room: 8 * (capacity + 1))
        refs.payload.storeBytes(of: keys.ref.raw, as: UInt64.self)
        context.nodes.state.pointee.changeableBytes &+= 12 &* capacity &+ 48
        return (refs.ref, IndexNode(context.slab, refs.ref))
    }

    /// Whether the slots reference nodes of the same level of the trie; otherwise they contain
    /// keys, lists or further levels.
    @inline(__always) var isInner: Bool { refs.flags & NodeView.innerFlag != 0 }
    @inline(__always) var count: Int { keys.count }
    /// Maximum number of entries for which this node has room.
    @inline(__always) var capacity: Int { refs.room >> 3 &- 1 }

    @inline(__always) var chunks: UnsafeMutablePointer<Int32> {
        keys.payload.assumingMemoryBound(to: Int32.self)
    }

    /// Refs or tagged keys of the entries, one for each element of `chunks`.
    @inline(__always) var slots: RefSlot { refs.slots + IndexShape.firstEntry }

    /// Key of this node in its parent: the largest chunk. The node must not be empty.
    @inline(__always) var lastChunk: Int32 { chunks[count - 1] }

    @inline(__always)
    func lowerBound(_ chunk: Int32) -> Int { Self.lowerBound(chunk, chunks, count) }

    /// Index of the first chunk that is not less than `chunk`.
    @inline(__always)
    static func lowerBound(
        _ chunk: Int32, _ chunks: UnsafePointer<Int32>, _ count: Int
    ) -> Int {
        var low = 0
        var left = count
        while left > 0 {
            let half = left >> 1
            let isBelow = chunks[low &+ half] < chunk
            low = isBelow ? low &+ half &+ 1 : low
            left = isBelow ? left &- half &- 1 : half
        }
        return low
    }

    /// Whether each chunk is greater than the one before.
    static func ascend(_ chunks: UnsafePointer<Int32>, _ count: Int) -> Bool {
        // There is no early exit, so that the compiler vectorises the loop.
        var wrong: Int32 = 0
        var i = 1
        while i < count {
            wrong |= chunks[i &- 1] < chunks[i] ? 0 : 1
            i &+= 1
        }
        return wrong == 0
    }

    /// Whether a slot is valid. A ref must be a multiple of 8 and below `limit`: a larger ref from
    /// a damaged file could be mistaken for a node of the transaction.
    @inline(__always)
    static func leads(_ slot: NodeSlot, isInner: Bool, below limit: UInt64) -> Bool {
        slot.isTagged ? !isInner : slot.raw & 7 == 0 && slot.raw < limit && !slot.isNone
    }

    /// Whether the first `count` slots of the node are valid, and all refs in them are below
    /// `limit`.
    func leads(_ count: Int, below limit: UInt64) -> Bool {
        let (slots, isInner) = (slots, isInner)
        return (0..<count).allSatisfy {
            Self.leads(NodeSlot(raw: slots[$0]), isInner: isInner, below: limit)
        }
    }

    @inline(__always)
    private func resize(_ count: Int) {
        keys.resize(count)
        refs.resize(IndexShape.count(count))
    }

    /// Inserts an entry before entry `i`. The node must have room.
    @inline(__always)
    func insert(_ chunk: Int32, _ slot: UInt64, at i: Int) {
        let (count, chunks, slots) = (count, chunks, slots)
        assert(i >= 0 && i <= count)
        resize(count + 1)
        (chunks + i + 1).update(from: chunks + i, count: count - i)
        (slots + i + 1).update(from: slots + i, count: count - i)
        chunks[i] = chunk
        slots[i] = slot
    }

    /// Appends entries of another node. The node must have room.
    func append(_ other: IndexNode, _ range: Range<Int>) {
        let count = count
        resize(count + range.count)
        (chunks + count).update(from: other.chunks + range.lowerBound, count: range.count)
        (slots + count).update(from: other.slots + range.lowerBound, count: range.count)
    }

    /// Copies the chunks from `other` to a node whose slots are already stored.
    func fill(_ other: UnsafePointer<Int32>, _ count: Int) {
        resize(count)
        chunks.update(from: other, count: count)
    }

    func remove(at i: Int) {
        let (left, chunks, slots) = (count - 1, chunks, slots)
        assert(i >= 0 && i <= left)
        (chunks + i).update(from: chunks + i + 1, count: left - i)
        (slots + i).update(from: slots + i + 1, count: left - i)
        resize(left)
    }

    /// Removes the entries of the node from index `count` on.
    func truncate(to count: Int) { resize(count) }

    /// Inserts an entry for each pair, and returns the number of inserted entries. The upper half
    /// of a pair's number is the chunk, its payload the object key. The pairs are sorted; the node
    /// must have room.
    ///
    /// Stops before the first chunk that gets no new entry in this node: the node or the previous
    /// pair has the same chunk, or the chunk belongs to a later leaf of the level.
    ///
    /// - Parameters:
    ///   - room: maximum number of entries to insert.
    ///   - isLast: whether the node is the last leaf of its level, so that all greater chunks
    ///     belong to it.
    func merge(
        _ pairs: UnsafeBufferPointer<NumberPair>, room: Int, isLast: Bool
    ) -> Int {
        let (count, chunks, slots) = (count, chunks, slots)
        let taken = mergeable(pairs, room: room, isLast: isLast)
        resize(count + taken)
        // Goes backwards, so that each entry is moved once.
        var old = count - 1
        var new = taken - 1
        var at = count + taken - 1
        while new >= 0 {
            let chunk = Int32(truncatingIfNeeded: pairs[new].number >> 32)
            if old >= 0, chunks[old] > chunk {
                chunks[at] = chunks[old]
                slots[at] = slots[old]
                old -= 1
            } else {
                chunks[at] = chunk
                slots[at] = NodeSlot(object: pairs[new].payload).raw
                new -= 1
            }
            at -= 1
        }
        return taken
    }

    private func mergeable(
        _ pairs: UnsafeBufferPointer<NumberPair>, room: Int, isLast: Bool
    ) -> Int {
        let (count, chunks) = (count, chunks)
        var taken = 0
        var i = 0
        while taken < min(room, pairs.count) {
            let chunk = Int32(truncatingIfNeeded: pairs[taken].number >> 32)
            while i < count, chunks[i] < chunk { i += 1 }
            if i == count ? !isLast : chunks[i] == chunk { break }
            if taken > 0, pairs[taken].number >> 32 == pairs[taken - 1].number >> 32 { break }
            taken += 1
        }
        return taken
    }
}

extension NodeSlot {
    /// Makes a slot that contains the key of a single object.
    @inline(__always)
    init(object key: Int64) { raw = UInt64(bitPattern: key) << 1 | 1 }

    /// Key of the single object in the slot, which must be tagged.
    @inline(__always) var object: Int64 { Int64(bitPattern: raw >> 1) }
}
