extension ClusterLeaf {
    /// Returns the value of a column in `row`. A short value is not counted against the read
    /// budget, a long text or binary is counted by its length.
    @inline(__always)
    func value(
        _ leafIndex: Int, _ layout: LeafLayout, row: Int
    ) throws(RealmError) -> Value {
        let cells = try ColumnLeaf(
            space.unmetered, try columnRef(leafIndex), layout, rows: count)
        let value = try cells.value(row)
        switch value {
        case .string(let bytes), .binary(let bytes): try space.chargeValue(bytes.count, at: ref)
        default: break
        }
        return value
    }
}
