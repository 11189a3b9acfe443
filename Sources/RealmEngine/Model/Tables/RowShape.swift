/// Data about a table that is needed to create and remove rows, and memory for the row being
/// created.
///
/// A `TableEditor` caches it until its columns change. Confined to the writer.
final class RowShape {
    /// Data about one property that is needed to store values.
    struct Field {
        let leafIndex: Int
        let key: ColumnKey
        let type: ColumnType
        let isNullable: Bool
        let isCollection: Bool
        /// Whether storing a value changes only the cell. False for a primary key, and if the
        /// property has an index or may contain links.
        let isPlain: Bool

        init(_ column: ColumnInfo, of editor: TableEditor) {
            leafIndex = column.leafIndex
            key = column.key
            type = column.type
            isNullable = column.isNullable
            isCollection = column.collection != nil
            isPlain =
                column.collection == nil && column.index == .none
                && !column.layout.element.mayHoldLinks && column.key != editor.primaryKey
        }

        /// Whether the value certainly fits the property. If false, the caller must let
        /// `ValueCheck` decide.
        @inline(__always)
        func accepts(_ value: Value) -> Bool {
            switch value {
            case .null: isNullable
            case .int: type == .int
            case .bool: type == .bool
            case .double: type == .double
            case .timestamp: type == .timestamp
            case .string(let text): type == .string && text.count <= ValueCheck.maximumStringSize
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

    /// A link property that is no collection. The target table is looked up at the first use.
    struct Link {
        let column: Int
        let leafIndex: Int
        /// Editor of the table to which the property links. Not retained here; the transaction
        /// retains it until the schema changes.
        fileprivate(set) var target: Unmanaged<TableEditor>?
        fileprivate(set) var backlink = 0
    }

    /// Values of the row being created. The index is the column's position in a cluster leaf (leaf
    /// index).
    let row: UnsafeMutablePointer<Value>
    /// Data about each property, in the order of the columns.
    let fields: [Field]
    /// Default value of each column. The index is the column's position in a cluster leaf (leaf
    /// index).
    private let defaults: UnsafeMutableBufferPointer<Value>
    /// Single-valued properties with an index. Indexed collections are left out, because they are
    /// empty in a new row.
    let indexes: [Index]
    /// Link properties that are no collections.
    @exclusivity(unchecked) private(set) var links: [Link]
    /// Indexes in `columns` of mixed properties that are no collections. Their values may be links.
    let mixed: [Int]
    /// Indexes, among the columns, of properties that are collections or may contain links.
    let holders: [Int]
    /// Indexes, among the columns, of collections with a search index.
    let indexedCollections: [Int]
    /// Whether there are backlink columns, so that objects of the table may be linked to.
    let receivesLinks: Bool
    /// Value of `EditContext.schemaGeneration` for which this data is valid.
    let generation: Int
    /// Index of the primary key in `indexes`; nil if there is none.
    let primaryKey: Int?

    init(_ editor: TableEditor) throws(RealmError) {
        let count = editor.leafIndexCount
        defaults = .allocate(capacity: count)
        defaults.initialize(repeating: .null)
        row = .allocate(capacity: max(1, count))
        fields = Array(editor.fields())
        receivesLinks = !editor.backlinks.isEmpty
        generation = editor.context.schemaGeneration
        for backlink in editor.backlinks { defaults[backlink.leafIndex] = .int(0) }
        var (indexes, links): ([Index], [Link]) = ([], [])
        var (mixed, holders, indexedCollections): ([Int], [Int], [Int]) = ([], [], [])
        var primaryKey: Int?
        for (i, column) in editor.columns.enumerated() {
            defaults[column.leafIndex] = Defaults.value(column)
            let isSingle = column.collection == nil
            let mayHoldLinks = column.layout.element.mayHoldLinks
            if !isSingle || mayHoldLinks { holders.append(i) }
            if !isSingle, column.index != .none { indexedCollections.append(i) }
            guard isSingle else { continue }
            if column.type == .link {
                links.append(Link(column: i, leafIndex: column.leafIndex))
            } else if mayHoldLinks {
                mixed.append(i)
            }
            if column.index == .none { continue }
            guard let index = try editor.index(column) else { continue }
            if column.key == editor.primaryKey { primaryKey = indexes.count }
            indexes.append(Index(column: i, leafIndex: column.leafIndex, editor: index))
        }
        (self.indexes, self.links, self.primaryKey) = (indexes, links, primaryKey)
        (self.mixed, self.holders) = (mixed, holders)
        self.indexedCollections = indexedCollections
    }

    deinit {
        row.deallocate()
        defaults.deallocate()
    }

    /// Records the table editor and the backlink column that belong to a link property.
    func recordTarget(_ i: Int, _ target: TableEditor, backlink: Int) {
        links[i].target = .passUnretained(target)
        links[i].backlink = backlink
    }

    /// Sets all values of the row being created to the defaults of their columns.
    @inline(__always)
    func begin() {
        if let base = defaults.baseAddress {
            row.initialize(from: base, count: defaults.count)
        }
    }
}
