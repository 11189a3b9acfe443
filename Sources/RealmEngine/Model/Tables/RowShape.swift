/// Precomputed data of a table for creating and removing rows, and the row being created.
///
/// Cached in a `TableEditor` until its columns change. Confined to the writer.
final class RowShape {
    /// Data of a property for new rows.
    struct Field {
        let leafIndex: Int
        let key: ColumnKey
        let type: ColumnType
        let isNullable: Bool
        let isCollection: Bool
        /// Whether a change of the value changes only the cell: no index, no backlink.
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

        /// Whether the value certainly fits the property; otherwise `ValueCheck` decides.
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

    /// A link property, with its target after the first use.
    struct Link {
        let column: Int
        let leafIndex: Int
        /// Table of the target; owned by the transaction until the schema changes.
        fileprivate(set) var target: Unmanaged<TableEditor>?
        fileprivate(set) var backlink = 0
    }

    /// The row being created, by leaf index.
    let row: UnsafeMutablePointer<Value>
    /// Data of each property, by column.
    let fields: [Field]
    /// Default values, by leaf index.
    private let defaults: UnsafeMutableBufferPointer<Value>
    /// Single-valued properties with an index; a new row has no entry in indexes of collections.
    let indexes: [Index]
    /// Properties that are a link.
    @exclusivity(unchecked) private(set) var links: [Link]
    /// Indexes of mixed properties, whose values may be or contain links.
    let mixed: [Int]
    /// Indexes of properties that are collections or may contain links.
    let holders: [Int]
    /// Indexes of indexed collections.
    let indexedCollections: [Int]
    /// Whether any property links to the table.
    let receivesLinks: Bool
    /// Schema generation for which the shape is valid.
    let generation: Int
    /// Index of the primary key in `indexes`.
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

    /// Records the target table and backlink column of a link property.
    func recordTarget(_ i: Int, _ target: TableEditor, backlink: Int) {
        links[i].target = .passUnretained(target)
        links[i].backlink = backlink
    }

    /// Begins a row of default values.
    @inline(__always)
    func begin() {
        if let base = defaults.baseAddress {
            row.initialize(from: base, count: defaults.count)
        }
    }
}
