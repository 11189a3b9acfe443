/// Where write transactions keep the nodes they make: memory behind the file in the same address
/// space, so that a ref is an offset from the one base pointer here too.
///
/// Nodes are only ever added; what a transaction replaces before it commits is simply left behind.
/// A commit copies what is reachable into the file. Each transaction or group has a region of its
/// own, which lasts as long as a view of it. Used by the open write transaction only, so the writer's
/// turn guards it.
final class Slab: @unchecked Sendable {
    private var memory: ReservedMemory
    /// Where the memory begins: read for every node, so beside what changes now and then.
    fileprivate let base: UnsafeMutableRawPointer
    private var usable = 0
    private let regions: SlabRegions
    /// The nodes are of an encrypted database.
    private let isConfidential: Bool
    /// First ref of the slab: halfway into the reservation, beyond any file.
    let start: UInt64
    /// Where the next node goes, and what it must not reach, as offsets from `start`.
    private var next = 0
    private var limit = 0
    private var region: SlabRegion?
    /// The bytes of the transaction that uses the slab now.
    private var memoryOfUser: SpaceMemory?
    /// Where nodes moved that are never to reach the database.
    private var pages: PageFile?
    /// Up to here the open region's nodes moved.
    private var moved = 0
    /// The first ref whose node the transaction that is open now has made: what is in front of it
    /// belongs to versions that others may see.
    private(set) var firstOwn = UInt64.max

    /// Nodes beyond this are refused: the size field has 24 bits.
    static let maximumCount = 0xFF_FFFF

    init(_ mapping: Mapping) {
        isConfidential = mapping.pages != nil
        let page = Mapping.pageSize
        let offset = mapping.reserved / 2 / page * page
        start = UInt64(offset)
        base = UnsafeMutableRawPointer(mutating: mapping.base) + offset
        memory = ReservedMemory(start: base, capacity: mapping.reserved - offset)
        regions = SlabRegions(mapping, start: offset)
    }

    /// Bytes of the nodes made since `attach` that are in memory.
    var used: Int { region == nil ? 0 : next - moved }

    /// What keeps the nodes made so far; nil when no transaction is open.
    var view: SlabView? {
        region.map { SlabView(region: $0, end: start + UInt64(next)) }
    }

    /// A transaction begins, or goes on with all nodes made so far in the file: its spaces see the
    /// nodes made from now on.
    func attach(_ user: SpaceMemory) {
        detach()
        let (region, room) = regions.open(capacity: memory.capacity)
        self.region = region
        (next, limit) = (room.lowerBound, room.upperBound)
        moved = next
        seal()
        reattach(user)
    }

    /// The nodes made so far stay as they are from now on.
    func seal() { firstOwn = start + UInt64(next) }

    /// Moves the nodes made so far to a temporary file in `directory`; they stay where they are, but
    /// take no memory. Those of an encrypted database stay in memory. Throws `output` when the disk is
    /// full.
    func moveOut(to directory: String) throws(RealmError) {
        if isConfidential { return }
        if pages == nil { pages = try PageFile(in: directory) }
        let end = next / Mapping.pageSize * Mapping.pageSize
        if end <= moved { return }
        try pages?.take(base + moved, end - moved)
        moved = end
        seal()
    }

    /// Another transaction goes on with the nodes made so far.
    func reattach(_ user: SpaceMemory) {
        memoryOfUser = user
        user.setSlab(view)
    }

    /// The transaction or group ended: its nodes are forgotten, except for views of them.
    func detach() {
        memoryOfUser?.setSlab(nil)
        memoryOfUser = nil
        if let region { regions.close(region, at: next) }
        region = nil
        firstOwn = .max
    }

    @inline(__always) func contains(_ ref: Ref) -> Bool { ref.raw >= start }

    /// Whether the transaction that is open now made the node, so that it may change it.
    @inline(__always) func owns(_ ref: Ref) -> Bool { ref.raw >= firstOwn }

    /// Whether the address is one of a node.
    @inline(__always)
    func holds(_ address: UnsafeRawPointer) -> Bool {
        let offset = address - UnsafeRawPointer(base)
        return offset >= 0 && offset < next
    }

    /// A node that the transaction made.
    @inline(__always)
    func own(_ ref: Ref) -> SlabNode {
        assert(owns(ref))
        return SlabNode(header: base + Int(ref.raw &- start))
    }

    /// A new node with its header written and its payload for the caller to fill; the padding is
    /// zero.
    ///
    /// - Parameter room: bytes to set aside for the payload, if that is more than it takes now.
    func node(flags: UInt8, count: Int, room: Int = 0) throws(RealmError) -> (
        ref: Ref, payload: UnsafeMutableRawPointer
    ) {
        guard count <= Self.maximumCount else {
            throw .misuse("a node of \(count) elements exceeds the format", reason: "too-large")
        }
        let payload = (NodeView.payloadSize(flags: flags, count: count) + 7) & ~7
        let room = max(payload, (room + 7) & ~7)
        let size = SlabNode.prefix + NodeView.headerSize + room
        guard size <= limit - next else { throw memory.exhausted }
        if next + size > usable {
            try memory.ensure(next + size)
            usable = memory.usable
        }
        (base + next).storeBytes(of: UInt64(room), as: UInt64.self)
        let at = base + next + SlabNode.prefix
        at.storeBytes(of: NodeView.header(flags: flags, count: count), as: UInt64.self)
        if payload > 0 { (at + payload).storeBytes(of: 0, as: UInt64.self) }
        let ref = Ref(start + UInt64(next + SlabNode.prefix))
        next += size
        memoryOfUser?.setSlabEnd(start + UInt64(next))
        return (ref, at + NodeView.headerSize)
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
