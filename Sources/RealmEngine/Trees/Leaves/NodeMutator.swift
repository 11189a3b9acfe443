/// Copy-on-write mutator of a transaction's nodes.
///
/// The first change of a node copies the node to the slab, with room for growth, and stores the ref
/// of the copy in the parent's slot. The parent was copied before, so the tree is valid at every
/// moment. A node that outgrows its room is copied again.
///
/// Nodes of the transaction are followed without checks. A damaged file could contain a ref that
/// equals the ref of such a node, so all refs in a node of the file are checked when the node is
/// copied.
///
/// A trivial pointer to memory that an `EditContext` owns: counting references for every node would
/// cost more than changing the node.
struct NodeMutator {
    let slab: SlabNodes
    let state: UnsafeMutablePointer<State>

    struct State {
        var space: NodeSpace
        /// Extents of nodes that belong to the base version or were spilled, and that the
        /// transaction no longer uses.
        var freed: [Extent] = []
        var freedBytes: UInt64 = 0
        var changeableBytes = 0
    }

    init(_ slab: SlabNodes, _ space: NodeSpace) {
        self.slab = slab
        state = .holding(State(space: space))
    }

    func deallocate() { state.release() }

    @inline(__always) var space: NodeSpace { state.pointee.space }

    /// Sets the list of freed extents, for a transaction that continues the work of an earlier
    /// transaction of the same group.
    func take(_ freed: ArraySlice<Extent>) {
        state.pointee.freed = Array(freed)
        state.pointee.freedBytes = freed.reduce(0) { $0 + $1.count }
    }

    /// Removes from `freed`, from index `first` on, the extents for which `isOther` returns true.
    func discardFreed(from first: Int, where isOther: (Extent) -> Bool) {
        var bytes: UInt64 = 0
        var kept = first
        for i in first..<state.pointee.freed.count {
            let extent = state.pointee.freed[i]
            if isOther(extent) {
                bytes += extent.count
            } else {
                state.pointee.freed[kept] = extent
                kept += 1
            }
        }
        state.pointee.freed.removeSubrange(kept...)
        state.pointee.freedBytes -= bytes
    }
}

// MARK: - Freeing

extension NodeMutator {
    /// Frees one node, without the nodes that it references. Nodes in the slab need not be freed.
    /// Throws `corrupt` if more bytes were freed than the file contains; this ends walks in a
    /// damaged file with shared nodes.
    func free(_ ref: Ref) throws(RealmError) {
        if ref.isNone || slab.contains(ref) { return }
        try free(ref, space.node(ref))
    }

    /// Frees a node that the caller has opened.
    @inline(__always)
    func free(_ ref: Ref, _ node: NodeView) throws(RealmError) {
        if slab.contains(ref) { return }
        let size = UInt64(truncatingIfNeeded: node.byteSize)
        state.pointee.freedBytes &+= size
        guard state.pointee.freedBytes <= space.limit else { throw space.exhausted(ref) }
        state.pointee.freed.append(Extent(start: ref.raw, count: size))
    }

    /// Frees a node and every node below it.
    ///
    /// Each node is freed before its children are opened, so the byte limit of `free` also ends a
    /// walk around a cycle in a damaged file. The depth is not limited: everything that can be
    /// written can be freed.
    func freeDeep(_ root: Ref) throws(RealmError) {
        if root.isNone { return }
        var pending: [Ref] = []
        try free(root, listing: &pending)
        while let ref = pending.popLast() { try free(ref, listing: &pending) }
    }

    /// Frees one node and appends its children to `pending`.
    private func free(_ ref: Ref, listing pending: inout [Ref]) throws(RealmError) {
        let node = try space.node(ref)
        try free(ref, node)
        if !node.hasRefs { return }
        for i in 0..<node.count {
            if let child = node.slot(i).child { pending.append(child) }
        }
    }

    /// Frees a node and its direct children, which must not contain refs.
    func freeWithChildren(_ ref: Ref) throws(RealmError) {
        if ref.isNone { return }
        let node = try space.node(ref)
        if node.hasRefs {
            for i in 0..<node.count {
                if let child = node.slot(i).child { try free(child) }
            }
        }
        try free(ref)
    }
}

// MARK: - Changes

extension NodeMutator {
    @inline(__always) func owns(_ ref: Ref) -> Bool { slab.owns(ref) }

    /// Returns the node at `slot`, which must have no refs. Copies it first if the transaction does
    /// not own it. The caller has checked the flags of the node.
    @inline(__always)
    func makeWritable(_ slot: RefSlot) throws(RealmError) -> SlabNode {
        let ref = Ref(slot.pointee)
        return owns(ref) ? slab.writable(ref) : try copyPlain(slot)
    }

