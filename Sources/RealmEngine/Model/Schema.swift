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
    public let target: TableKey
    /// For links: the backlink column in the target.
    let targetColumn: ColumnKey
    public let index: IndexKind
    /// The schema asks for a general index (a primary key's index is not asked for).
    public let isIndexed: Bool
    public let hasIntegerKeys: Bool
    let indexRoot: Ref
    let distinct: Ref

    /// Slot `1 + leafIndex` of every cluster leaf belongs to the column.
    var leafIndex: Int { key.leafIndex }

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
    public let key: ColumnKey
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
    public let contentVersion: UInt64
    public let nextSequenceNumber: UInt64
    /// Grows by one with every column removed; part of new columns' keys.
    let columnCounter: UInt64
    let collisions: Ref
    let root: Ref
    let tombstones: Ref
    let top: Ref
    /// By the bytes of the name: names that only look alike to Unicode are different names.
    private let columnIndexes: [[UInt8]: Int]

    init(
        key: TableKey, name: String, kind: TableKind, columns: [ColumnInfo],
        backlinks: [BacklinkInfo], primaryKey: Int?, contentVersion: UInt64,
        nextSequenceNumber: UInt64, columnCounter: UInt64, collisions: Ref, root: Ref,
        tombstones: Ref, top: Ref
    ) {
        self.columnCounter = columnCounter
        self.collisions = collisions
        self.key = key
        self.name = name
        self.kind = kind
        self.columns = columns
        self.backlinks = backlinks
        self.primaryKey = primaryKey
        self.contentVersion = contentVersion
        self.nextSequenceNumber = nextSequenceNumber
        self.root = root
        self.tombstones = tombstones
        self.top = top
        columnIndexes = Dictionary(
            columns.enumerated().map { (Array($1.name.utf8), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    static let classPrefix = "class_"

    /// True for what users call a class; false for internal tables such as `metadata`.
    public var isClass: Bool { name.hasPrefix(Self.classPrefix) }

    /// The class name, or the stored name of an internal table.
    public var className: String {
        isClass ? String(name.dropFirst(Self.classPrefix.count)) : name
    }

    /// Index into `columns` of the property called `name`.
    public func columnIndex(named name: String) -> Int? { columnIndexes[Array(name.utf8)] }

    /// The same by the bytes of the name.
    func columnIndex(spelt name: [UInt8]) -> Int? { columnIndexes[name] }
}

/// All tables of one version. Immutable and free to cross threads.
public final class Schema: Sendable {
    /// Live tables in slot order.
    public let tables: [TableInfo]
    /// The object store's schema version; nil when the file carries none.
    public let version: UInt64?
    private let byKey: [TableKey: TableInfo]
    private let byClass: [[UInt8]: TableInfo]

    init(tables: [TableInfo], version: UInt64?) {
        self.tables = tables
        self.version = version
        byKey = Dictionary(tables.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        // A class hides an internal table of the same name.
        byClass = Dictionary(
            (tables.filter(\.isClass) + tables.filter { !$0.isClass }).map {
                (Array($0.className.utf8), $0)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Classes in the order of their names, without internal tables.
    public var classes: [TableInfo] {
        tables.filter(\.isClass).sorted {
            $0.className.utf8.lexicographicallyPrecedes($1.className.utf8)
        }
    }

    public func table(_ key: TableKey) -> TableInfo? { byKey[key] }

    /// The class, or internal table, called `name`.
    public func table(named name: String) -> TableInfo? { byClass[Array(name.utf8)] }
}
