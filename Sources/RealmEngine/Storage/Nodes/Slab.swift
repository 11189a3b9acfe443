/// Where write transactions keep the nodes they make: memory behind the file in the same address
/// space, so that a ref is an offset from the one base pointer here too.
///
/// Nodes are only ever added; what a transaction replaces before it commits is simply left behind.
/// A commit copies what is reachable into the file. Each transaction or group has a region of its
/// own, which lasts as long as a view of it. Used by the open write transaction only, so the writer's
/// turn guards it.
final class Slab: @unchecked Sendable {
    private var low: ReservedMemory
    private var high: ReservedMemory
    private let regions: SlabRegions
    /// The nodes are of an encrypted database.
    private let isConfidential: Bool
    private var region: SlabRegion?
    /// The bytes of the transaction that uses the slab now.
    private var memoryOfUser: ReadContext?
    /// Where nodes moved that are never to reach the database.
    private var pages: PageFile?
    /// Up to here the open region's nodes moved.
    private var moved = 0
    /// What is read and changed for every node.
    let nodes: SlabNodes

    private var state: UnsafeMutablePointer<SlabNodes.State> { nodes.state }
    private var next: Int {
        get { state.pointee.next }
        set { state.pointee.next = newValue }
    }

    /// First ref of the slab: halfway into the reservation, beyond any file.
    var start: UInt64 { state.pointee.start }

    /// Nodes beyond this are refused: the size field has 24 bits.
    static let maximumCount = 0xFF_FFFF

    convenience init(_ mapping: Mapping) { self.init(mapping, mapping.behindFile) }

    /// In a part of the addresses behind the file.
    init(_ mapping: Mapping, _ part: Range<Int>) {
        isConfidential = mapping.pages != nil
        let offset = part.lowerBound
        let base = UnsafeMutableRawPointer(mutating: mapping.base) + offset
        regions = SlabRegions(mapping, start: offset, capacity: part.count)
        low = ReservedMemory(start: base, capacity: regions.half)
        high = ReservedMemory(start: base + regions.half, capacity: regions.half)
        nodes = SlabNodes(base: base, start: UInt64(offset))
        state.pointee.slab = .passUnretained(self)
    }

    deinit { state.deallocate() }

    /// Bytes of the nodes made since `attach` that are in memory.
    var used: Int { region == nil ? 0 : next - moved }

    /// What keeps the nodes made so far; nil when no transaction is open.
    var view: SlabView? {
        region.map { SlabView(region: $0, end: start + UInt64(next)) }
    }

    /// A transaction begins, or goes on with all nodes made so far in the file: its spaces see the
    /// nodes made from now on.
    func attach(_ user: ReadContext) {
        detach()
        let (region, room) = regions.open()
        self.region = region
        next = room.lowerBound
        state.pointee.count = 0
        state.pointee.limit = room.upperBound
        noteUsable(at: next)
        moved = next
        seal()
        reattach(user)
    }

    /// The nodes made so far stay as they are from now on.
    func seal() { nodes.seal() }

    /// Moves the nodes made so far to a temporary file in `directory`; they stay where they are, but
    /// take no memory. Those of an encrypted database stay in memory. Throws `output` when the disk is
    /// full.
    func moveOut(to directory: String) throws(RealmError) {
        if isConfidential { return }
        if pages == nil { pages = try PageFile(in: directory) }
        let end = next / AddressSpace.pageSize * AddressSpace.pageSize
        if end <= moved { return }
        try pages?.take(state.pointee.base + moved, end - moved)
        moved = end
        state.pointee.count = 0
        seal()
    }

    /// Another transaction goes on with the nodes made so far.
    func reattach(_ user: ReadContext) {
        memoryOfUser = user
        state.pointee.user = user.states
        user.setSlab(view)
    }

    /// The transaction or group ended: its nodes are forgotten, except for views of them.
    func detach() {
        memoryOfUser?.setSlab(nil)
        memoryOfUser = nil
        state.pointee.user = nil
        if let region { regions.close(region, at: next) }
        region = nil
        state.pointee.firstOwn = .max
    }

    /// Makes the memory up to `size` usable; throws when there is not as much.
    fileprivate func ensure(_ size: Int) throws(RealmError) {
        guard size <= state.pointee.limit else { throw low.exhausted }
        if next < regions.half {
            try low.ensure(size)
        } else {
            try high.ensure(size - regions.half)
        }
        noteUsable(at: next)
    }

