/// Copies trees of nodes to a file written front to back, children before parents, and tells the
/// parents where their children are now (storage format 5.12).
///
/// Nodes without references are copied as they are, those with references at the smallest width
/// their slots need. Memory: one buffer and the slots of the nodes on the path. Confined to one
/// thread.
final class NodeCopier {
    let space: NodeSpace
    let file: SequentialFile
    private let mapping: Mapping
    /// Slots of the nodes that are being copied, a stack.
    private var slots: UnsafeMutablePointer<Int64>
    private var slotCapacity = 1 << 14
    private var slotCount = 0
    private var depth = 0
    private(set) var nodes = 0
    /// Bytes that may still be read: a tree has each node once.
    private var left: Int
    private var readSinceRelease = 0
    private let releaseStep: Int

    /// More levels than collections nested as deep as allowed have.
    private static let maximumDepth = 2000

    /// - Parameters:
    ///   - maxMemory: pages of the source are given back before more than about this much of them
    ///     are held.
    init(_ space: NodeSpace, _ mapping: Mapping, _ file: SequentialFile, maxMemory: Int) {
        self.space = space
        self.mapping = mapping
        self.file = file
        left = Int(clamping: space.limit)
        releaseStep = max(1 << 20, maxMemory / 2)
        slots = .allocate(capacity: slotCapacity)
    }

    deinit { slots.deallocate() }

    /// Copies the tree below `ref` and returns where its root is now.
    func copy(_ ref: Ref) throws(RealmError) -> Ref {
        let node = try open(ref)
        return node.hasRefs ? try copyChildren(node, ref) : try emit(node)
    }

    /// Opens a node that will be copied.
    @inline(__always)
    func open(_ ref: Ref) throws(RealmError) -> NodeView {
        let node = try space.node(ref)
        let size = node.byteSize
        left &-= size
        if left < 0 { throw space.exhausted(ref) }
        readSinceRelease &+= size
        if readSinceRelease > releaseStep { release() }
        return node
    }

    /// Gives pages of the source back to the system.
    private func release() {
        readSinceRelease = 0
        mapping.releasePages()
    }

    private func copyChildren(_ node: NodeView, _ ref: Ref) throws(RealmError) -> Ref {
        let count = node.count
        let first = try push(count, ref)
        for i in 0..<count {
            let raw = node.slot(i).raw
            if raw == 0 || raw & 1 != 0 {
                slots[first &+ i] = Int64(bitPattern: raw)
                continue
            }
            let child = try open(Ref(raw))
            let copied = child.hasRefs ? try copyChildren(child, Ref(raw)) : try emit(child)
            slots[first &+ i] = Int64(bitPattern: copied.raw)
        }
        return try pop(first, node)
    }

    /// Copies a node with references; `copyChild` gets each child with its slot's index.
    func emit(
        _ node: NodeView, at ref: Ref,
        copyChild: (_ slot: Int, Ref) throws(RealmError) -> Ref
    ) throws(RealmError) -> Ref {
        let first = try push(node.count, ref)
        for i in 0..<node.count {
            let slot = node.slot(i)
            let copied = try slot.child.map { (child) throws(RealmError) in
                try copyChild(i, child).raw
            }
            slots[first + i] = Int64(bitPattern: copied ?? slot.raw)
        }
        return try pop(first, node)
    }

    /// Makes room for the slots of a node one level deeper and returns where it is.
    private func push(_ count: Int, _ ref: Ref) throws(RealmError) -> Int {
        depth += 1
        guard depth < Self.maximumDepth else {
            throw .corrupt("nodes nested more than \(Self.maximumDepth) deep", at: ref)
        }
        let first = slotCount
        slotCount = first + count
        if slotCount > slotCapacity {
            let capacity = max(2 * slotCapacity, slotCount)
            let larger = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
            larger.update(from: slots, count: first)
            slots.deallocate()
            slots = larger
            slotCapacity = capacity
        }
        return first
    }

    /// Writes the node whose slots are on top of the stack.
    private func pop(_ first: Int, _ node: NodeView) throws(RealmError) -> Ref {
        let values = UnsafeBufferPointer(start: slots + first, count: slotCount - first)
        depth -= 1
        slotCount = first
        return try emit(values, flags: node.flags & 0xE0)
    }

    /// Writes a node without references as it is.
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
