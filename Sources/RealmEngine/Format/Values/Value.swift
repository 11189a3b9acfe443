/// The value of a property, of an element of a collection, or of a mixed property.
///
/// Trivial: it needs neither reference counting nor allocation. Strings and binaries are addresses
/// of bytes in the mapped snapshot, and are valid as long as the snapshot.
public enum Value: @unchecked Sendable {
    case null
    case int(Int64)
    case bool(Bool)
    case float(Float)
    case double(Double)
    /// UTF-8 as stored: not normalised, and possibly with NULs.
    case string(ByteView)
    case binary(ByteView)
    case timestamp(Timestamp)
    case decimal(Decimal128)
    case objectID(ObjectID)
    case uuid(UUIDValue)
    /// A link to an object. A link to a tombstone, the placeholder of a missing object, is read as
    /// null.
    case link(ObjectLink)
    case list(CollectionView)
    case set(CollectionView)
    case dictionary(CollectionView)
}

extension Value {
    /// The type of the value; nil for null and for collections.
    package var columnType: ColumnType? {
        switch self {
        case .int: .int
        case .bool: .bool
        case .float: .float
        case .double: .double
        case .string: .string
        case .binary: .binary
        case .timestamp: .timestamp
        case .decimal: .decimal
        case .objectID: .objectID
        case .uuid: .uuid
        case .link: .link
        case .null, .list, .set, .dictionary: nil
        }
    }

    /// The value as users see it. A link to a tombstone or to no object (key -1) is shown as null.
    @inline(__always)
    var shown: Value {
        if case .link(let link) = self, link.key.raw < 0 { return .null }
        return self
    }
}

/// Location of a collection and type of its elements. A `Snapshot` reads the elements.
public struct CollectionView: Sendable {
    /// Root of the B+tree or, for a dictionary, of the node that references the trees of keys and
    /// values. None if the collection has never had an element.
    package let root: Ref
    public let element: ElementType
    /// Identifies a collection inside a mixed value (object format 4.6); 0 for the collection of a
    /// property.
    let key: Int32
    /// Number of collections that contain this one; 0 for the collection of a property.
    let depth: UInt8

    @inline(__always)
    init(root: Ref, element: ElementType, key: Int32 = 0, depth: UInt8 = 0) {
        self.root = root
        self.element = element
        self.key = key
        self.depth = depth
    }

    /// Maximum depth of nested collections (object format 4.6).
    static let maximumDepth: UInt8 = 100

    /// Returns this collection as a member of an enclosing collection. `depth` is the nesting depth
    /// of the enclosing collection; the returned collection has the depth `depth + 1`. Throws
    /// beyond the maximum depth, so that readers may recurse even if a damaged collection contains
    /// itself.
    @inline(never)
    private func inside(depth: UInt8) throws(RealmError) -> CollectionView {
        guard depth < Self.maximumDepth else {
            throw .corrupt("collections nested deeper than \(Self.maximumDepth) levels", at: root)
        }
        return CollectionView(root: root, element: element, key: key, depth: depth + 1)
    }

    /// Returns `value`, an element of a collection whose nesting depth is `depth`. If the element
    /// is a collection itself, the returned element has the depth `depth + 1`.
    @inline(__always)
    static func element(_ value: Value, depth: UInt8) throws(RealmError) -> Value {
        switch value {
        case .list(let view): .list(try view.inside(depth: depth))
        case .dictionary(let view): .dictionary(try view.inside(depth: depth))
        default: value
        }
    }
}

/// The type of a collection's elements.
public struct ElementType: Hashable, Sendable {
    public let type: ColumnType
    public let isNullable: Bool
    /// Target table of links.
    public let target: TableKey
    /// Whether the keys of a dictionary are integers instead of strings.
    public let hasIntegerKeys: Bool

    @inline(__always)
    public init(
        type: ColumnType, isNullable: Bool, target: TableKey = .none, hasIntegerKeys: Bool = false
    ) {
        self.type = type
        self.isNullable = isNullable
        self.target = target
        self.hasIntegerKeys = hasIntegerKeys
    }

    public static let mixed = ElementType(type: .mixed, isNullable: true)
}

extension Value {
    /// Whether the value is a link to a tombstone. Users see null instead of it, or nothing in a
    /// list or set.
    @inline(__always)
    var isUnresolvedLink: Bool {
        if case .link(let link) = self { link.key.isUnresolved } else { false }
    }

    /// The value under which search indexes store this value: null for a link to a tombstone,
    /// otherwise the value itself.
    var indexed: Value { isUnresolvedLink ? .null : self }
}
