/// Values derived from the columns of a table; the editor clears them when the columns change.
struct ColumnCaches {
    var shape: RowShape?
    private(set) var fields: UnsafeMutableBufferPointer<RowShape.Field>?
    /// Description of the table for readers, as returned last.
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

    /// Clears all but the positions, which stay valid when a column keeps its name and leaf index.
    mutating func clearShape() {
        (info, shape) = (nil, nil)
        fields?.deallocate()
        fields = nil
    }
}
