/// Columns of a table, found by name, key and origin; and what is derived from them.
extension TableEditor {
    var isClass: Bool { name.hasPrefix(TableInfo.classPrefix) }

    /// The name for messages, which never show stored names.
    var className: String { TableInfo.className(of: name) }

    func columnIndex(_ key: ColumnKey) -> Int? { columns.firstIndex { $0.key == key } }
    func columnIndex(named name: String) -> Int? {
        caches.positions.position(of: name, in: columns)
    }

    /// The incoming end of the links of a property.
    func backlink(from origin: TableKey, _ column: ColumnKey) -> BacklinkInfo? {
        caches.positions.position(of: column, in: origin, among: backlinks).map { backlinks[$0] }
    }

    /// Adds a property at the end. Positions stay cached, unlike after other changes of `columns`.
    func append(_ column: ColumnInfo) {
        caches.positions.add(column, at: columns.count)
        keepingPositions { columns.append(column) }
    }

    /// Adds a backlink column at the end; positions stay cached.
    func append(_ backlink: BacklinkInfo) {
        caches.positions.add(backlink, at: backlinks.count)
        keepingPositions { backlinks.append(backlink) }
    }

    /// Gives a property a new name, which no property has.
    func rename(_ column: Int, to name: String) {
        caches.positions.rename(columns[column].name, to: name, count: columns.count)
        keepingPositions { columns[column] = columns[column].changed(name: name) }
    }

    /// Completes the property added last, whose name and leaf index stay the same.
    func replaceLast(_ column: ColumnInfo) {
        keepingPositions { columns[columns.count - 1] = column }
    }

    /// Changes columns whose positions stay valid.
    private func keepingPositions(_ change: () -> Void) {
        let positions = caches.positions
        change()
        caches.positions = positions
    }

    var primaryKeyIndex: Int? { primaryKey.flatMap { columnIndex($0) } }

    /// The lowest leaf index no column uses.
    var freeLeafIndex: Int {
        // Most tables never had a column removed.
        let count = leafIndexCount
        if count == columns.count + backlinks.count { return count }
        let used = Set(columns.map(\.leafIndex) + backlinks.map(\.leafIndex))
        return (0...).first { !used.contains($0) }!
    }

    /// One more than the highest leaf index a column uses.
    var leafIndexCount: Int { caches.positions.leafIndexCount(columns, backlinks) }

    /// Layouts of all columns, by leaf index. Tombstones have texts where objects have the numbers of an
    /// enumerated column.
    func layouts(areTombstones: Bool = false) -> [LeafLayout?] {
        var layouts = [LeafLayout?](repeating: nil, count: leafIndexCount)
        for column in columns {
            if enumerated[column.leafIndex] == nil {
                layouts[column.leafIndex] = column.layout
            } else if areTombstones {
                layouts[column.leafIndex] = column.layout.withoutDistinct
            } else {
                layouts[column.leafIndex] = DistinctList.cells
            }
        }
        for backlink in backlinks { layouts[backlink.leafIndex] = Self.backlinkLayout }
        return layouts
    }

    static let backlinkLayout = LeafLayout(
        type: .backlink, isNullable: false, collection: nil, target: .none, distinct: .none,
        hasIntegerKeys: false)

    // MARK: Derived

    /// Facts about the columns for creating and removing rows.
    func shape() throws(RealmError) -> RowShape {
        if let shape = caches.shape, shape.generation == context.schemaGeneration { return shape }
        let fresh = try RowShape(self)
        caches.shape = fresh
        return fresh
    }

    /// Facts about each property for setting it; valid until the columns change.
    @inline(__always)
    func fields() -> UnsafeMutableBufferPointer<RowShape.Field> {
        if let fields = caches.fields { return fields }
        return caches.makeFields(columns, of: self)
    }
}
