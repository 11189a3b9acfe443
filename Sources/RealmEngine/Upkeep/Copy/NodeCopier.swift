/// Copies trees of nodes to a file that is written sequentially, children before parents, and
/// updates the refs in the parents (storage format 5.12).
///
/// Nodes without references are copied unchanged; nodes with references get the smallest width for
/// their slots. Memory: one buffer, and the slots of the nodes on the path from the root. Confined
/// to one thread.
final class NodeCopier {
    let space: NodeSpace
    let file: SequentialFile
    private let mapping: Mapping
    /// Receives each node with references and its copy; nil if the copy is not verified.
    private let verification: CopyVerification?
    /// Slots of the nodes on the path from the root to the node being copied.
    let slots: SlotStack
    private let slotMemory = SlotStackCache()
    private var depth = 0
    private(set) var nodes = 0
    /// Number of bytes that the copier may still read. If it becomes negative, the copy fails: the
    /// nodes of the file then overlap or form a cycle.
    private var left: Int
    private var readSinceRelease = 0
    private let releaseStep: Int

    /// Maximum depth of nested nodes. It is greater than the depth of collections that are nested
    /// as deep as the format allows.
    private static let maximumDepth = 2000
    /// Limit in bytes of contiguous nodes copied in one step.
    private static let maximumRunSize = 1 << 14

    /// - Parameters:
    ///     - maxMemory: approximate limit in bytes of source pages in memory; half of it is read
    ///       before pages are released.
    ///     - remakes: whether nodes built for a conversion are copied in addition to the source's
    ///       nodes, which enlarges the read budget.
    init(
        _ space: NodeSpace, _ mapping: Mapping, _ file: SequentialFile,
        _ verification: CopyVerification?, maxMemory: Int, remakes: Bool = false
    ) {
        self.space = space
        self.mapping = mapping
        self.file = file
        self.verification = verification
        left = Int(clamping: space.limit) * (remakes ? 8 : 1)
        releaseStep = max(1 << 20, maxMemory / 2)
        slots = slotMemory.stack
    }

    /// Copies the tree below `ref` and returns the ref of its root in the copy.
    func copy(_ ref: Ref) throws(RealmError) -> Ref {
        let node = try open(ref)
        return node.hasRefs ? try copyChildren(node, ref) : try emit(node)
    }

    /// Opens a node to copy and charges its size to the read budget.
    @inline(__always)
    func open(_ ref: Ref) throws(RealmError) -> NodeView {
        let node = try space.node(ref)
        try charge(node.byteSize, ref)
        return node
    }

    @inline(__always)
    private func charge(_ size: Int, _ ref: Ref) throws(RealmError) {
        left &-= size
        if left < 0 { throw space.exhausted(ref) }
        readSinceRelease &+= size
        if readSinceRelease > releaseStep { release() }
    }

    /// Releases mapped pages of the source that were read.
    private func release() {
        readSinceRelease = 0
        mapping.releasePages()
    }

    private func copyChildren(_ node: NodeView, _ ref: Ref) throws(RealmError) -> Ref {
        if node.width == 0 { return try copyZeros(node, ref) }
        let count = node.count
        let first = try push(node, ref)
        var i = 0
        while i < count {
            let raw = slots[first &+ i]
            if raw == 0 || raw & 1 != 0 {
                i &+= 1
                continue
            }
            let child = try open(Ref(raw))
            if child.hasRefs {
                slots[first &+ i] = try copyChildren(child, Ref(raw)).raw
                i &+= 1
            } else {
                i = try copyLeaves(child, Ref(raw), first, i, count)
            }
        }
        return try pop(first, node, ref)
    }

    /// Copies the child of slot `i`, the node `leaf`, which has no references. If the children of
    /// the next slots directly follow it in the file and have no references either, copies them in
    /// the same step. Returns the first slot whose child was not copied. This saves time because in
    /// some files most nodes are small arrays without references, such as the leaves of lists.
    @inline(__always)
    private func copyLeaves(
        _ leaf: NodeView, _ ref: Ref, _ first: Int, _ i: Int, _ count: Int
    ) throws(RealmError) -> Int {
        var size = leaf.byteSize
        guard size < Self.maximumRunSize, leaf.hasSignature else {
            slots[first &+ i] = try emit(leaf).raw
            return i &+ 1
        }
        let start = file.position
        slots[first &+ i] = start
        var next = i &+ 1
        while next < count, size < Self.maximumRunSize,
            slots[first &+ next] == ref.raw &+ UInt64(size)
        {
            let child = try space.node(Ref(ref.raw &+ UInt64(size)))
            if child.hasRefs || !child.hasSignature { break }
            slots[first &+ next] = start &+ UInt64(size)
            try charge(child.byteSize, ref)
            size &+= child.byteSize
            next &+= 1
        }
        try file.append(leaf.payload - NodeView.headerSize, size)
        nodes &+= next &- i
        return next
    }

