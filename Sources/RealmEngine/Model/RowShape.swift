/// What making rows needs to know of their table, worked out once; and the row being made.
///
/// Belongs to one `TableEditor` until its columns change. Confined to the writer.
final class RowShape {
    /// The row being made, by leaf index.
    let row: UnsafeMutablePointer<Value>
    /// What a row holds where nobody says otherwise, by leaf index.
    private let defaults: ContiguousArray<Value>
    /// Positions of columns with an index.
    let indexed: [Int]
    /// Positions of columns whose values may be or hold links.
    let linking: [Int]
    /// Position of the primary key's column.
    let primaryKey: Int?

    init(_ editor: TableEditor) {
        let columns = editor.columns
        let leaves = columns.map(\.leafIndex) + editor.backlinks.map(\.leafIndex)
        var defaults = ContiguousArray(repeating: Value.null, count: (leaves.max() ?? -1) + 1)
        for column in columns { defaults[column.leafIndex] = Defaults.value(column) }
        for backlink in editor.backlinks { defaults[backlink.leafIndex] = .int(0) }
        self.defaults = defaults
        row = .allocate(capacity: max(1, defaults.count))
        indexed = columns.indices.filter { columns[$0].index != .none }
        linking = columns.indices.filter { columns[$0].layout.element.mayHoldLinks }
        primaryKey = editor.primaryKeyIndex
    }

    deinit { row.deallocate() }

    /// Begins a row of defaults.
    func begin() {
        defaults.withUnsafeBufferPointer {
            if let base = $0.baseAddress { row.initialize(from: base, count: $0.count) }
        }
    }
}