    private func noteUsable(at offset: Int) {
        let half = regions.half
        state.pointee.usable = offset < half ? low.usable : half + high.usable
    }
}

/// The nodes of a slab, as whoever edits them sees them: a trivial handle, since a reference that is
/// counted for every node would cost more than what is done to the node. The slab outlives it.
struct SlabNodes {
    fileprivate(set) var state: UnsafeMutablePointer<State>

    struct State {
        /// Where the memory begins, and the ref of what is there.
        let base: UnsafeMutableRawPointer
        let start: UInt64
        /// Number of nodes made since the transaction began that are in memory.
        var count = 0
        /// Where the next node goes, what it must not reach, and up to where memory is usable, as
        /// offsets from `start`.
        var next = 0
        var limit = 0
        var usable = 0
        /// The first ref whose node the transaction that is open now has made: what is in front of it
        /// belongs to versions that others may see.
        var firstOwn = UInt64.max
        /// The two states of whoever reads the nodes as they are made.
        var user: UnsafeMutablePointer<ReadState>?
        var slab: Unmanaged<Slab>?
    }

    fileprivate init(base: UnsafeMutableRawPointer, start: UInt64) {
        state = .allocate(capacity: 1)
        state.initialize(to: State(base: base, start: start))
    }

    var start: UInt64 { state.pointee.start }
    var firstOwn: UInt64 { state.pointee.firstOwn }
    /// Bytes of the nodes made since the transaction began that are in memory.
    var used: Int { state.pointee.slab!.takeUnretainedValue().used }
    /// Number of these nodes.
    var count: Int { state.pointee.count }

    /// The nodes made so far stay as they are from now on.
    func seal() { state.pointee.firstOwn = start + UInt64(state.pointee.next) }

    @inline(__always) func contains(_ ref: Ref) -> Bool { ref.raw >= state.pointee.start }

    /// Whether the transaction that is open now made the node, so that it may change it.
    @inline(__always) func owns(_ ref: Ref) -> Bool { ref.raw >= state.pointee.firstOwn }

    /// Whether the address is one of a node.
    @inline(__always)
    func holds(_ address: UnsafeRawPointer) -> Bool {
        let offset = address - UnsafeRawPointer(state.pointee.base)
        return offset >= 0 && offset < state.pointee.next
    }

    /// A node that the transaction made.
    @inline(__always)
    func writable(_ ref: Ref) -> SlabNode {
        assert(owns(ref))
        return SlabNode(header: state.pointee.base + Int(ref.raw &- state.pointee.start))
    }

    /// A new node with its header written and its payload for the caller to fill; the padding is
    /// zero.
    ///
    /// - Parameter room: bytes to set aside for the payload, if that is more than it takes now.
    func node(flags: UInt8, count: Int, room: Int = 0) throws(RealmError) -> (
        ref: Ref, payload: UnsafeMutableRawPointer
    ) {
        guard count <= Slab.maximumCount else {
            throw .misuse("a node of \(count) elements exceeds the format", reason: "too-large")
        }
        let payload = (NodeView.payloadSize(flags: flags, count: count) + 7) & ~7
        let room = max(payload, (room + 7) & ~7)
        let (base, next) = (state.pointee.base, state.pointee.next)
        let end = next + SlabNode.prefix + NodeView.headerSize + room
        if end > state.pointee.usable || end > state.pointee.limit { try ensure(end) }
        (base + next).storeBytes(of: UInt64(room), as: UInt64.self)
        let at = base + next + SlabNode.prefix
        at.storeBytes(of: NodeView.header(flags: flags, count: count), as: UInt64.self)
        if payload > 0 { (at + payload).storeBytes(of: 0, as: UInt64.self) }
        let start = state.pointee.start
        state.pointee.next = end
        state.pointee.count &+= 1
        if let user = state.pointee.user {
            user[0].slabEnd = start + UInt64(end)
            user[1].slabEnd = start + UInt64(end)
        }
        return (Ref(start + UInt64(next + SlabNode.prefix)), at + NodeView.headerSize)
    }

    @inline(never)
    private func ensure(_ size: Int) throws(RealmError) {
        try state.pointee.slab!.takeUnretainedValue().ensure(size)
    }
}

extension NodeView {
    static let signature: UInt64 = 0x4141_4141

    /// The eight header bytes as one little-endian word.
    @inline(__always)
    static func header(flags: UInt8, count: Int) -> UInt64 {
        let size = UInt64(UInt32(truncatingIfNeeded: count).byteSwapped >> 8)
        return signature | UInt64(flags) << 32 | size << 40
    }
}
