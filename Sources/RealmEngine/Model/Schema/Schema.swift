/// Kind of a table: whether its objects are top-level, embedded or asymmetric (object format 1.10).
public enum TableKind: Int, Sendable {
    case topLevel = 0
    case embedded = 1
    /// Objects that are only sent to a server, in synchronised files; nothing can link to them.
    case asymmetric = 2
}

/// One property or column as stored. Immutable.
public struct ColumnInfo: Sendable {
    public let key: ColumnKey
    public let name: String
    public let type: ColumnType
    public let isNullable: Bool
    /// Kind of collection; nil if the property has single values.
    public let collection: CollectionKind?
    /// Target table of links; none for other types.
    public internal(set) var target: TableKey
    /// Backlink column in the target table; none unless the column contains links.
    let targetColumn: ColumnKey
    public let index: IndexKind
    /// Whether the schema requests a general index. May be false for a primary key, which always
    /// has an index.
    public let isIndexed: Bool
    package let hasIntegerKeys: Bool
    fileprivate(set) var indexRoot: Ref
    let distinct: Ref

    /// Leaf index of the column: its cells are in slot `1 + leafIndex` of every cluster leaf.
    var leafIndex: Int { key.leafIndex }

    /// Returns a copy of the column with another name.
    func named(_ name: String) -> ColumnInfo {
        ColumnInfo(
            key: key, name: name, type: type, isNullable: isNullable, collection: collection,
            target: target, targetColumn: targetColumn, index: index, isIndexed: isIndexed,
            hasIntegerKeys: hasIntegerKeys, indexRoot: indexRoot, distinct: distinct)
    }

    /// Whether the index has an entry for each word of a text, or for each element of a list.
    /// Otherwise it has one entry for the whole value of an object (object format 5.6).
    var holdsWords: Bool { index == .fullText || collection != nil }

    var layout: LeafLayout {
        LeafLayout(
            type: type, isNullable: isNullable, collection: collection, target: target,
            distinct: distinct, hasIntegerKeys: hasIntegerKeys)
    }
}

/// A backlink column: for each object, the origins of the links in one column of the origin table
/// (object format 1.9).
public struct BacklinkInfo: Sendable {
    let key: ColumnKey
    public let origin: TableKey
    public let originColumn: ColumnKey

    var leafIndex: Int { key.leafIndex }
}

/// One table: its columns, and the refs of its data in one version. Immutable.
public final class TableInfo: Sendable {
    public let key: TableKey
    /// The stored name, with the prefix `class_`.
    public let name: String
    public let kind: TableKind
    /// Properties in column order.
    public let columns: [ColumnInfo]
    public let backlinks: [BacklinkInfo]
    /// Index in `columns` of the primary key; nil if there is none.
    public let primaryKey: Int?
    let contentVersion: UInt64
    let nextSequenceNumber: UInt64
    /// Number of columns removed so far; it is part of the keys of new columns.
    let columnCounter: UInt64
    let collisions: Ref
    let root: Ref
    let tombstones: Ref
    let top: Ref
    /// Refs of the nodes from which the columns were read.
    let origin: Origin
    /// Index of the column names.
    let columnNames: NameIndex

    /// Refs of the nodes that define a table's columns. If they are unchanged, so are the columns.
    struct Origin: Equatable {
        let spec: Ref
        let targets: Ref
        let targetColumns: Ref
    }

    /// The parts of a table that change with its objects.
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

    /// Makes a later version of a table with the same columns. `roots` receives the position of a
    /// column in cluster leaves (leaf index), and returns the root of the column's search index. It
    /// returns `Ref.none` for a column without an index.
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

    /// Returns a copy of the table with another name.
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

    /// Whether the table belongs to a class. False for internal tables such as `metadata`.
    public var isClass: Bool { name.hasPrefix(Self.classPrefix) }

    /// The class name; the stored name for an internal table.
    public var className: String { Self.className(of: name) }

    /// Returns the class name of a table with the stored name `name`; the stored name for an
    /// internal table.
    static func className(of name: String) -> String {
        name.hasPrefix(classPrefix) ? String(name.dropFirst(classPrefix.count)) : name
    }

    /// Index of the property with `name` in `columns`; nil if there is none.
    public func columnIndex(named name: String) -> Int? { columnNames.position(of: name) }

    /// Index in `columns` of the property whose name has these bytes; nil if there is none.
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
    /// All tables that exist, in the order of their slots.
    public let tables: [TableInfo]
    /// The schema version that the object store recorded; nil if the file has none.
    public let version: UInt64?
    /// Index of the stored table names.
    let tableNames: NameIndex

    init(tables: [TableInfo], version: UInt64?) {
        self.tables = tables
        self.version = version
        tableNames = NameIndex(tables.map(\.name))
    }

    /// Makes a later version of a schema, whose tables have the same names.
    init(_ earlier: Schema, tables: [TableInfo], version: UInt64?) {
        precondition(tables.count == earlier.tables.count)
        self.tables = tables
        self.version = version
        tableNames = earlier.tableNames
    }

    /// The classes, ordered by name; internal tables are left out.
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

    /// Throws `corrupt` if the target table of a link property does not exist (object format 1.9).
    package func checkTargets() throws(RealmError) {
        for info in tables {
            for column in info.columns where column.type == .link && table(column.target) == nil {
                throw .corrupt(
                    "the links of \(info.className).\(column.name) lead to a class that does not "
                        + "exist", at: info.top)
            }
        }
    }

    /// Returns the class with `name`; nil if there is none. Does not find internal tables.
    public func objectClass(named name: String) -> TableInfo? {
        tableNames.position(of: TableInfo.classPrefix + name).map { tables[$0] }
    }

    /// Returns the class or internal table with `name`; nil if there is none. A class has
    /// precedence.
    public func table(named name: String) -> TableInfo? {
        if let found = objectClass(named: name) { return found }
        return tableNames.position(of: name).map { tables[$0] }.flatMap { $0.isClass ? nil : $0 }
    }
}
