/// One value of a property, a collection element or a mixed.
///
/// Trivial: no reference counting, no allocation. Strings and binaries point into the mapped
/// snapshot and live as long as it does.
public enum Value: @unchecked Sendable {
    case null
    case int(Int64)
    case bool(Bool)
    case float(Float)
    case double(Double)
    /// UTF-8 as stored; never normalised, may hold NUL.
    case string(ByteView)
    case binary(ByteView)
    case timestamp(Timestamp)
    case decimal(Decimal128)
    case objectID(ObjectID)
    case uuid(UUIDValue)
    /// A resolved link; unresolved ones read as null.
    case link(ObjectLink)
    case list(CollectionView)
    case set(CollectionView)
    case dictionary(CollectionView)
}

/// Where a collection is stored and what its elements are; opened by a `Snapshot`.
public struct CollectionView: Sendable {
    /// Root of the B+tree, or of the dictionary's pair; none when empty.
    public let root: Ref
    public let element: ElementType
    /// What a nested collection inside a mixed is addressed by (object format 4.6); 0 for others.
    let key: Int32

    @inline(__always)
    init(root: Ref, element: ElementType, key: Int32 = 0) {
        self.root = root
        self.element = element
        self.key = key
    }
}

/// Type of the elements of a collection.
public struct ElementType: Hashable, Sendable {
    public let type: ColumnType
    public let isNullable: Bool
    /// For links: the table they lead to.
    public let target: TableKey
    /// For dictionaries: the keys are integers instead of strings.
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
