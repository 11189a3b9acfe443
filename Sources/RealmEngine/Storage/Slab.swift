/// Where a write transaction keeps the nodes it makes: memory behind the file in the same address
/// space, so that a ref is an offset from the one base pointer here too.
///
/// Nodes are only ever added; what a transaction replaces before it commits is simply left behind.
/// A commit copies what is reachable into the file and empties the slab. Used by the open write
/// transaction only, so the write mutex guards it.
final class Slab: @unchecked Sendable {
    fileprivate var memory: ReservedMemory
    /// First ref of the slab: halfway into the reservation, beyond any file.
    let start: UInt64
    private(set) var used = 0
    /// The bytes of the transaction that uses the slab now.
    private var memoryOfUser: SpaceMemory?

    /// Nodes beyond this are refused: the size field has 24 bits.
    static let maximumCount = 0xFF_FFFF

    init(_ mapping: Mapping) {
        let page = Mapping.pageSize
        let offset = mapping.reserved / 2 / page * page
        start = UInt64(offset)
        memory = ReservedMemory(
            start: UnsafeMutableRawPointer(mutating: mapping.base) + offset,
            capacity: mapping.reserved - offset)
    }

    /// A transaction begins, or goes on with all nodes made so far in the file: its spaces see the nodes made from now on.
    func attach(_ user: SpaceMemory) {
        used = 0
        memoryOfUser = user
        user.setSlab(start: start, end: start)
    }

    /// The transaction ended: all nodes are forgotten, memory beyond a few MiB goes back to the
    /// system.
    func detach() {
        memoryOfUser?.setSlab(start: start, end: start)
        memoryOfUser = nil
        used = 0
        memory.trim(to: 8 << 20)
    }

    @inline(__always) func contains(_ ref: Ref) -> Bool { ref.raw >= start }

    /// A new node with its header written and its payload for the caller to fill; the padding is
    /// zero.
    func node(flags: UInt8, count: Int) throws(RealmError) -> (
        ref: Ref, payload: UnsafeMutableRawPointer
    ) {
        guard count <= Self.maximumCount else {
            throw .misuse("a node of \(count) elements exceeds the format", reason: "too-large")
        }
        let payload = NodeView.payloadSize(flags: flags, count: count)
        let size = NodeView.headerSize + (payload + 7) & ~7
        try memory.ensure(used + size)
        let at = memory.start + used
        at.storeBytes(of: NodeView.header(flags: flags, count: count), as: UInt64.self)
        if size > 8 { (at + size - 8).storeBytes(of: 0, as: UInt64.self) }
        let ref = Ref(start + UInt64(used))
        used += size
        memoryOfUser?.setSlab(start: start, end: start + UInt64(used))
        return (ref, at + NodeView.headerSize)
    }
}

extension Slab {
    /// Adds flag bits to the header of a node made here.
    func setFlags(_ flags: UInt8, on ref: Ref) {
        precondition(contains(ref))
        let header = memory.start + Int(ref.raw - start)
        header.storeBytes(
            of: header.load(fromByteOffset: 4, as: UInt8.self) | flags, toByteOffset: 4,
            as: UInt8.self)
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
