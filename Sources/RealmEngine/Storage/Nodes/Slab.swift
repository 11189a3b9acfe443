/// Memory for the nodes that write transactions create. It follows the file in the same address
/// range, so one base pointer serves refs of the file and of the slab.
///
/// Nodes are only appended. A node that is replaced before the commit keeps its space, unused. A
/// commit copies the reachable nodes to the file. Each transaction, or group of transactions with a
/// common commit (`CommitGroup`), has its own region, which exists until its last view is released.
/// Only the open write transaction uses the slab, so no other lock than the write mutex is needed.
final class Slab: @unchecked Sendable {
    private var low: ReservedMemory
    private var high: ReservedMemory
    private let regions: SlabRegions
    /// Whether the database is encrypted, so that its nodes must stay in memory.
    private let isConfidential: Bool
    private var region: SlabRegion?
    /// Read context of the open transaction; nil if no transaction is open.
    private var memoryOfUser: ReadContext?
    /// Temporary file to which `moveOut` moves the nodes of a transaction that will not be
    /// committed (a dry run). Nil until the first call of `moveOut`.
    private var pages: PageFile?
    /// Offset from `start`: all nodes of the open transaction before it were moved to the temporary
    /// file `pages`.
    private var moved = 0
    /// Handle with which nodes of the slab are created and opened.
    let nodes: SlabNodes

    private var state: UnsafeMutablePointer<SlabNodes.State> { nodes.state }
    private var next: Int {
        get { state.pointee.next }
        set { state.pointee.next = newValue }
    }

    /// First ref of the slab, greater than every ref of a node in the file: the slab begins after
    /// the addresses that are reserved for the file.
    var start: UInt64 { state.pointee.start }

    /// Maximum number of elements of a node: the size field has 24 bits.
    static let maximumCount = 0xFF_FFFF

    convenience init(_ mapping: Mapping) { self.init(mapping, mapping.behindFile) }

    /// Makes a slab at the addresses `part`, which are offsets from the start of `mapping`. `part`
    /// is inside `mapping.behindFile`, the addresses that are reserved after the file.
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

    /// Size in bytes of the nodes in the open region, without the nodes that `moveOut` moved to a
    /// temporary file; 0 if no region is open.
    var used: Int { region == nil ? 0 : next - moved }

    /// View of the nodes that the open transaction has created so far. Keeps these nodes alive. Nil
    /// if no transaction is open.
    var view: SlabView? {
        region.map { SlabView(region: $0, end: start + UInt64(next)) }
    }

    /// Opens a region of the slab for the nodes of a transaction. Called again for an open
    /// transaction, after its earlier nodes were written to the file. The new nodes can be read
    /// through `user`, the transaction's read context.
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

    /// Makes the nodes that the open transaction has created so far immutable.
    func seal() { nodes.seal() }

    /// Moves the nodes that the open transaction has created to a temporary file in `directory`, to
    /// free memory. Their addresses stay the same. Does nothing for an encrypted database. Throws
    /// `output` if the disk is full.
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

    /// Lets the transaction with the read context `user` use the open region and the nodes in it.
    func reattach(_ user: ReadContext) {
        memoryOfUser = user
        state.pointee.user = user.states
        user.setSlab(view)
    }

    /// Ends the open transaction, or the open group of transactions with a common commit. Frees its
    /// nodes as soon as no `SlabView` references them.
    func detach() {
        memoryOfUser?.setSlab(nil)
        memoryOfUser = nil
        state.pointee.user = nil
        if let region { regions.close(region, at: next) }
        region = nil
        state.pointee.firstOwn = .max
    }

    /// Makes the memory of the slab up to offset `size` accessible. Throws if the region of the
    /// open transaction ends before that offset.
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

/// Access to the nodes of a slab, the memory for nodes that write transactions create. A trivial
/// handle, since counting references for every node would cost more than editing the node. The slab
/// outlives the handle.
struct SlabNodes {
    fileprivate(set) var state: UnsafeMutablePointer<State>

    struct State {
        /// Address of the slab, the memory for nodes that write transactions create. `start` is the
        /// ref of the byte at this address.
        let base: UnsafeMutableRawPointer
        let start: UInt64
        /// Number of nodes that were created since the open transaction began and are in memory.
        var count = 0
        /// Offsets from `start`: of the next node, of the end of the open transaction's region, and
        /// of the end of accessible memory.
        var next = 0
        var limit = 0
        var usable = 0
        /// First ref whose node the open transaction created and may change. Nodes before it may
        /// belong to versions that readers see.
        var firstOwn = UInt64.max
        /// The two read states in the read context of the open transaction: the state of
        /// `ReadContext.lookup`, then the state of `ReadContext.walk`. Nil if no transaction is
        /// open.
        var user: UnsafeMutablePointer<ReadState>?
        var slab: Unmanaged<Slab>?
    }

    fileprivate init(base: UnsafeMutableRawPointer, start: UInt64) {
        state = .allocate(capacity: 1)
        state.initialize(to: State(base: base, start: start))
    }

    var start: UInt64 { state.pointee.start }
    var firstOwn: UInt64 { state.pointee.firstOwn }
    /// Size in bytes of the nodes that were created since the open transaction began and are in
    /// memory.
    var used: Int { state.pointee.slab!.takeUnretainedValue().used }
    /// Number of nodes that were created since the open transaction began and are in memory.
    var count: Int { state.pointee.count }

    /// Makes the nodes that the open transaction has created so far immutable.
    func seal() { state.pointee.firstOwn = start + UInt64(state.pointee.next) }

    @inline(__always) func contains(_ ref: Ref) -> Bool { ref.raw >= state.pointee.start }

    /// Whether the open transaction created the node and may change it in place.
    @inline(__always) func owns(_ ref: Ref) -> Bool { ref.raw >= state.pointee.firstOwn }

    /// Whether `address` is in the part of the slab that contains nodes.
    @inline(__always)
    func holds(_ address: UnsafeRawPointer) -> Bool {
        let offset = address - UnsafeRawPointer(state.pointee.base)
        return offset >= 0 && offset < state.pointee.next
    }

    /// Returns the node at `ref`, to be changed in place. The open transaction must have created
    /// the node.
    @inline(__always)
    func writable(_ ref: Ref) -> SlabNode {
        assert(owns(ref))
        return SlabNode(header: state.pointee.base + Int(ref.raw &- state.pointee.start))
    }

    /// Creates a node with its header written and its payload for the caller to fill; the padding
    /// is zero.
    ///
    /// - Parameter room: capacity of the payload in bytes. Values smaller than the present size of
    ///   the payload have no effect.
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

    /// Returns the eight bytes of a node's header as one little-endian word.
    @inline(__always)
    static func header(flags: UInt8, count: Int) -> UInt64 {
        let size = UInt64(UInt32(truncatingIfNeeded: count).byteSwapped >> 8)
        return signature | UInt64(flags) << 32 | size << 40
    }
}