    /// Opens an integer array for reading. Nodes that the transaction created are not checked
    /// again.
    @inline(__always)
    func integers(_ ref: Ref, _ role: StaticString) throws(RealmError) -> NodeView {
        owns(ref) ? slab.writable(ref).view : try space.integers(ref, role)
    }

    /// Returns the node at `slot`, which must have refs. Copies it first if the transaction does
    /// not own it.
    @inline(__always)
    func writableRefs(_ slot: RefSlot) throws(RealmError) -> SlabNode {
        let ref = Ref(slot.pointee)
        if owns(ref) {
            let node = slab.writable(ref)
            if node.flags & 7 == 7 { return node }
        }
        return try copyRefs(slot)
    }

    private func copyPlain(_ slot: RefSlot) throws(RealmError) -> SlabNode {
        let ref = Ref(slot.pointee)
        let view = try space.node(ref)
        guard !view.hasRefs else { throw space.wrongShape(ref, "plain node") }
        let size = NodeView.payloadSize(flags: view.flags, count: view.count)
        let copy = try slab.node(
            flags: view.flags, count: view.count, room: size + size / 8 + 16)
        copy.payload.copyMemory(from: view.payload, byteCount: size)
        try replace(slot, view, copy.ref, size)
        return slab.writable(copy.ref)
    }

    /// Replaces the node at `slot` by a copy with 64 bits per slot and room for `extra` more.
    @discardableResult
    func copyRefs(_ slot: RefSlot, extra: Int = 0) throws(RealmError) -> SlabNode {
        let ref = Ref(slot.pointee)
        let view = try space.node(ref)
        guard view.hasRefs else { throw space.wrongShape(ref, "node with refs") }
        let copy = try slab.node(
            flags: view.flags | 7, count: view.count, room: 8 * (view.count + extra))
        let slots = copy.payload.assumingMemoryBound(to: UInt64.self)
        view.decodeSlots(from: 0, into: slots)
        let limit = limit(ofRefsIn: ref)
        for i in 0..<view.count where slots[i] & 1 == 0 && slots[i] >= limit {
            throw space.badRef(Ref(slots[i]))
        }
        try replace(slot, view, copy.ref, 8 * view.count)
        return slab.writable(copy.ref)
    }

    /// Upper bound of valid refs in the node at `ref`. A node of the file cannot reference nodes in
    /// the slab. In a commit group, a node of an earlier transaction cannot reference nodes of this
    /// one.
    func limit(ofRefsIn ref: Ref) -> UInt64 {
        owns(ref) ? .max : slab.contains(ref) ? slab.firstOwn : space.limit
    }

    /// Throws `corrupt` if `child`, a ref read from the node at `parent`, equals the ref of a node
    /// that the transaction created after `parent`. Only a damaged file contains such a ref.
    @inline(__always)
    func check(_ child: Ref, in parent: Ref) throws(RealmError) {
        if owns(child), child.raw >= limit(ofRefsIn: parent) { throw space.badRef(child) }
    }

    /// If a value is a collection, checks its root like `check(_:in:)`.
    @inline(__always)
    func checkRoot(of value: Value, in parent: Ref) throws(RealmError) {
        if let root = value.collectionRoot { try check(root, in: parent) }
    }

    private func replace(
        _ slot: RefSlot, _ old: NodeView, _ copy: Ref, _ size: Int
    ) throws(RealmError) {
        if !owns(Ref(slot.pointee)) { state.pointee.changeableBytes &+= size &+ 24 }
        try free(Ref(slot.pointee), old)
        slot.pointee = copy.raw
    }

    /// Makes a node with `count` slots, all zero, and room for `extra` more.
    func newRefs(
        _ count: Int, flags: UInt8 = 0, extra: Int = 0
    ) throws(RealmError) -> (ref: Ref, node: SlabNode) {
        let new = try slab.node(
            flags: flags | NodeView.hasRefsFlag | 7, count: count, room: 8 * (count + extra))
        new.payload.initializeMemory(as: UInt8.self, repeating: 0, count: 8 * count)
        return (new.ref, slab.writable(new.ref))
    }

    /// Returns the node at `slot`. Copies it to a larger node if it has no room for `count`
    /// elements.
    @inline(__always)
    func ensureCapacity(_ slot: RefSlot, for count: Int) throws(RealmError) -> SlabNode {
        let node = slab.writable(Ref(slot.pointee))
        return node.hasRoom(for: count) ? node : try grown(slot, for: count)
    }

    @inline(never)
    private func grown(_ slot: RefSlot, for count: Int) throws(RealmError) -> SlabNode {
        let node = slab.writable(Ref(slot.pointee))
        let needed = NodeView.payloadSize(flags: node.flags, count: count)
        let larger = try slab.node(
            flags: node.flags, count: node.count, room: needed + needed / 2 + 32)
        larger.payload.copyMemory(from: node.payload, byteCount: (node.usedBytes + 7) & ~7)
        slot.pointee = larger.ref.raw
        return slab.writable(larger.ref)
    }
}

