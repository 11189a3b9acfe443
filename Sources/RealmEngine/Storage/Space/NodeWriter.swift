/// Copies new nodes from the slab, the memory for nodes of write transactions, to free extents of
/// the file, children before parents. Replaces refs of nodes in the slab by the refs of their
/// copies.
///
/// Nodes that are already in the file do not move. No node crosses a boundary of the sections of 64
/// MiB into which the format divides a file (storage format 3.3).
struct NodeWriter {
    /// A range of the file that nodes fill without gaps, and the bytes to write there.
    struct Run {
        let start: UInt64
        let bytes: ByteBufferBox
        var end: UInt64 { start + UInt64(bytes.count) }

        init(start: UInt64, bytes: ByteBufferBox) { (self.start, self.bytes) = (start, bytes) }

        /// Reserves memory for `room` bytes, so that the buffer does not move while nodes are
        /// appended.
        init(start: UInt64, room: UInt64) {
            self.init(start: start, bytes: ByteBufferBox(capacity: Int(clamping: room)))
        }
    }

    private let order: NodeOrder
    private var places: NodePlacement
    /// Scratch memory for the decoded slots of the node that is being written.
    private var slots = [Int64](repeating: 0, count: 256)
    /// Refs in the file of the nodes written so far, in the order of `order.items`.
    private var written: [Int64] = []

    static let section: UInt64 = 1 << 26

    /// Prepares to write the nodes of `order` into `free` space. Reserves space for free lists of
    /// `extra` bytes.
    init(_ order: NodeOrder, free: consuming FreeSpace, extra: UInt64 = 0, page: UInt64) {
        self.order = order
        places = NodePlacement(free, order.need, extra: extra, page: page)
    }

    var runs: [Run] { places.runs }
    /// Last run, a range of the file filled with nodes without gaps. The free lists and the root
    /// can be appended to it. Nil if space is reserved for them.
    var lastRun: Run? { places.lastRun }
    /// Extent reserved for the free lists; nil if they are placed after the nodes.
    var reserve: Extent? { places.reserve }

    /// Writes all nodes of `order`. Returns, for each ref in `order.roots`, the ref of that root in
    /// the file.
    mutating func write() throws(RealmError) -> [Ref] {
        written.reserveCapacity(order.items.count)
        for (i, item) in order.items.enumerated() {
            let node = item.node
            let ref = node.hasRefs ? try emit(node, i) : try emit(node)
            written.append(Int64(bitPattern: ref.raw))
        }
        var roots = order.roots
        var last = written.count - 1
        for root in roots.indices.reversed() where order.includes(roots[root]) {
            roots[root] = Ref(UInt64(bitPattern: written[last]))
            last -= Int(order.items[last].subtree)
        }
        return roots
    }

    /// Writes `node`, a node with refs, to the file. `i` is its index in `order.items`. Its
    /// children are already written: refs of nodes in the slab are replaced by the refs of their
    /// copies in the file.
    private mutating func emit(_ node: NodeView, _ i: Int) throws(RealmError) -> Ref {
        let count = node.count
        if slots.count < count { slots = [Int64](repeating: 0, count: count) }
        slots.withUnsafeMutableBufferPointer { slots in
            IntegerKernels.decode(node, first: 0, count: count, into: slots.baseAddress!)
            order.visitChildren(of: i) { slots[Int(order.items[$0].slot)] = written[$0] }
        }
        let slots = slots
        return try slots.withUnsafeBufferPointer { (slots) throws(RealmError) in
            try emit(UnsafeBufferPointer(rebasing: slots[..<count]), flags: node.flags & 0xE0)
        }
    }

    /// Writes a node without refs to the file unchanged.
    private mutating func emit(_ node: NodeView) throws(RealmError) -> Ref {
        let size = node.byteSize
        let (ref, p) = try places.place(size)
        p.storeBytes(of: NodeView.header(flags: node.flags, count: node.count), as: UInt64.self)
        (p + NodeView.headerSize).copyMemory(
            from: node.payload, byteCount: size - NodeView.headerSize)
        return ref
    }

    /// Writes a node of integers to the file, with the smallest sufficient width.
    private mutating func emit(
        _ values: UnsafeBufferPointer<Int64>, flags: UInt8
    ) throws(RealmError) -> Ref {
        let code = NodeEncoder.widthCode(values)
        let flags = flags | code
        let payload = (NodeView.payloadSize(flags: flags, count: values.count) + 7) & ~7
        let (ref, p) = try places.place(NodeView.headerSize + payload)
        p.storeBytes(of: NodeView.header(flags: flags, count: values.count), as: UInt64.self)
        let q = p + NodeView.headerSize
        // Zeroes the last word, which contains the padding.
        if payload > 0 { (q + payload - 8).storeBytes(of: 0, as: UInt64.self) }
        NodeEncoder.pack(values, code, into: q)
        return ref
    }

    /// Approximate space that the nodes to be written need.
    struct SpaceEstimate {
        var bytes: UInt64 = 0
        var nodes: UInt64 = 0
        /// Size in bytes of the largest node. No node crosses a boundary of a 64 MiB section of the
        /// file. So up to this number of bytes remains unused before each boundary.
        var largest: UInt64 = 0
    }

    /// Returns the free space that is left after all nodes were placed.
    mutating func finish() -> FreeSpace { places.finish() }
}

/// A byte buffer with reference semantics, to be stored in an array.
final class ByteBufferBox {
    private let buffer: UnsafeMutablePointer<ByteBuffer>

    init(capacity: Int) { buffer = .holding(ByteBuffer(capacity: capacity)) }

    deinit { buffer.release() }

    var bytes: UnsafeRawBufferPointer { buffer.pointee.bytes }
    var count: Int { buffer.pointee.count }

    func append(_ word: UInt64) {
        buffer.pointee.reserve(8).storeBytes(of: word, as: UInt64.self)
        buffer.pointee.advance(by: 8)
    }

    func append(_ base: UnsafeRawPointer, _ count: Int) { buffer.pointee.append(base, count) }
    func reserve(_ count: Int) -> UnsafeMutableRawPointer { buffer.pointee.reserve(count) }
    func advance(by count: Int) { buffer.pointee.advance(by: count) }

    /// Returns memory for `count` more bytes, to be filled before the next call.
    func extend(by count: Int) -> UnsafeMutableRawPointer {
        let p = buffer.pointee.reserve(count)
        buffer.pointee.advance(by: count)
        return p
    }
}
