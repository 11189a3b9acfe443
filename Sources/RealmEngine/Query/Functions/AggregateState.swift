/// The state of an aggregate function, to which values are added. A state contains no references,
/// because the states of groups are written to temporary files as bytes.
protocol AggregateState: Sendable {
    /// Adds a value that occurs `times` times. Values that the function does not aggregate are
    /// skipped.
    mutating func add(_ value: Value, times: Int64)

    /// Adds all values of a leaf, in order.
    mutating func add(_ cells: ColumnLeaf) throws(RealmError)

    /// Adds the values of the selected rows of a leaf, in order.
    mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError)

    /// Adds the values of the selected rows of a leaf, each to the state of its group.
    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError)

    /// Adds another state, whose values come after the values of this state in the order of
    /// addition.
    mutating func merge(_ other: Self)
}

extension AggregateState {
    mutating func add(_ cells: ColumnLeaf) throws(RealmError) {
        for row in 0..<cells.count { add(try cells.value(row), times: 1) }
    }

    mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError) {
        try rows.visit { (row) throws(RealmError) in add(try cells.value(row), times: 1) }
    }

    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError) {
        try rows.visit { (row) throws(RealmError) in
            states[row].pointee.add(try cells.value(row), times: 1)
        }
    }
}

/// The states of one aggregate, by group.
struct GroupStates<State> {
    /// State of group 0. The states of successive groups are `step` bytes apart.
    let first: UnsafeMutableRawPointer
    let step: Int
    /// Number of the group to which each row belongs.
    let groups: UnsafePointer<UInt32>

    /// The state of the group to which a row belongs.
    @inline(__always)
    subscript(row: Int) -> UnsafeMutablePointer<State> {
        (first + Int(groups[row]) &* step).assumingMemoryBound(to: State.self)
    }
}
