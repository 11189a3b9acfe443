/// Owner of the two ways to look at one snapshot's bytes: `walk`, whose budget bounds a visit of
/// everything, and `lookup`, which may come back to the same nodes without end. Confined to one
/// thread.
final class ReadContext {
    let lookup: NodeSpace
    let walk: NodeSpace
    /// Of `lookup`, and of `walk`.
    let states: UnsafeMutablePointer<ReadState>
    private var keeper: AnyObject?

    /// For what lies below `limit` in a mapped file, which the caller keeps.
    ///
    /// - Parameter moment: when the version was read that is looked at; nil for now.
    convenience init(_ mapping: Mapping, limit: UInt64, since moment: UInt64? = nil) {
        self.init(
            base: mapping.base, limit: limit, mapping.pages.map(Unmanaged.passUnretained),
            moment ?? mapping.nextMoment())
    }

    /// The same bytes as in `other`, for another thread or walk.
    convenience init(_ other: NodeSpace) {
        self.init(
            base: other.base, limit: other.limit, other.state.pointee.pages,
            other.state.pointee.moment)
        setDerived(other.state.pointee.derived)
        setKeyShift(other.state.pointee.keyShift)
    }

    /// For bytes that are there, none of an encrypted file.
    convenience init(base: UnsafeRawPointer, limit: UInt64) {
        self.init(base: base, limit: limit, nil, 0)
    }

    private init(
        base: UnsafeRawPointer, limit: UInt64, _ pages: Unmanaged<EncryptedPages>?,
        _ moment: UInt64
    ) {
        // What says how it is aligned is allocated faster than what does not.
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

    /// Tells both views which nodes of an open write transaction or group they may read.
    func setSlab(_ view: SlabView?) {
        for i in 0..<2 {
            states[i].slabStart = view?.region.start ?? 0
            states[i].slabEnd = view?.end ?? 0
        }
    }

    /// Has both views read cluster trees whose levels take `shift` bits of a key each.
    func setKeyShift(_ shift: UInt64) { for i in 0..<2 { states[i].keyShift = shift } }

    /// Tells both views what makes the nodes of a version in an older form, which the caller keeps.
    func setDerived(_ nodes: Unmanaged<DerivedNodes>?) {
        guard let nodes else { return }
        for i in 0..<2 { states[i].derived = nodes }
        walk.resetBudget()
    }

    /// As above, and keeps it.
    func keepDerived(_ nodes: DerivedNodes) {
        keeper = nodes
        setDerived(.passUnretained(nodes))
    }

    /// What was to be read is no longer there, and nothing is read any more.
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
