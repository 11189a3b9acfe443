extension ClusterLeaf {
    /// The value of a column in `row`: the column is opened for it alone and therefore without charge; a
    /// long text costs by its length.
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