extension SlabNode {
    /// Number of payload bytes before padding.
    @inline(__always)
    var usedBytes: Int { NodeView.payloadSize(flags: flags, count: count) }
}

// MARK: - Integers

/// Changes of packed integer arrays. The array keeps its width unless a value needs a larger one.
extension NodeMutator {
    /// Whether elements of an array are signed.
    enum Sign {
        /// The rule of int-arrays: elements of less than 8 bits are unsigned, others signed.
        case usual
        /// Keys and offsets are stored without sign: elements are unsigned and at least 8 bits
        /// wide.
        case none

        @inline(__always)
        func code(_ value: Int64) -> UInt8 {
            if self == .usual {
                return NodeEncoder.widthCode(
                    magnitude: value ^ (value >> 63), isNegative: value < 0)
            }
            let value = UInt64(bitPattern: value)
            return value < 1 << 8 ? 4 : value < 1 << 16 ? 5 : value < 1 << 32 ? 6 : 7
        }

        @inline(__always)
        func read(_ node: NodeView, _ i: Int) -> Int64 {
            self == .usual ? node.integer(i) : Int64(bitPattern: node.unsigned(i))
        }
    }

    @inline(__always)
    func setInteger(
        _ slot: RefSlot, _ i: Int, _ value: Int64, _ sign: Sign = .usual
    ) throws(RealmError) {
        var node = try makeWritable(slot)
        guard i < node.count else { throw outside(slot) }
        let code = sign.code(value)
        if code > node.flags & 7 { node = try widened(slot, code, extra: 0, sign) }
        node.store(value, at: i)
    }

    @inline(__always)
    func insertInteger(
        _ slot: RefSlot, _ i: Int, _ value: Int64, _ sign: Sign = .usual
    ) throws(RealmError) {
        var node = try makeWritable(slot)
        let count = node.count
        guard i <= count else { throw outside(slot) }
        let code = sign.code(value)
        if code > node.flags & 7 {
            node = try widened(slot, code, extra: 1, sign)
        } else if !node.hasRoom(for: count + 1) {
            node = try ensureCapacity(slot, for: count + 1)
        }
        if i == count { node.resize(count + 1) } else { node.open(i) }
        node.store(value, at: i)
    }

    /// Appends integers to the array at `ref`. Copies the array first if the transaction does not
    /// own it. Returns the ref of the changed array.
    func appended(
        _ integers: UnsafeBufferPointer<Int64>, to ref: Ref
    ) throws(RealmError) -> Ref {
        var raw = ref.raw
        let count = try makeWritable(&raw).count
        for (i, integer) in integers.enumerated() { try insertInteger(&raw, count + i, integer) }
        return Ref(raw)
    }

    @inline(__always)
    func removeInteger(_ slot: RefSlot, _ i: Int) throws(RealmError) {
        let node = try makeWritable(slot)
        guard i < node.count else { throw outside(slot) }
        node.close(i)
    }

    /// Adds `delta` to the elements from index `first` on. The last element must be the largest:
    /// the width of the array is chosen so that the last element plus `delta` fits.
    func addToIntegers(
        _ slot: RefSlot, from first: Int, _ delta: Int64, _ sign: Sign = .usual
    ) throws(RealmError) {
        var node = try makeWritable(slot)
        let count = node.count
        guard first < count, delta != 0 else { return }
        let code = sign.code(sign.read(node.view, count - 1) &+ delta)
        if code > node.flags & 7 { node = try widened(slot, code, extra: 0, sign) }
        node.add(delta, from: first)
    }

    /// Replaces the node by a copy with elements of a larger width.
    @inline(never)
    private func widened(
        _ slot: RefSlot, _ code: UInt8, extra: Int, _ sign: Sign
    ) throws(RealmError) -> SlabNode {
        let old = slab.writable(Ref(slot.pointee)).view
        let flags = old.flags & ~7 | code
        let room = NodeView.payloadSize(flags: flags, count: old.count + extra)
        let new = try slab.node(flags: flags, count: old.count, room: room + room / 4 + 16)
        let node = slab.writable(new.ref)
        if code < 4 { new.payload.initializeMemory(as: UInt8.self, repeating: 0, count: node.room) }
        for i in 0..<old.count { node.store(sign.read(old, i), at: i) }
        slot.pointee = new.ref.raw
        return node
    }

    /// The error for a column leaf with fewer values than the cluster leaf has objects.
    @inline(never)
    func outside(_ slot: RefSlot) -> RealmError {
        .corrupt("a leaf with fewer values than there are objects", at: Ref(slot.pointee))
    }
}
