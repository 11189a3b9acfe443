/// The operations of an aggregate function on a state, in which the function aggregates values. The
/// type of the state is hidden in closures.
///
/// If this class were generic over that type, or cast to it, the Swift runtime would search for the
/// type's protocol conformance each time that a program starts.
final class AggregateOperation: @unchecked Sendable {
    /// Size in bytes of the state in which the function aggregates values. States are aligned to 16
    /// bytes.
    let size: Int
    private let initialize: (UnsafeMutableRawPointer) -> Void
    private let addValue: (UnsafeMutableRawPointer, Value, Int64) -> Void
    private let addLeaf: (UnsafeMutableRawPointer, ColumnLeaf) throws(RealmError) -> Void
    private let addRows: (UnsafeMutableRawPointer, ColumnLeaf, Selection) throws(RealmError) -> Void
    private let addGroups:
        (
            UnsafeMutableRawPointer, Int, UnsafePointer<UInt32>, ColumnLeaf, Selection
        ) throws(RealmError) -> Void
    private let mergeState: (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
    private let finish: (UnsafeRawPointer, IntegerOverflow) -> Value

    /// Makes the operations on states of the type `State`.
    ///
    /// - Parameter empty: the state before the first value.
    /// - Parameter finish: computes the result from a state.
    init<State: AggregateState>(
        _ empty: State, _ finish: @escaping @Sendable (State, IntegerOverflow) -> Value
    ) {
        size = (MemoryLayout<State>.size + 15) & ~15
        initialize = { $0.initializeMemory(as: State.self, to: empty) }
        addValue = { (state, value, times) in
            state.assumingMemoryBound(to: State.self).pointee.add(value, times: times)
        }
        addLeaf = { (state, cells) throws(RealmError) in
            try state.assumingMemoryBound(to: State.self).pointee.add(cells)
        }
        addRows = { (state, cells, rows) throws(RealmError) in
            try state.assumingMemoryBound(to: State.self).pointee.add(cells, rows)
        }
        addGroups = { (first, step, groups, cells, rows) throws(RealmError) in
            try State.add(
                cells, rows, to: GroupStates(first: first, step: step, groups: groups))
        }
        mergeState = { (state, other) in
            state.assumingMemoryBound(to: State.self).pointee.merge(other.load(as: State.self))
        }
        self.finish = { (state, overflow) in finish(state.load(as: State.self), overflow) }
    }

    /// Initializes the state of a group without values.
    func start(_ state: UnsafeMutableRawPointer) { initialize(state) }

    func add(_ value: Value, times: Int64, to state: UnsafeMutableRawPointer) {
        addValue(state, value, times)
    }

    /// Adds all values of a leaf to a state, in order.
    func add(_ cells: ColumnLeaf, to state: UnsafeMutableRawPointer) throws(RealmError) {
        try addLeaf(state, cells)
    }

    /// Adds the values of the selected rows of a leaf to a state, in order.
    func add(
        _ cells: ColumnLeaf, _ rows: Selection, to state: UnsafeMutableRawPointer
    ) throws(RealmError) {
        try addRows(state, cells, rows)
    }

    /// Adds the values of the selected rows of a leaf, each to the state of its group. See
    /// `GroupStates`.
    func add(
        _ cells: ColumnLeaf, _ rows: Selection, toGroups first: UnsafeMutableRawPointer, step: Int,
        _ groups: UnsafePointer<UInt32>
    ) throws(RealmError) {
        try addGroups(first, step, groups, cells, rows)
    }

    /// Adds the state `other`, whose values follow the values of `state`.
    func merge(_ other: UnsafeRawPointer, into state: UnsafeMutableRawPointer) {
        mergeState(state, other)
    }

    func result(_ state: UnsafeRawPointer, _ overflow: IntegerOverflow) -> Value {
        finish(state, overflow)
    }
}
