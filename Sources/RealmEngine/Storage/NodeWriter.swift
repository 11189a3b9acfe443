/// Copies nodes out of the slab into free extents of the file, children before parents, and turns
/// slab refs into file refs on the way.
///
/// Nodes below the slab are left where they are. No node straddles a 64 MiB section boundary
/// (storage format 3.3).
struct NodeWriter {
    /// Bytes to be written at one place.
    struct Run {
        let start: UInt64
        let bytes: ByteBufferBox
        var end: UInt64 { start + UInt64(bytes.count) }

        init(start: UInt64, bytes: ByteBufferBox) { (self.start, self.bytes) = (start, bytes) }

        /// With room for all that it may get, so that it is not moved while it grows.
        init(start: UInt64, room: UInt64) {
            self.init(start: start, bytes: ByteBufferBox(capacity: Int(clamping: room)))
        }
    }

    private let space: NodeSpace
    private let slab: SlabNodes
    private var places: NodePlaces
    /// Slots of the nodes that are being written, from the root down.
    private let slots: SlotStack
    private let slotMemory = SlotMemory()

    static let section: UInt64 = 1 << 26

    /// Will write nodes of `need` into space taken from `free`, if it can be with `extra` free bytes
    /// behind them.
    init(
        space: NodeSpace, slab: SlabNodes, free: consuming FreeSpace, need: Need, extra: UInt64 = 0,
        page: UInt64
    ) {
        self.space = space
        self.slab = slab
        slots = slotMemory.stack
        places = NodePlaces(free, need, extra: extra, page: page)
    }

    var runs: [Run] { places.runs }

    /// Room that nodes to be written take at most.
    struct Need {
        var bytes: UInt64 = 0
        var nodes: UInt64 = 0
        /// Bytes of the largest node: what may be lost at each end of an extent or section.
        var largest: UInt64 = 0
    }

    /// Adds the nodes reachable from `ref` inside the slab to `need`.
    static func measure(
        _ ref: Ref, _ space: NodeSpace, _ slab: SlabNodes, _ need: inout Need
    ) throws(RealmError) {
        guard !ref.isNone, slab.contains(ref) else { return }
        let node = try space.node(ref)
        need.bytes += UInt64(node.byteSize)
        need.nodes += 1
        need.largest = max(need.largest, UInt64(node.byteSize))
        guard node.hasRefs else { return }
        try node.visitRefs(from: slab.start) { (_, ref) throws(RealmError) in
            try measure(ref, space, slab, &need)
        }
    }

    /// Writes the tree below `ref` and returns where its root now is.
    mutating func write(_ ref: Ref) throws(RealmError) -> Ref {
        guard !ref.isNone, slab.contains(ref) else { return ref }
        let node = try space.node(ref)
        if !node.hasRefs { return try emit(node) }
        let first = slots.push(node)
        try node.visitRefs(from: slab.start) { (i, ref) throws(RealmError) in
            slots[first + i] = try write(ref).raw
        }
        let written = try emit(slots.values(from: first), flags: node.flags & 0xE0)
        slots.pop(to: first)
        return written
    }

    /// Places a node without refs as it is.
    private mutating func emit(_ node: NodeView) throws(RealmError) -> Ref {
        let size = node.byteSize
        let (ref, p) = try places.place(size)
        p.storeBytes(of: NodeView.header(flags: node.flags, count: node.count), as: UInt64.self)
        (p + NodeView.headerSize).copyMemory(
            from: node.payload, byteCount: size - NodeView.headerSize)
        return ref
    }

    /// Places an array of integers at the smallest width they need.
    private mutating func emit(
        _ values: UnsafeBufferPointer<Int64>, flags: UInt8
    ) throws(RealmError) -> Ref {
        let code = NodeEncoder.widthCode(values)
        let flags = flags | code
        let payload = (NodeView.payloadSize(flags: flags, count: values.count) + 7) & ~7
        let (ref, p) = try places.place(NodeView.headerSize + payload)
        p.storeBytes(of: NodeView.header(flags: flags, count: values.count), as: UInt64.self)
        let q = p + NodeView.headerSize
        // The padding is in the last word.
        if payload > 0 { (q + payload - 8).storeBytes(of: 0, as: UInt64.self) }
        NodeEncoder.pack(values, code, into: q)
        return ref
    }

    /// The free space without what was written.
    mutating func finish() -> FreeSpace { places.finish() }
}

extension NodeView {
    /// Calls `body` with the position and the ref of each child of a node with refs that is at `start` or
    /// beyond.
    @inline(__always)
    fileprivate func visitRefs(
        from start: UInt64, _ body: (Int, Ref) throws(RealmError) -> Void
    ) throws(RealmError) {
        // Those that lead to nodes of the slab mostly have 64 bits for each slot.
        guard widthCode == 7 else {
            for i in 0..<count {
                if let child = slot(i).child, child.raw >= start { try body(i, child) }
            }
            return
        }
        let slots = payload.assumingMemoryBound(to: UInt64.self)
        var i = 0
        while i < count {
            // Nearly all slots lead to what is in the file already, or are no refs.
            if i &+ 4 <= count, slots[i] < start, slots[i &+ 1] < start, slots[i &+ 2] < start,
                slots[i &+ 3] < start
            {
                i &+= 4
                continue
            }
            let end = min(i &+ 4, count)
            while i < end {
                if slots[i] >= start, slots[i] & 1 == 0 { try body(i, Ref(slots[i])) }
                i &+= 1
            }
        }
    }
}

/// A byte buffer that can live in an array.
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

    /// Room for `count` bytes more, to be filled before the next call.
    func extend(by count: Int) -> UnsafeMutableRawPointer {
        let p = buffer.pointee.reserve(count)
        buffer.pointee.advance(by: count)
        return p
    }
}
