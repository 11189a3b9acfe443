/// The state of an aggregate function, to which values are added. A state contains no references,
/// because the states of groups are written to temporary files as bytes.
protocol AggregateState: Sendable {
    /// Adds a value that occurs `times` times to the state. Skips values to which the function does
    /// not apply.
    mutating func add(_ value: Value, times: Int64)

    /// Adds all values of a leaf to the state, in the order of the rows.
    mutating func add(_ cells: ColumnLeaf) throws(RealmError)

    /// Adds the values of the selected rows of a leaf to the state, in the order of the rows.
    mutating func add(_ cells: ColumnLeaf, _ rows: Selection) throws(RealmError)

    /// Adds the value of each selected row of a leaf to the state of the row's group.
    static func add(
        _ cells: ColumnLeaf, _ rows: Selection, to states: GroupStates<Self>
    ) throws(RealmError)

    /// Adds another state to this state. The values of `other` must come after the values of this
    /// state in the input, because the order can affect rounding and ties.
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

/// Access to the states of one aggregate in all groups, for a loop over the rows of a leaf.
struct GroupStates<State> {
    /// Address of the state of group 0. The states of successive groups are `step` bytes apart.
    let first: UnsafeMutableRawPointer
    let step: Int
    /// Ordinal of the group to which each row belongs: 0 for the first group.
    let groups: UnsafePointer<UInt32>

    /// Returns the state of the group to which the object in `row` belongs.
    @inline(__always)
    subscript(row: Int) -> UnsafeMutablePointer<State> {
        (first + Int(groups[row]) &* step).assumingMemoryBound(to: State.self)
    }
}