    /// Copies a node with references. `copyChild` receives the slot index and the ref of each
    /// child.
    func emit(
        _ node: NodeView, at ref: Ref,
        copyChild: (_ slot: Int, Ref) throws(RealmError) -> Ref
    ) throws(RealmError) -> Ref {
        if node.width == 0 { return try copyZeros(node, ref) }
        let first = try push(node, ref)
        for i in 0..<node.count {
            guard let child = NodeSlot(raw: slots[first + i]).child else { continue }
            slots[first + i] = try copyChild(i, child).raw
        }
        return try pop(first, node, ref)
    }

    /// Copies a cluster tree. `copyLeaf` receives the ref of each column's leaf and its slot,
    /// starting at 1.
    func copyClusters(
        _ ref: Ref, depth: Int = 0, copyLeaf: (_ slot: Int, Ref) throws(RealmError) -> Ref
    ) throws(RealmError) -> Ref {
        guard depth <= ClusterTree.maximumDepth else {
            throw .corrupt(
                "a cluster tree deeper than \(ClusterTree.maximumDepth) levels", at: ref)
        }
        let node = try open(ref)
        guard node.hasRefs else { throw space.wrongShape(ref, "cluster") }
        return try emit(node, at: ref) { (slot, child) throws(RealmError) in
            if !node.isInner {
                return slot == ClusterLeafShape.keys ? try copy(child) : try copyLeaf(slot, child)
            }
            if slot < InnerClusterShape.firstChild { return try copy(child) }
            return try copyClusters(child, depth: depth + 1, copyLeaf: copyLeaf)
        }
    }

    /// Copies a node of width 0. All of its slots are zero, so it takes eight bytes whatever its
    /// count is.
    private func copyZeros(_ node: NodeView, _ ref: Ref) throws(RealmError) -> Ref {
        let copied = try emit(node)
        verification?.copied(ref, copied)
        return copied
    }

    /// Pushes the slots of a node one level deeper and returns the stack index of the first slot.
    private func push(_ node: NodeView, _ ref: Ref) throws(RealmError) -> Int {
        depth += 1
        guard depth < Self.maximumDepth else {
            throw .corrupt("nodes nested more than \(Self.maximumDepth) deep", at: ref)
        }
        return slots.push(node)
    }

    /// Writes the node whose slots are on top of the stack, and removes its slots from the stack.
    private func pop(_ first: Int, _ node: NodeView, _ ref: Ref) throws(RealmError) -> Ref {
        depth -= 1
        let copied = try emit(slots.values(from: first), flags: node.flags & 0xE0)
        slots.pop(to: first)
        verification?.copied(ref, copied)
        return copied
    }

    /// Writes a copy of a node without references, unchanged.
    @inline(__always)
    func emit(_ node: NodeView) throws(RealmError) -> Ref {
        let size = node.byteSize
        let ref = Ref(file.position)
        let p = try file.reserve(size)
        p.storeBytes(of: NodeView.header(flags: node.flags, count: node.count), as: UInt64.self)
        (p + 8).copyMemory(from: node.payload, byteCount: size - 8)
        file.advance(by: size)
        nodes &+= 1
        return ref
    }

    /// Writes an array of integers at the smallest sufficient width.
    func emit(
        _ values: UnsafeBufferPointer<Int64>, flags: UInt8 = 0
    ) throws(RealmError) -> Ref {
        let code = NodeEncoder.widthCode(values)
        let payload = (NodeView.payloadSize(flags: code, count: values.count) + 7) & ~7
        let ref = Ref(file.position)
        let p = try file.reserve(payload + 8)
        p.storeBytes(
            of: NodeView.header(flags: flags | code, count: values.count), as: UInt64.self)
        if payload > 0 { (p + payload).storeBytes(of: 0, as: UInt64.self) }
        NodeEncoder.pack(values, code, into: p + 8)
        file.advance(by: payload + 8)
        nodes &+= 1
        return ref
    }

    func emit(_ values: [Int64], flags: UInt8 = 0) throws(RealmError) -> Ref {
        try values.withUnsafeBufferPointer { (buffer) throws(RealmError) in
            try emit(buffer, flags: flags)
        }
    }

    /// Writes `count` bytes as a node of the given flags and element count.
    func emit(
        bytes: UnsafeRawBufferPointer, flags: UInt8, count: Int
    ) throws(RealmError) -> Ref {
        let payload = (bytes.count + 7) & ~7
        let ref = Ref(file.position)
        let p = try file.reserve(payload + 8)
        p.storeBytes(of: NodeView.header(flags: flags, count: count), as: UInt64.self)
        if payload > 0 { (p + payload).storeBytes(of: 0, as: UInt64.self) }
        if let base = bytes.baseAddress {
            (p + 8).copyMemory(from: base, byteCount: bytes.count)
        }
        file.advance(by: payload + 8)
        nodes &+= 1
        return ref
    }
}
