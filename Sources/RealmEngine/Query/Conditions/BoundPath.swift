/// A path resolved against the schema: hops from object to object, and the value read at the end
/// (query language 5).
final class BoundPath: Sendable {
    let hops: [PathHop]
    /// Class at the end of the hops.
    let table: TableContext
    let end: PathEnd
    /// Whether every hop leads to at most one object.
    let isToOne: Bool

    init(_ path: ResolvedPath) {
        hops = path.hops
        table = TableContext(path.table)
        end = path.end
        isToOne = path.isToOne
    }
}

/// A partially resolved path.
struct ResolvedPath {
    var hops: [PathHop] = []
    /// Class at the end of the hops.
    var table: TableInfo
    var end = PathEnd.objects

    var isToOne: Bool { hops.allSatisfy(\.isToOne) }
}

/// Key and root of a table, as evaluation needs them.
struct TableContext: Sendable {
    let key: TableKey
    let root: Ref

    init(_ info: TableInfo) {
        key = info.key
        root = info.root
    }
}

/// One hop from object to object. Trivial, so that evaluation copies it without reference counting.
struct PathHop: Sendable {
    let kind: Kind
    /// Class at the start of the hop.
    let source: TableContext
    let target: TableContext
    /// The link column of `source`, or the backlink column of its links.
    let column: BoundColumn
    /// Element of a list or entry of a dictionary to follow.
    var selector = CollectionSelector.all

    enum Kind: Sendable {
        case toOne, list, set, dictionary, backlink
    }

    var isToOne: Bool { kind == .toOne }
}

/// Selects elements of a collection.
enum CollectionSelector: Sendable {
    case all
    case at(ListIndex)
    /// One entry of a dictionary.
    case key(ByteView)
    /// The keys of a dictionary.
    case keys

    var isAll: Bool {
        if case .all = self { return true }
        return false
    }
}

enum ListIndex: Sendable {
    /// Index from 0; a negative index is outside every list.
    case at(Int64)
    case first
    case last
}

/// Storage of a property's values.
struct BoundColumn: Sendable {
    let leafIndex: Int
    let layout: LeafLayout
    init(_ info: ColumnInfo) {
        leafIndex = info.leafIndex
        layout = info.layout
    }

    /// Makes a backlink column for the links of `origin`.
    init(_ backlink: BacklinkInfo, origin: ColumnInfo) {
        leafIndex = backlink.leafIndex
        layout = origin.layout
    }

    var type: OperandType { OperandType(layout.type, target: layout.target) }
}

extension TableInfo {
    /// Returns the property at an index; nil if it is a link or a collection.
    func ownValue(_ place: Int) -> BoundColumn? {
        guard columns[place].type != .link, columns[place].collection == nil else { return nil }
        return BoundColumn(columns[place])
    }
}

/// Part of the objects at the end of a path.
enum PathEnd: Sendable {
    /// The objects themselves.
    case objects
    /// One entry of a dictionary of links.
    case linkEntry(BoundColumn, ByteView)
    /// Keys of a dictionary of links.
    case linkKeys(BoundColumn)
    case scalar(BoundColumn)
    /// Elements of a collection without links.
    case collection(BoundColumn, CollectionSelector)
    /// Length of each element in bytes.
    case lengths(BoundColumn)
    /// Result of further steps into mixed values.
    case nested(BoundColumn, CollectionSelector, [NestedStep])
    /// Number of all backlinks.
    case incoming
}

/// A step into a mixed value, applied according to the value's type (query language 5.5).
enum NestedStep: Sendable {
    case at(ListIndex)
    case all
    /// Key of a dictionary or property of an object.
    case name(ByteView, String)
}
