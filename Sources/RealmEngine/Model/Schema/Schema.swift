/// What a table's objects are (object format 1.10).
public enum TableKind: Int, Sendable {
    case topLevel = 0
    case embedded = 1
    /// Write-only in synchronised files; never a link's target.
    case asymmetric = 2
}

/// One property as stored. Immutable.
public struct ColumnInfo: Sendable {
    public let key: ColumnKey
    public let name: String
    public let type: ColumnType
    public let isNullable: Bool
    /// Nil for a single value.
    public let collection: CollectionKind?
    /// For links: the table they lead to.
    public internal(set) var target: TableKey
    /// For links: the backlink column in the target.
    let targetColumn: ColumnKey
    public let index: IndexKind
    /// The schema asks for a general index (a primary key's index is not asked for).
    public let isIndexed: Bool
    package let hasIntegerKeys: Bool
    fileprivate(set) var indexRoot: Ref
    let distinct: Ref

    /// Slot `1 + leafIndex` of every cluster leaf belongs to the column.
    var leafIndex: Int { key.leafIndex }

    /// The same column under another name.
    func named(_ name: String) -> ColumnInfo {
        ColumnInfo(
            key: key, name: name, type: type, isNullable: isNullable, collection: collection,
            target: target, targetColumn: targetColumn, index: index, isIndexed: isIndexed,
            hasIntegerKeys: hasIntegerKeys, indexRoot: indexRoot, distinct: distinct)
    }

    /// The index finds whole words or list elements rather than values (object format 5.6).
    var holdsWords: Bool { index == .fullText || collection != nil }

    var layout: LeafLayout {
        LeafLayout(
            type: type, isNullable: isNullable, collection: collection, target: target,
            distinct: distinct, hasIntegerKeys: hasIntegerKeys)
    }
}

/// The receiving end of a link column (object format 1.9).
public struct BacklinkInfo: Sendable {
    let key: ColumnKey
    public let origin: TableKey
    public let originColumn: ColumnKey

    var leafIndex: Int { key.leafIndex }
}

/// One table: its columns and where its data is. Immutable, belongs to one version.
public final class TableInfo: Sendable {
    public let key: TableKey
    /// The stored name, `class_` included.
    public let name: String
    public let kind: TableKind
    /// Properties in column order.
    public let columns: [ColumnInfo]
    public let backlinks: [BacklinkInfo]
    /// Index into `columns`.
    public let primaryKey: Int?
    let contentVersion: UInt64
    let nextSequenceNumber: UInt64
    /// Grows by one with every column removed; part of new columns' keys.
    let columnCounter: UInt64
    let collisions: Ref
    let root: Ref
    let tombstones: Ref
    let top: Ref
    /// Where the columns were read from.
    let origin: Origin
    /// Of the columns.
    let columnNames: NameIndex

    /// The nodes that say what columns a table has.
    struct Origin: Equatable {
        let spec: Ref
        let targets: Ref
        let targetColumns: Ref
    }

    /// What a table says of itself beside its columns.
    struct State {
        let kind: TableKind
        let contentVersion: UInt64
        let nextSequenceNumber: UInt64
        let columnCounter: UInt64
        let collisions: Ref
        let root: Ref
        let tombstones: Ref
        let top: Ref
    }

    private init(
        key: TableKey, name: String, columns: [ColumnInfo], columnNames: NameIndex,
        backlinks: [BacklinkInfo], primaryKey: Int?, origin: Origin, _ state: State
    ) {
        self.key = key
        self.name = name
        self.columns = columns
        self.backlinks = backlinks
        self.primaryKey = primaryKey
        self.origin = origin
        (kind, contentVersion) = (state.kind, state.contentVersion)
        (nextSequenceNumber, columnCounter) = (state.nextSequenceNumber, state.columnCounter)
        (collisions, root) = (state.collisions, state.root)
        (tombstones, top) = (state.tombstones, state.top)
        self.columnNames = columnNames
    }

    convenience init(
        key: TableKey, name: String, columns: [ColumnInfo], backlinks: [BacklinkInfo],
        primaryKey: Int?, origin: Origin, _ state: State
    ) {
        self.init(
            key: key, name: name, columns: columns, columnNames: NameIndex(columns.map(\.name)),
            backlinks: backlinks, primaryKey: primaryKey, origin: origin, state)
    }

