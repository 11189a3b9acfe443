/// Finds columns of a table by name, key and origin, and provides data computed from the columns.
extension TableEditor {
    var isClass: Bool { name.hasPrefix(TableInfo.classPrefix) }

    /// Class name for error messages, which never contain stored table names.
    var className: String { TableInfo.className(of: name) }

    func columnIndex(_ key: ColumnKey) -> Int? { columns.firstIndex { $0.key == key } }
    func columnIndex(named name: String) -> Int? {
        caches.positions.position(of: name, in: columns)
    }

    /// Returns the backlink column for links from a property; nil if there is none.
    func backlink(from origin: TableKey, _ column: ColumnKey) -> BacklinkInfo? {
        caches.positions.position(of: column, in: origin, among: backlinks).map { backlinks[$0] }
    }

    /// Appends a property. Cached positions of columns stay valid, unlike after other changes of
    /// `columns`.
    func append(_ column: ColumnInfo) {
        caches.positions.add(column, at: columns.count)
        keepingPositions { columns.append(column) }
    }

    /// Appends a backlink column. Cached positions of columns stay valid.
    func append(_ backlink: BacklinkInfo) {
        caches.positions.add(backlink, at: backlinks.count)
        keepingPositions { backlinks.append(backlink) }
    }

    /// Renames a property. The new name must not be in use.
    func rename(_ column: Int, to name: String) {
        caches.positions.rename(columns[column].name, to: name, count: columns.count)
        keepingPositions { columns[column] = columns[column].changed(name: name) }
    }

    /// Replaces the last property by another one with the same name and the same position in a
    /// cluster leaf (leaf index).
    func replaceLast(_ column: ColumnInfo) {
        keepingPositions { columns[columns.count - 1] = column }
    }

    /// Runs `change`, which assigns `columns` or `backlinks`, and then restores the cached
    /// positions of columns, which the assignment discards. The caller must have updated the cache
    /// before.
    private func keepingPositions(_ change: () -> Void) {
        let positions = caches.positions
        change()
        caches.positions = positions
    }

    var primaryKeyIndex: Int? { primaryKey.flatMap { columnIndex($0) } }

    /// The lowest position in a cluster leaf that no column has (lowest unused leaf index).
    var freeLeafIndex: Int {
        // In most tables no column was ever removed, so the next leaf index is unused.
        let count = leafIndexCount
        if count == columns.count + backlinks.count { return count }
        let used = Set(columns.map(\.leafIndex) + backlinks.map(\.leafIndex))
        return (0...).first { !used.contains($0) }!
    }

    /// The highest position of a column in a cluster leaf (leaf index), plus one.
    var leafIndexCount: Int { caches.positions.leafIndexCount(columns, backlinks) }

    /// Layouts of all columns. The index is the column's position in a cluster leaf (leaf index);
    /// nil for a position without a column. In an enumerated column, leaves of objects contain
    /// indexes in the list of distinct texts. Leaves of tombstones contain the texts themselves.
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

    /// Returns the data for creating and removing rows; computes it after the columns have changed.
    func shape() throws(RealmError) -> RowShape {
        if let shape = caches.shape, shape.generation == context.schemaGeneration { return shape }
        let fresh = try RowShape(self)
        caches.shape = fresh
        return fresh
    }

    /// Returns, for each property, the data that storing its value needs. Valid until the columns
    /// change.
    @inline(__always)
    func fields() -> UnsafeMutableBufferPointer<RowShape.Field> {
        if let fields = caches.fields { return fields }
        return caches.makeFields(columns, of: self)
    }
}
