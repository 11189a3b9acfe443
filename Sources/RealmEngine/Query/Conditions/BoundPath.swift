/// A path resolved against the schema: hops from object to object, and what is taken at their end
/// (query language 5).
final class BoundPath: Sendable {
    let hops: [PathHop]
    /// The class reached by the hops.
    let table: TablePlace
    let end: PathEnd
    /// Every hop leads to at most one object.
    let isToOne: Bool

    init(_ path: ResolvedPath) {
        hops = path.hops
        table = TablePlace(path.table)
        end = path.end
        isToOne = path.isToOne
    }
}

/// A path while it is being resolved.
struct ResolvedPath {
    var hops: [PathHop] = []
    /// The class reached by the hops.
    var table: TableInfo
    var end = PathEnd.objects

    var isToOne: Bool { hops.allSatisfy(\.isToOne) }
}

/// A table as evaluation needs it.
struct TablePlace: Sendable {
    let key: TableKey
    let root: Ref

    init(_ info: TableInfo) {
        key = info.key
        root = info.root
    }
}

/// One step from object to object. Trivial: evaluation copies it without counting references.
struct PathHop: Sendable {
    let kind: Kind
    /// The class stepped from.
    let source: TablePlace
    let target: TablePlace
    /// The link column of `source`, or where its backlinks are.
    let column: BoundColumn
    /// Selects one element of a list or one entry of a dictionary.
    var selector = CollectionSelector.all

    enum Kind: Sendable {
        case toOne, list, set, dictionary, backlink
    }

    var isToOne: Bool { kind == .toOne }
}

/// Which elements of a collection are meant.
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
    /// Negative ones are outside every list.
    case at(Int64)
    case first
    case last
}

/// A property: where its values are stored.
struct BoundColumn: Sendable {
    let leafIndex: Int
    let layout: LeafLayout
    init(_ info: ColumnInfo) {
        leafIndex = info.leafIndex
        layout = info.layout
    }

    /// The receiving end of the links of `origin`.
    init(_ backlink: BacklinkInfo, origin: ColumnInfo) {
        leafIndex = backlink.leafIndex
        layout = origin.layout
    }

    var type: OperandType { OperandType(layout.type, target: layout.target) }
}

extension TableInfo {
    /// The property of that number, when it is a single value of the object itself.
    func ownValue(_ place: Int) -> BoundColumn? {
        guard columns[place].type != .link, columns[place].collection == nil else { return nil }
        return BoundColumn(columns[place])
    }
}

/// What is taken of the objects a path reaches.
enum PathEnd: Sendable {
    /// The objects themselves.
    case objects
    /// Entry of a dictionary of links.
    case linkEntry(BoundColumn, ByteView)
    /// Keys of a dictionary of links.
    case linkKeys(BoundColumn)
    case scalar(BoundColumn)
    /// Elements of a collection that holds no links.
    case collection(BoundColumn, CollectionSelector)
    /// Byte length of each element.
    case lengths(BoundColumn)
    /// Steps into what mixed values hold.
    case nested(BoundColumn, CollectionSelector, [NestedStep])
    /// All incoming links.
    case incoming
}

/// A step applied to a mixed value as it is found (query language 5.5).
enum NestedStep: Sendable {
    case at(ListIndex)
    case all
    /// Key of a dictionary or property of an object.
    case name(ByteView, String)
}
