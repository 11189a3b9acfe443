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
    }

    private let space: NodeSpace
    private let slab: SlabNodes
    /// The version's free space, from which more is taken when the first extents do not suffice.
    private var free: FreeSpace
    private let page: UInt64
    private var extents: [Extent]
    private var current = 0
    /// Bytes still to be placed, at most.
    private var left: UInt64
    private let largest: UInt64
    private(set) var runs: [Run]
    /// The last run's, which keeps it: a commit places thousands of nodes.
    private var buffer: Unmanaged<ByteBufferBox>
    private var unused: [Extent] = []
    private var at: UInt64
    /// What the next node must not reach beyond to go to `at`.
    private var limit: UInt64 = 0
    /// Slots of the nodes that are being written, from the root down.
    private let slots: SlotStack
    private let slotMemory = SlotMemory()

    static let section: UInt64 = 1 << 26

    /// Will write nodes of `need` into space taken from `free`, if it can be with `extra` free bytes
    /// behind them.
    init(
        space: NodeSpace, slab: SlabNodes, free: FreeSpace, need: Need, extra: UInt64 = 0,
        page: UInt64
    ) {
        self.space = space
        self.slab = slab
        self.free = free
        self.page = page
        slots = slotMemory.stack
        left = need.bytes
        largest = need.largest
        let taken = self.free.take(need, extra: extra, page: page)
        extents = taken.extents
        if let reserve = taken.reserve { unused.append(reserve) }
        at = extents[0].start
        let run = Self.run(at, room: min(left, extents[0].end - at))
        runs = [run]
        buffer = .passUnretained(run.bytes)
    }

    private static func run(_ start: UInt64, room: UInt64) -> Run {
        Run(start: start, bytes: ByteBufferBox(capacity: Int(clamping: room)))
    }

    /// With room for all that the extent may get, so that it is not moved while it grows.
    private mutating func beginRun() {
        let run = Self.run(at, room: min(left, extents[current].end - at))
        runs.append(run)
        buffer = .passUnretained(run.bytes)
    }

    /// Room that nodes to be written take at most.
    struct Need {
        var bytes: UInt64 = 0
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
        need.largest = max(need.largest, UInt64(node.byteSize))
        guard node.hasRefs else { return }
        if let slots = node.wideSlots {
            // Most slots of most nodes lead to what is in the file already.
            let start = slab.start
            for i in 0..<node.count where slots[i] >= start && slots[i] & 1 == 0 {
                try measure(Ref(slots[i]), space, slab, &need)
            }
        } else {
            for i in 0..<node.count {
                if let child = node.slot(i).child { try measure(child, space, slab, &need) }
            }
        }
    }

    /// Writes the tree below `ref` and returns where its root now is.
    mutating func write(_ ref: Ref) throws(RealmError) -> Ref {
        guard !ref.isNone, slab.contains(ref) else { return ref }
        let node = try space.node(ref)
        if !node.hasRefs { return try emit(node) }
        let first = slots.push(node)
        let start = slab.start
        for i in first..<first + node.count {
            let raw = slots[i]
            if raw >= start, raw & 1 == 0 { slots[i] = try write(Ref(raw)).raw }
        }
        let written = try emit(slots.values(from: first), flags: node.flags & 0xE0)
        slots.pop(to: first)
        return written
    }

    /// Places a node without refs as it is.
    private mutating func emit(_ node: NodeView) throws(RealmError) -> Ref {
        let size = node.byteSize
        let ref = try place(size)
        buffer._withUnsafeGuaranteedRef { buffer in
            let p = buffer.reserve(size)
            p.storeBytes(
                of: NodeView.header(flags: node.flags, count: node.count), as: UInt64.self)
            (p + NodeView.headerSize).copyMemory(
                from: node.payload, byteCount: size - NodeView.headerSize)
            buffer.advance(by: size)
        }
        return ref
    }

    /// Places an array of integers at the smallest width they need.
    private mutating func emit(
        _ values: UnsafeBufferPointer<Int64>, flags: UInt8
    ) throws(RealmError) -> Ref {
        let code = NodeEncoder.widthCode(values)
        let flags = flags | code
        let payload = (NodeView.payloadSize(flags: flags, count: values.count) + 7) & ~7
        let ref = try place(NodeView.headerSize + payload)
        buffer._withUnsafeGuaranteedRef { buffer in
            let p = buffer.reserve(NodeView.headerSize + payload)
            p.storeBytes(
                of: NodeView.header(flags: flags, count: values.count), as: UInt64.self)
            let q = p + NodeView.headerSize
            // The padding is in the last word.
            if payload > 0 { (q + payload - 8).storeBytes(of: 0, as: UInt64.self) }
            NodeEncoder.pack(values, code, into: q)
            buffer.advance(by: NodeView.headerSize + payload)
        }
        return ref
    }

    /// Decides where the next `size` bytes go.
    @inline(__always)
    private mutating func place(_ size: Int) throws(RealmError) -> Ref {
        let (start, size) = (at, UInt64(size))
        guard start + size <= limit else { return try placeElsewhere(size) }
        left -= min(left, size)
        at = start + size
        return Ref(start)
    }

    @inline(never)
    private mutating func placeElsewhere(_ size: UInt64) throws(RealmError) -> Ref {
        while true {
            let extent = extents[current]
            let boundary = (at / Self.section + 1) * Self.section
            let start = at + size <= boundary ? at : boundary
            if start + size <= extent.end {
                if start != at { skip(to: start) }
                left -= min(left, size)
                at = start + size
                limit = min(extent.end, (start / Self.section + 1) * Self.section)
                return Ref(start)
            }
            unused.append(Extent(start: at, count: extent.end - at))
            current += 1
            if current == extents.count {
                // Pieces were lost at the ends of extents.
                let rest = Need(bytes: max(left, 2 * size), largest: max(largest, size))
                extents += free.take(rest, page: page).extents
            }
            at = extents[current].start
            beginRun()
        }
    }

    private mutating func skip(to start: UInt64) {
        unused.append(Extent(start: at, count: start - at))
        at = start
        beginRun()
    }

    /// The free space without what was written.
    mutating func finish() -> FreeSpace {
        unused.append(Extent(start: at, count: extents[current].end - at))
        unused += extents[(current + 1)...]
        free.giveBack(unused)
        return free
    }
}

extension NodeView {
    /// The slots of a node with refs that has 64 bits for each, as those that lead to nodes of the slab
    /// mostly have.
    @inline(__always)
    fileprivate var wideSlots: UnsafePointer<UInt64>? {
        widthCode == 7 ? payload.assumingMemoryBound(to: UInt64.self) : nil
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
}
