/// A table in one snapshot. Cheap to copy; confined to the thread of the snapshot.
public struct Table {
    public let snapshot: Snapshot
    public let info: TableInfo

    /// Number of objects without tombstones, read from the root of the tree.
    public func count() throws(RealmError) -> Int { try Self.count(info, in: snapshot.lookup) }

    static func count(_ info: TableInfo, in space: NodeSpace) throws(RealmError) -> Int {
        try ClusterTree(space: space, root: info.root).count()
    }

    /// Number of tombstones: placeholders of objects that links refer to but that do not exist
    /// (object format 2.7).
    func tombstoneCount() throws(RealmError) -> Int {
        try ClusterTree(space: snapshot.lookup, root: info.tombstones).count()
    }

    /// Returns the object with `key`; nil if there is none. A negative key selects a tombstone.
    public func row(_ key: ObjectKey) throws(RealmError) -> Row? {
        let root = key.isUnresolved ? info.tombstones : info.root
        guard let (leaf, row) = try snapshot.find(key, root: root) else { return nil }
        return Row(table: self, leaf: leaf, row: row)
    }

    /// Returns the object at index `position` in table order; nil if the index is out of range. An
    /// object in a leaf next to the last result is found without a search.
    public func row(at position: Int) throws(RealmError) -> Row? {
        guard let placed = try snapshot.place(of: position, in: info) else { return nil }
        return Row(table: self, leaf: placed.leaf, row: position - placed.start)
    }

    /// Returns the keys of all objects or, if `tombstones`, of all tombstones, in stored order.
    public func keys(tombstones: Bool = false) throws(RealmError) -> [ObjectKey] {
        let root = tombstones ? info.tombstones : info.root
        var leaves = ClusterTree(space: snapshot.walk, root: root).leaves()
        var keys: [ObjectKey] = []
        while let leaf = try leaves.next() {
            if !tombstones { try leaf.checkLive() }
            for row in 0..<leaf.count { keys.append(leaf.key(row)) }
        }
        return keys
    }

    /// Returns a scan of the objects that reads the columns with the given indexes in
    /// `info.columns`.
    public func scan(columns: [Int], skipping position: Int = 0) -> TableScan {
        TableScan(self, columns: columns, skipping: position)
    }
}

/// One object of a snapshot: its leaf and row. Valid as long as the snapshot.
public struct Row {
    public let table: Table
    let leaf: ClusterLeaf
    let row: Int

    public var key: ObjectKey { leaf.key(row) }

    /// Returns the value of the property at index `column` of the table's `columns`.
    public func value(_ column: Int) throws(RealmError) -> Value {
        let info = table.info.columns[column]
        return try leaf.value(info.leafIndex, info.layout, row: row)
    }

    /// Returns the stored value of the property at index `column`. It may be a link to a tombstone,
    /// with a negative key.
    func storedValue(_ column: Int) throws(RealmError) -> Value {
        let info = table.info.columns[column]
        return try ColumnLeaf(
            leaf.space.unmetered, try leaf.columnRef(info.leafIndex), info.layout,
            rows: leaf.count
        ).stored(row)
    }

    /// Returns the objects that link to this object through `backlink`, an element of the table's
    /// `backlinks`.
    public func backlinks(_ backlink: BacklinkInfo) throws(RealmError) -> BacklinkCursor {
        let column = try BacklinkLeaf(
            leaf.space.unmetered, try leaf.columnRef(backlink.leafIndex))
        guard column.count == leaf.count else {
            throw .corrupt(
                "a backlink leaf of \(column.count) among \(leaf.count) objects", at: leaf.ref)
        }
        return BacklinkCursor(leaf.space, slot: column.slot(row))
    }

    /// Returns the value of the primary key; nil in a table without one.
    public func primaryKey() throws(RealmError) -> Value? {
        guard let column = table.info.primaryKey else { return nil }
        return try value(column)
    }
}
