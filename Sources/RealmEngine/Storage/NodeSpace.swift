/// The one address space of a snapshot: a ref is an offset from `base`, valid below `limit`.
///
/// Every node is checked once, when it is opened: aligned, inside the logical size, whole, with a
/// width type the format knows. Inside a checked node no further checks are needed for its own
/// bytes. A trivial value; the snapshot that made it keeps the mapping alive.
struct NodeSpace {
    let base: UnsafeRawPointer
    /// The snapshot's logical size in bytes.
    let limit: UInt64
    /// Bytes of nodes a walk may still open. A tree references each node once, so one walk over
    /// everything never opens more bytes than the file holds; a cycle or a shared node does.
    let budget: UnsafeMutablePointer<Int>

    /// Opens the node at `ref`.
    @inline(__always)
    func node(_ ref: Ref) throws(RealmError) -> NodeView {
        let at = ref.raw
        guard at & 7 == 0, at >= 24, at < limit, limit &- at >= 8 else { throw badRef(ref) }
        let header = (base + Int(at)).load(as: UInt64.self)
        let flags = UInt8(truncatingIfNeeded: header >> 32)
        let count = Int((header >> 40).byteSwapped >> 40)
        let size = NodeView.payloadSize(flags: flags, count: count)
        guard UInt64(size) &+ 8 <= limit &- at, (flags >> 3) & 3 != 3 else {
            throw badNode(ref, count)
        }
        return NodeView(payload: base + Int(at) + 8, count: count, flags: flags)
    }

    /// Opens a node as part of a walk over a whole tree, charging its size to the budget.
    @inline(__always)
    func walkNode(_ ref: Ref) throws(RealmError) -> NodeView {
        let node = try node(ref)
        budget.pointee &-= node.byteSize
        if budget.pointee < 0 { throw exhausted(ref) }
        return node
    }

    /// Charges work that opens no node of its own.
    @inline(__always)
    func charge(_ bytes: Int, at ref: Ref) throws(RealmError) {
        budget.pointee &-= bytes
        if budget.pointee < 0 { throw exhausted(ref) }
    }

    /// A new walk begins. The slack pays for what small files legitimately read twice.
    func resetBudget() { budget.pointee = 2 &* Int(limit) &+ (1 << 16) }

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
