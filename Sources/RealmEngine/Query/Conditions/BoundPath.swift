/// A path resolved against the schema: the links from object to object (hops), and the value read
/// at the end (query language 5).
final class BoundPath: Sendable {
    let hops: [PathHop]
    /// Class of the objects that the last link reaches; the queried class if there are no links.
    let table: TableContext
    let end: PathEnd
    /// Whether every link leads to at most one object.
    let isToOne: Bool

    init(_ path: ResolvedPath) {
        hops = path.hops
        table = TableContext(path.table)
        end = path.end
        isToOne = path.isToOne
    }
}

/// A path that is being resolved: the binder has resolved its first steps to properties.
struct ResolvedPath {
    var hops: [PathHop] = []
    /// Class of the objects that the resolved part of the path reaches.
    var table: TableInfo
    var end = PathEnd.objects

    var isToOne: Bool { hops.allSatisfy(\.isToOne) }
}

/// Key and root of a table, as the evaluator needs them.
struct TableContext: Sendable {
    let key: TableKey
    let root: Ref

    init(_ info: TableInfo) {
        key = info.key
        root = info.root
    }
}

/// One hop of a path: the way from an object to linked or linking objects, by one property. A
/// trivial type, so that evaluation copies it without reference counting.
struct PathHop: Sendable {
    let kind: Kind
    /// Class of the objects at which this hop starts. The hop reaches objects of the class
    /// `target`.
    let source: TableContext
    let target: TableContext
    /// The column in `source` that is followed: the link property, or the backlink column if the
    /// hop leads to linking objects.
    let column: BoundColumn
    /// Elements of the list, or entry of the dictionary, whose links are followed.
    var selector = CollectionSelector.all

    enum Kind: Sendable {
        case toOne, list, set, dictionary, backlink
    }

    var isToOne: Bool { kind == .toOne }
}

/// The elements of a collection that a path step selects, such as `[*]` or `[0]`.
enum CollectionSelector: Sendable {
    case all
    case at(ListIndex)
    /// The value of one key of a dictionary.
    case key(ByteView)
    /// All keys of a dictionary, as values.
    case keys

    var isAll: Bool {
        if case .all = self { return true }
        return false
    }
}

enum ListIndex: Sendable {
    /// Index counted from 0. A negative index selects no element.
    case at(Int64)
    case first
    case last
}

/// Location of a property's values in a cluster leaf, and their type and layout.
struct BoundColumn: Sendable {
    let leafIndex: Int
    let layout: LeafLayout
    init(_ info: ColumnInfo) {
        leafIndex = info.leafIndex
        layout = info.layout
    }

    /// Makes the backlink column that belongs to the link property `origin`.
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

/// Values that a path reads from the objects at its end.
enum PathEnd: Sendable {
    /// Links to the objects at the end of the path.
    case objects
    /// The link that a dictionary of links contains for one key.
    case linkEntry(BoundColumn, ByteView)
    /// The keys of a dictionary whose values are links.
    case linkKeys(BoundColumn)
    case scalar(BoundColumn)
    /// Elements of a collection whose values are not links.
    case collection(BoundColumn, CollectionSelector)
    /// Length in bytes of each text or binary in a collection.
    case lengths(BoundColumn)
    /// Values reached by further steps into mixed values, such as `[0]` or a dictionary key.
    case nested(BoundColumn, CollectionSelector, [NestedStep])
    /// Number of all backlinks of each object: `@links.@count`.
    case incoming
}

/// A step into a mixed value, applied according to the type of the value found (query language
/// 5.5).
enum NestedStep: Sendable {
    case at(ListIndex)
    case all
    /// A name, whose meaning depends on the value found. In a dictionary, it is a key (the bytes);
    /// in a linked object, it is the name of a property (the string).
    case name(ByteView, String)
}
