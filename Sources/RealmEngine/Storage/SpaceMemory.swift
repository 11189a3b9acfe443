/// Owner of the two ways to look at one snapshot's bytes: `walk`, whose budget bounds a visit of
/// everything, and `lookup`, which may come back to the same nodes without end. Confined to one
/// thread.
final class SpaceMemory {
    let lookup: NodeSpace
    let walk: NodeSpace
    private let states: UnsafeMutablePointer<WalkState>
    private let joined = JoinedBlobs()

    init(base: UnsafeRawPointer, limit: UInt64) {
        states = .allocate(capacity: 2)
        let state = WalkState(
            budget: WalkState.endless, joined: Unmanaged.passUnretained(joined), lookup: states)
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

    @inline(__always)
    func setSlabEnd(_ end: UInt64) {
        states[0].slabEnd = end
        states[1].slabEnd = end
    }

    deinit { states.deallocate() }
}
