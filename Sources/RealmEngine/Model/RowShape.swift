/// What making rows needs to know of their table, worked out once; and the row being made.
///
/// Belongs to one `TableEditor` until its columns change. Confined to the writer.
final class RowShape {
    /// A property as far as every new row needs to know it.
    struct Field {
        let leafIndex: Int
        let type: ColumnType
        let isNullable: Bool
        let isCollection: Bool

        /// Whether the value plainly fits; for the others `ValueCheck` decides.
        @inline(__always)
        func accepts(_ value: Value) -> Bool {
            switch value {
            case .null: isNullable
            case .int: type == .int
            case .bool: type == .bool
            case .double: type == .double
            case .timestamp: type == .timestamp
            case .string(let text): type == .string && text.count <= ValueCheck.longestString
            default: false
            }
        }
    }

    /// An indexed property and the editor of its index.
    struct Index {
        let column: Int
        let leafIndex: Int
        let editor: IndexEditor
    }

    /// The row being made, by leaf index.
    let row: UnsafeMutablePointer<Value>
    /// By column.
    let fields: [Field]
    /// What a row holds where nobody says otherwise, by leaf index.
    private let defaults: UnsafeMutableBufferPointer<Value>
    /// Single-valued properties with an index; indexes of collections have nothing of a new row.
    let indexes: [Index]
    /// Positions of single-valued columns whose values may be or hold links.
    let linking: [Int]
    /// Position in `indexes` of the primary key.
    let primaryKey: Int?

    init(_ editor: TableEditor) throws(RealmError) {
        let columns = editor.columns
        let leaves = columns.map(\.leafIndex) + editor.backlinks.map(\.leafIndex)
        let count = (leaves.max() ?? -1) + 1
        defaults = .allocate(capacity: count)
        defaults.initialize(repeating: .null)
        for column in columns { defaults[column.leafIndex] = Defaults.value(column) }
        for backlink in editor.backlinks { defaults[backlink.leafIndex] = .int(0) }
        row = .allocate(capacity: max(1, count))
        fields = columns.map { column in
            Field(
                leafIndex: column.leafIndex, type: column.type, isNullable: column.isNullable,
                isCollection: column.collection != nil)
        }
        var indexes: [Index] = []
        for (i, column) in columns.enumerated() where column.collection == nil {
            guard let index = try editor.index(column) else { continue }
            indexes.append(Index(column: i, leafIndex: column.leafIndex, editor: index))
        }
        self.indexes = indexes
        linking = columns.indices.filter {
            columns[$0].collection == nil && columns[$0].layout.element.mayHoldLinks
        }
        let key = editor.primaryKeyIndex
        primaryKey = key.flatMap { key in indexes.firstIndex { $0.column == key } }
    }

    deinit {
        row.deallocate()
        defaults.deallocate()
    }

    /// Begins a row of defaults.
    @inline(__always)
    func begin() {
        if let base = defaults.baseAddress {
            row.initialize(from: base, count: defaults.count)
        }
    }
}
