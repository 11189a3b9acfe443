/// The steps from a root to the node that an edit has reached, as a stack.
///
/// Stored in memory that the editor allocates and frees. An array in a class would cost reference
/// counting and exclusivity checks for each step of each edit.
struct EditPath<Step: BitwiseCopyable> {
    private let state: UnsafeMutablePointer<State>

    private struct State {
        var steps: UnsafeMutablePointer<Step>
        var count = 0
        var capacity: Int
    }

    init() {
        let capacity = 8
        state = .holding(State(steps: .allocate(capacity: capacity), capacity: capacity))
    }

    func deallocate() {
        state.pointee.steps.deallocate()
        state.deallocate()
    }

    @inline(__always) var count: Int { state.pointee.count }
    @inline(__always) var isEmpty: Bool { count == 0 }

    /// All steps from the root on. Valid until the next `append`.
    @inline(__always) var steps: UnsafeBufferPointer<Step> {
        UnsafeBufferPointer(start: state.pointee.steps, count: count)
    }

    @inline(__always) var last: Step? { isEmpty ? nil : state.pointee.steps[count - 1] }

    @inline(__always)
    subscript(level: Int) -> Step {
        assert(level >= 0 && level < count)
        return state.pointee.steps[level]
    }

    @inline(__always)
    func append(_ step: Step) {
        if count == state.pointee.capacity { grow() }
        (state.pointee.steps + count).initialize(to: step)
        state.pointee.count &+= 1
    }

    func popLast() -> Step? {
        guard let last else { return nil }
        state.pointee.count &-= 1
        return last
    }

    /// Removes the steps of the path at index `level` and later.
    @inline(__always)
    func remove(from level: Int) {
        assert(level <= count)
        state.pointee.count = level
    }

    @inline(never)
    private func grow() {
        let larger = UnsafeMutablePointer<Step>.allocate(capacity: 2 * count)
        larger.update(from: state.pointee.steps, count: count)
        state.pointee.steps.deallocate()
        state.pointee.steps = larger
        state.pointee.capacity = 2 * count
    }
}