    /// A later version of a table whose columns stayed as they were, but for where their indexes are;
    /// `roots` by leaf index, none for what has no index.
    convenience init(
        _ earlier: TableInfo, name: String? = nil, _ state: State, indexRoots roots: (Int) -> Ref
    ) {
        var columns = earlier.columns
        for i in columns.indices where columns[i].indexRoot != roots(columns[i].leafIndex) {
            columns[i].indexRoot = roots(columns[i].leafIndex)
        }
        self.init(
            key: earlier.key, name: name ?? earlier.name, columns: columns,
            columnNames: earlier.columnNames, backlinks: earlier.backlinks,
            primaryKey: earlier.primaryKey, origin: earlier.origin, state)
    }

    /// The same table under another name.
    func named(_ name: String) -> TableInfo {
        let state = State(
            kind: kind, contentVersion: contentVersion, nextSequenceNumber: nextSequenceNumber,
            columnCounter: columnCounter, collisions: collisions, root: root,
            tombstones: tombstones, top: top)
        return TableInfo(
            key: key, name: name, columns: columns, columnNames: columnNames,
            backlinks: backlinks, primaryKey: primaryKey, origin: origin, state)
    }

    static let classPrefix = "class_"

    /// True for what users call a class; false for internal tables such as `metadata`.
    public var isClass: Bool { name.hasPrefix(Self.classPrefix) }

    /// The class name, or the stored name of an internal table.
    public var className: String { Self.className(of: name) }

    /// The class kept in the table stored under `name`; other tables are called what they are stored
    /// as.
    static func className(of name: String) -> String {
        name.hasPrefix(classPrefix) ? String(name.dropFirst(classPrefix.count)) : name
    }

    /// Index into `columns` of the property called `name`.
    public func columnIndex(named name: String) -> Int? { columnNames.position(of: name) }

    /// The same by the bytes of the name.
    func columnIndex(spelt name: [UInt8]) -> Int? {
        name.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.flatMap {
                columnNames.position(of: ByteView($0, count: bytes.count))
            }
        }
    }
}

/// All tables of one version. Immutable and free to cross threads.
public final class Schema: Sendable {
    /// Live tables in slot order.
    public let tables: [TableInfo]
    /// The object store's schema version; nil when the file carries none.
    public let version: UInt64?
    /// Of the tables, as stored.
    let tableNames: NameIndex

    init(tables: [TableInfo], version: UInt64?) {
        self.tables = tables
        self.version = version
        tableNames = NameIndex(tables.map(\.name))
    }

    /// A later version with the same tables, in another state.
    init(_ earlier: Schema, tables: [TableInfo], version: UInt64?) {
        precondition(tables.count == earlier.tables.count)
        self.tables = tables
        self.version = version
        tableNames = earlier.tableNames
    }

    /// Classes in the order of their names, without internal tables.
    public var classes: [TableInfo] {
        tables.filter(\.isClass).ordered {
            $0.className.utf8.lexicographicallyPrecedes($1.className.utf8)
        }
    }

    public func table(_ key: TableKey) -> TableInfo? {
        table(slot: key.slot).flatMap { $0.key == key ? $0 : nil }
    }

    func table(slot: Int) -> TableInfo? {
        let i = tables.partitionPoint { $0.key.slot >= slot }
        return i < tables.count && tables[i].key.slot == slot ? tables[i] : nil
    }

    /// Throws `corrupt` where a property's links lead to a table that does not exist: nobody could
    /// write one (object format 1.9).
    package func checkTargets() throws(RealmError) {
        for info in tables {
            for column in info.columns where column.type == .link && table(column.target) == nil {
                throw .corrupt(
                    "the links of \(info.className).\(column.name) lead to a class that does not "
                        + "exist", at: info.top)
            }
        }
    }

    /// The class called `name`; internal tables are none.
    public func objectClass(named name: String) -> TableInfo? {
        tableNames.position(of: TableInfo.classPrefix + name).map { tables[$0] }
    }

    /// The class, or internal table, called `name`; a class hides an internal table.
    public func table(named name: String) -> TableInfo? {
        if let found = objectClass(named: name) { return found }
        return tableNames.position(of: name).map { tables[$0] }.flatMap { $0.isClass ? nil : $0 }
    }
}
