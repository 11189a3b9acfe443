/// Facts about a table for creating and removing its rows, and the row being created.
///
/// Belongs to a `TableEditor` until its columns change. Confined to the writer.
final class RowShape {
    /// Facts about a property for new rows.
    struct Field {
        let leafIndex: Int
        let key: ColumnKey
        let type: ColumnType
        let isNullable: Bool
        let isCollection: Bool
        /// Whether a change of the value changes nothing but the cell: no index, no link.
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

        /// Whether the value has the type and length of the property; `ValueCheck` decides about the others.
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

    /// A property that is a link, with the other end after its first use.
    struct Link {
        let column: Int
        let leafIndex: Int
        /// Owned by the transaction until the schema changes.
        fileprivate(set) var target: Unmanaged<TableEditor>?
        fileprivate(set) var backlink = 0
    }

    /// The row being created, by leaf index.
    let row: UnsafeMutablePointer<Value>
    /// By column.
    let fields: [Field]
    /// Default values, by leaf index.
    private let defaults: UnsafeMutableBufferPointer<Value>
    /// Single-valued properties with an index; a new row has no entry in indexes of collections.
    let indexes: [Index]
    /// Properties that are a link.
    @exclusivity(unchecked) private(set) var links: [Link]
    /// Positions of mixed properties, whose values may be or hold links.
    let mixed: [Int]
    /// Positions of properties that are collections, or may hold links.
    let holders: [Int]
    /// Positions of indexed collections.
    let indexedCollections: [Int]
    /// Whether some property links to the table.
    let receivesLinks: Bool
    /// Schema generation for which the shape is valid.
    let generation: Int
    /// Position in `indexes` of the primary key.
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

    /// Records the table and the backlink column of the links of a property.
    func recordTarget(_ i: Int, _ target: TableEditor, backlink: Int) {
        links[i].target = .passUnretained(target)
        links[i].backlink = backlink
    }

    /// Begins a row of defaults.
    @inline(__always)
    func begin() {
        if let base = defaults.baseAddress {
            row.initialize(from: base, count: defaults.count)
        }
    }
}
