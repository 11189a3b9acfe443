/// The one address space of a snapshot: a ref is an offset from `base`, valid below `limit`.
///
/// Every node is checked once, when it is opened: aligned, inside the logical size, whole, with a
/// width type the format knows. Inside a checked node no further checks are needed for its own
/// bytes. A trivial value; the snapshot that made it keeps the mapping alive.
struct NodeSpace {
    let base: UnsafeRawPointer
    /// The snapshot's logical size in bytes.
    let limit: UInt64
    /// Bytes of nodes that may still be opened. A tree references each node once, so one walk over
    /// everything never opens more bytes than the file holds; a cycle or a shared node does.
    /// Look-ups, which legitimately come back to the same nodes, use a space whose budget is
    /// practically endless.
    let state: UnsafeMutablePointer<WalkState>

    /// Opens the node at `ref`, charging its size to the budget.
    @inline(__always)
    func node(_ ref: Ref) throws(RealmError) -> NodeView {
        let at = ref.raw
        var end = limit
        if at >= limit {
            // A node of the open write transaction, or a reference to nowhere.
            end = state.pointee.slabEnd
            guard at >= state.pointee.slabStart, at < end else { throw badRef(ref) }
        }
        guard at & 7 == 0, at >= 24, end &- at >= 8 else { throw badRef(ref) }
        let header = (base + Int(at)).load(as: UInt64.self)
        let flags = UInt8(truncatingIfNeeded: header >> 32)
        let count = Int((header >> 40).byteSwapped >> 40)
        let size = NodeView.payloadSize(flags: flags, count: count) &+ 8
        guard UInt64(size) <= end &- at, (flags >> 3) & 3 != 3 else {
            throw badNode(ref, count)
        }
        try charge(size, at: ref)
        return NodeView(payload: base + Int(at) + 8, count: count, flags: flags)
    }

    /// Charges `bytes` of work to the budget.
    @inline(__always)
    func charge(_ bytes: Int, at ref: Ref) throws(RealmError) {
        state.pointee.budget &-= bytes
        if state.pointee.budget < 0 { throw exhausted(ref) }
    }

    /// A new walk begins. A walk opens some nodes twice; the rest is slack for small files.
    func resetBudget() { state.pointee.budget = 4 &* Int(limit) &+ (1 << 16) }

    /// Opens a node that must hold refs and at least `slots` elements.
    @inline(__always)
    func refNode(_ ref: Ref, slots: Int, _ role: StaticString) throws(RealmError) -> NodeView {
        let node = try node(ref)
        guard node.hasRefs, node.widthType == 0, node.count >= slots else {
            throw wrongShape(ref, role)
        }
        return node
    }

    /// Opens a node that must be a plain array of integers.
    @inline(__always)
    func integers(_ ref: Ref, _ role: StaticString) throws(RealmError) -> NodeView {
        let node = try node(ref)
        guard node.flags & (NodeView.hasRefsFlag | NodeView.innerFlag) == 0, node.widthType == 0
        else { throw wrongShape(ref, role) }
        return node
    }

    @inline(never)
    func badRef(_ ref: Ref) -> RealmError {
        .corrupt(
            ref.raw & 7 != 0
                ? "a reference is not a multiple of 8"
                : "a reference leads outside the snapshot of \(limit) bytes", at: ref)
    }

    @inline(never)
    func badNode(_ ref: Ref, _ count: Int) -> RealmError {
        .corrupt(
            "a node of \(count) elements does not fit the snapshot or has no known form", at: ref)
    }

    @inline(never)
    func wrongShape(_ ref: Ref, _ role: StaticString) -> RealmError {
        .corrupt("not the form of node expected here (\(role))", at: ref)
    }

    @inline(never)
    func exhausted(_ ref: Ref) -> RealmError {
        .corrupt(
            "more nodes are reached than the file can hold (a cycle or a shared node)", at: ref)
    }
}

/// What changes while nodes are read: the remaining budget and the values joined from parts.
struct WalkState {
    var budget: Int
    let joined: Unmanaged<JoinedBlobs>
    /// The refs that nodes of an open write transaction have; an empty range for readers.
    var slabStart: UInt64 = 0
    var slabEnd: UInt64 = 0

    /// For look-ups: never exhausted in practice.
    static let endless = Int.max / 2
}

/// Values stored in several blobs, put together once and kept as long as the snapshot.
final class JoinedBlobs {
    private var memory: [Ref: UnsafeMutableRawPointer] = [:]

    deinit { for block in memory.values { block.deallocate() } }

    /// The joined bytes of the value at `ref`; `fill` writes them the first time.
    func bytes(
        of ref: Ref, count: Int, fill: (UnsafeMutableRawPointer) throws(RealmError) -> Void
    ) throws(RealmError) -> UnsafeRawPointer {
        if let known = memory[ref] { return UnsafeRawPointer(known) }
        let block = UnsafeMutableRawPointer.allocate(byteCount: max(1, count), alignment: 8)
        memory[ref] = block
        block.initializeMemory(as: UInt8.self, repeating: 0, count: max(1, count))
        try fill(block)
        return UnsafeRawPointer(block)
    }
}
