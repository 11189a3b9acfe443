/// Values that were computed from the columns of a table. The editor clears them when the columns
/// change.
struct ColumnCaches {
    var shape: RowShape?
    private(set) var fields: UnsafeMutableBufferPointer<RowShape.Field>?
    /// The description of the table that readers of the open transaction received last; nil if
    /// there is none.
    var info: TableInfo?
    var positions = ColumnPositions()

    @inline(never)
    mutating func makeFields(
        _ columns: [ColumnInfo], of editor: TableEditor
    ) -> UnsafeMutableBufferPointer<RowShape.Field> {
        let fresh = UnsafeMutableBufferPointer<RowShape.Field>.allocate(capacity: columns.count)
        _ = fresh.initialize(from: columns.map { RowShape.Field($0, of: editor) })
        fields = fresh
        return fresh
    }

    /// Clears everything except `positions`, which stay valid if each column keeps its name and its
    /// position in a cluster leaf (leaf index).
    mutating func clearShape() {
        (info, shape) = (nil, nil)
        fields?.deallocate()
        fields = nil
    }
}
