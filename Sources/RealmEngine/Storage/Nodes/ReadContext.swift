/// Reads the nodes of one snapshot, for two purposes. `walk` is for visits of all nodes: it limits
/// the number of bytes read (the read budget), so that a visit ends even if a damaged file has
/// cycles. `lookup` has no such limit, so the same nodes can be opened repeatedly. Owns the read
/// states of both. Confined to one thread.
final class ReadContext {
    let lookup: NodeSpace
    let walk: NodeSpace
    /// The read state of `lookup`, followed by the read state of `walk`.
    let states: UnsafeMutablePointer<ReadState>
    private var keepAlive: AnyObject?

    /// Prepares to read a mapped file below offset `limit`. The caller keeps the mapping alive.
    ///
    /// - Parameter moment: value of the counter `EncryptedPages.moment` when the version was
    ///   opened; nil if the version is being opened now.
    convenience init(_ mapping: Mapping, limit: UInt64, since moment: UInt64? = nil) {
        self.init(
            base: mapping.base, limit: limit, mapping.pages.map(Unmanaged.passUnretained),
            moment ?? mapping.nextMoment())
    }

    /// Prepares to read the same bytes as `other`, for another thread or for another visit of all
    /// nodes.
    convenience init(_ other: NodeSpace) {
        self.init(
            base: other.base, limit: other.limit, other.state.pointee.pages,
            other.state.pointee.moment)
        setDerived(other.state.pointee.derived)
        setKeyShift(other.state.pointee.keyShift)
    }

    /// Prepares to read bytes in memory that are neither encrypted nor mapped from a file.
    convenience init(base: UnsafeRawPointer, limit: UInt64) {
        self.init(base: base, limit: limit, nil, 0)
    }

    private init(
        base: UnsafeRawPointer, limit: UInt64, _ pages: Unmanaged<EncryptedPages>?,
        _ moment: UInt64
    ) {
        // A typed allocation has a known alignment, which makes it faster.
        let layout = MemoryLayout<ReadState>.self
        states = UnsafeMutableRawPointer.allocate(
            byteCount: 2 * layout.stride, alignment: layout.alignment
        ).bindMemory(to: ReadState.self, capacity: 2)
        var state = ReadState(budget: ReadState.endless, lookup: states)
        (state.pages, state.moment, state.limit) = (pages, moment, limit)
        state.marks = pages?.takeUnretainedValue().marks
        states.initialize(repeating: state, count: 2)
        lookup = NodeSpace(base: base, limit: limit, state: states)
        walk = NodeSpace(base: base, limit: limit, state: states + 1)
        walk.resetBudget()
    }

    /// Makes the nodes in `view`, which an open write transaction has created, readable through
    /// this context. If `view` is nil, no such nodes are readable.
    func setSlab(_ view: SlabView?) {
        for i in 0..<2 {
            states[i].slabStart = view?.region.start ?? 0
            states[i].slabEnd = view?.end ?? 0
        }
    }

    /// Sets the number of bits of an object key that select the child at each level of a cluster
    /// tree.
    func setKeyShift(_ shift: UInt64) { for i in 0..<2 { states[i].keyShift = shift } }

    /// Sets the object that builds nodes in the current format from a file of an older format; nil
    /// changes nothing. The caller keeps `nodes` alive.
    func setDerived(_ nodes: Unmanaged<DerivedNodes>?) {
        guard let nodes else { return }
        for i in 0..<2 { states[i].derived = nodes }
        walk.resetBudget()
    }

    /// Sets the object that builds nodes in the current format from a file of an older format.
    /// Retains the object.
    func setDerivedNodes(_ nodes: DerivedNodes) {
        keepAlive = nodes
        setDerived(.passUnretained(nodes))
    }

    /// Makes this context throw for every node that is opened. Called after the write transaction
    /// has replaced nodes that the context reads.
    func outdate() {
        for i in 0..<2 {
            states[i].isOutdated = true
            states[i].slabEnd = 0
            states[i].budget = -ReadState.endless
        }
    }

    var isOutdated: Bool { states[0].isOutdated }

    deinit {
        states.pointee.joined?.release()
        states.deallocate()
    }
}
