/// The operations of an aggregate function on its states, independent of the state's type.
class AggregateOperation: @unchecked Sendable {
    /// Size of a state in bytes. States are aligned to 16 bytes.
    let size: Int

    fileprivate init(size: Int) { self.size = size }

    /// Initializes the state of a group that has no values yet.
    func start(_ state: UnsafeMutableRawPointer) {}
    func add(_ value: Value, times: Int64, to state: UnsafeMutableRawPointer) {}
    /// Adds all values of a leaf to a state, in order.
    func add(_ cells: ColumnLeaf, to state: UnsafeMutableRawPointer) throws(RealmError) {}
    /// Adds the values of the selected rows of a leaf to a state, in order.
    func add(
        _ cells: ColumnLeaf, _ rows: Selection, to state: UnsafeMutableRawPointer
    ) throws(RealmError) {}
    /// Adds the value of each selected row of a leaf to the state of the row's group. See
    /// `GroupStates`.
    func add(
        _ cells: ColumnLeaf, _ rows: Selection, toGroups first: UnsafeMutableRawPointer, step: Int,
        _ groups: UnsafePointer<UInt32>
    ) throws(RealmError) {}
    /// Adds the state `other` to `state`. The values of `other` must come after the values of
    /// `state` in the input, because the order can affect rounding and ties.
    func merge(_ other: UnsafeRawPointer, into state: UnsafeMutableRawPointer) {}
    func result(_ state: UnsafeRawPointer, _ overflow: IntegerOverflow) -> Value { .null }
}

/// An aggregate operation whose state has the type `State`, with a final step that computes the
/// result from the state.
final class OperationOn<State: AggregateState>: AggregateOperation, @unchecked Sendable {
    private let empty: State
    private let finish: @Sendable (State, IntegerOverflow) -> Value

    /// - Parameter empty: initial state, before the first value is added.
    init(_ empty: State, _ finish: @escaping @Sendable (State, IntegerOverflow) -> Value) {
        self.empty = empty
        self.finish = finish
        super.init(size: (MemoryLayout<State>.size + 15) & ~15)
    }

    override func start(_ state: UnsafeMutableRawPointer) {
        state.initializeMemory(as: State.self, to: empty)
    }

    override func add(_ value: Value, times: Int64, to state: UnsafeMutableRawPointer) {
        state.assumingMemoryBound(to: State.self).pointee.add(value, times: times)
    }

    override func add(_ cells: ColumnLeaf, to state: UnsafeMutableRawPointer) throws(RealmError) {
        try state.assumingMemoryBound(to: State.self).pointee.add(cells)
    }

    override func add(
        _ cells: ColumnLeaf, _ rows: Selection, to state: UnsafeMutableRawPointer
    ) throws(RealmError) {
        try state.assumingMemoryBound(to: State.self).pointee.add(cells, rows)
    }

    override func add(
        _ cells: ColumnLeaf, _ rows: Selection, toGroups first: UnsafeMutableRawPointer, step: Int,
        _ groups: UnsafePointer<UInt32>
    ) throws(RealmError) {
        try State.add(
            cells, rows, to: GroupStates(first: first, step: step, groups: groups))
    }

    override func merge(_ other: UnsafeRawPointer, into state: UnsafeMutableRawPointer) {
        state.assumingMemoryBound(to: State.self).pointee.merge(other.load(as: State.self))
    }

    override func result(_ state: UnsafeRawPointer, _ overflow: IntegerOverflow) -> Value {
        finish(state.load(as: State.self), overflow)
    }
}
