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
        for i in 0..<node.count {
            if let child = node.slot(i).child { try measure(child, space, slab, &need) }
        }
    }

    /// Writes the tree below `ref` and returns where its root now is.
    mutating func write(_ ref: Ref) throws(RealmError) -> Ref {
        guard !ref.isNone, slab.contains(ref) else { return ref }
        let node = try space.node(ref)
        if !node.hasRefs { return try emit(node) }
        var slots: [UInt64] = []
        slots.reserveCapacity(node.count)
        for i in 0..<node.count {
            let slot = node.slot(i)
            if let child = slot.child {
                slots.append(try write(child).raw)
            } else {
                slots.append(slot.raw)
            }
        }
        return try emit(refs: slots, flags: node.flags & 0xE0)
    }

    /// Places a node without refs as it is.
    private mutating func emit(_ node: NodeView) throws(RealmError) -> Ref {
        let size = node.byteSize
        let ref = try place(size)
        buffer._withUnsafeGuaranteedRef {
            $0.append(NodeView.header(flags: node.flags, count: node.count))
            $0.append(node.payload, size - NodeView.headerSize)
        }
        return ref
    }

    /// Places a node with refs at the smallest width its slots need.
    mutating func emit(refs slots: [UInt64], flags: UInt8) throws(RealmError) -> Ref {
        try slots.withUnsafeBufferPointer { (buffer) throws(RealmError) in
            try buffer.withMemoryRebound(to: Int64.self) { (values) throws(RealmError) in
                let code = NodeEncoder.widthCode(values)
                return try emit(values, flags: flags | NodeView.hasRefsFlag, code: code)
            }
        }
    }

    /// Places an array of integers of the given width.
    mutating func emit(
        _ values: UnsafeBufferPointer<Int64>, flags: UInt8, code: UInt8
    ) throws(RealmError) -> Ref {
        let payload = NodeView.payloadSize(flags: code, count: values.count)
        let size = NodeView.headerSize + (payload + 7) & ~7
        let ref = try place(size)
        buffer._withUnsafeGuaranteedRef { buffer in
            buffer.append(NodeView.header(flags: flags | code, count: values.count))
            let p = buffer.reserve(size - NodeView.headerSize)
            p.initializeMemory(as: UInt8.self, repeating: 0, count: size - NodeView.headerSize)
            NodeEncoder.pack(values, code, into: p)
            buffer.advance(by: size - NodeView.headerSize)
        }
        return ref
    }

    /// Decides where the next `size` bytes go.
    private mutating func place(_ size: Int) throws(RealmError) -> Ref {
        let size = UInt64(size)
        while true {
            let extent = extents[current]
            let boundary = (at / Self.section + 1) * Self.section
            let start = at + size <= boundary ? at : boundary
            if start + size <= extent.end {
                if start != at { skip(to: start) }
                left -= min(left, size)
                at = start + size
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
