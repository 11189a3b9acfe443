/// Describes the storage of the values of a column or of the elements of a collection.
struct LeafLayout {
    let type: ColumnType
    let isNullable: Bool
    /// Kind of the collections, if the cells are roots of collections; nil if the cells are single
    /// values.
    let collection: CollectionKind?
    /// Target table of links.
    let target: TableKey
    /// Ref of the list of distinct values of an enumerated string column; none for other columns.
    let distinct: Ref
    /// Whether dictionary keys are integers instead of strings.
    let hasIntegerKeys: Bool

    var element: ElementType {
        ElementType(
            type: type, isNullable: isNullable, target: target, hasIntegerKeys: hasIntegerKeys)
    }
}

extension LeafLayout {
    /// Makes the layout of the leaves of a collection with these elements.
    init(elements: ElementType) {
        self.init(
            type: elements.type, isNullable: elements.isNullable, collection: nil,
            target: elements.target, distinct: .none, hasIntegerKeys: false)
    }

    /// Layout of the column as if it were not enumerated: its leaves contain the texts themselves.
    var withoutDistinct: LeafLayout {
        LeafLayout(
            type: type, isNullable: isNullable, collection: collection, target: target,
            distinct: .none, hasIntegerKeys: hasIntegerKeys)
    }
}

extension LeafLayout {
    /// The number that represents null in leaves with one number per value; 0 for types that are
    /// never null in such a leaf.
    var nullNumber: Int64 {
        if collection != nil { return 0 }
        return switch type {
        case .bool: BoolLeaf.null
        case .float: Int64(FloatLeaf.nullBits)
        case .double: Int64(bitPattern: DoubleLeaf.nullBits)
        case .link: ObjectKey.none.raw
        default: 0
        }
    }
}

/// The kinds of collections: list, set and dictionary.
public enum CollectionKind: String, Sendable {
    case list, set, dictionary
}

/// One column of a cluster leaf, or one leaf of a collection.
///
/// The form of the leaf is determined once, when it is opened; reading a value is then a switch
/// over the form. Valid as long as the snapshot.
enum ColumnLeaf {
    case integer(IntegerLeaf)
    case nullableInteger(NullableIntegerLeaf)
    case bool(BoolLeaf)
    case float(FloatLeaf)
    case double(DoubleLeaf)
    case string(BytesLeaf)
    case binary(BytesLeaf)
    case timestamp(TimestampLeaf)
    case decimal(DecimalLeaf)
    case objectID(FixedBytesLeaf)
    case uuid(FixedBytesLeaf)
    case link(LinkLeaf)
    case linkElement(LinkElementLeaf)
    case typedLink(TypedLinkLeaf)
    case mixed(MixedLeaf)
    case collection(CollectionValues)

    /// Opens the column leaf at `ref` of a cluster leaf with `rows` objects.
    init(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout, rows: Int
    ) throws(RealmError) {
        try self.init(space, ref, layout)
        guard count == rows else {
            throw .corrupt("a column leaf of \(count) values among \(rows) objects", at: ref)
        }
    }

    /// Opens the column leaf at `ref`, with any number of values.
    init(_ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout) throws(RealmError) {
        if let kind = layout.collection {
            self = .collection(
                CollectionValues(
                    leaf: try CollectionLeaf(space, ref), kind: kind, element: layout.element))
        } else if layout.type == .link {
            self = .link(try LinkLeaf(space, ref, target: layout.target))
        } else {
            self = try Self.scalar(space, ref, layout.element, distinct: layout.distinct)
        }
    }

    /// Opens a leaf of a collection's B+tree.
    init(_ space: NodeSpace, _ ref: Ref, element: ElementType) throws(RealmError) {
        if element.type == .link {
            self = .linkElement(try LinkElementLeaf(space, ref, target: element.target))
        } else {
            self = try Self.scalar(space, ref, element, distinct: .none)
        }
    }

    private static func scalar(
        _ space: NodeSpace, _ ref: Ref, _ element: ElementType, distinct: Ref
    ) throws(RealmError) -> ColumnLeaf {
        switch element.type {
        case .int:
            return element.isNullable
                ? .nullableInteger(try NullableIntegerLeaf(space, ref))
                : .integer(try IntegerLeaf(space, ref))
        case .bool: return .bool(try BoolLeaf(space, ref))
        case .float: return .float(try FloatLeaf(space, ref))
        case .double: return .double(try DoubleLeaf(space, ref))
        case .string: return .string(try BytesLeaf(strings: space, ref, distinct: distinct))
        case .binary: return .binary(try BytesLeaf(binaries: space, ref))
        case .timestamp: return .timestamp(try TimestampLeaf(space, ref))
        case .decimal: return .decimal(try DecimalLeaf(space, ref))
        case .objectID: return .objectID(try FixedBytesLeaf(space, ref, width: ObjectID.byteCount))
        case .uuid: return .uuid(try FixedBytesLeaf(space, ref, width: UUIDValue.byteCount))
        case .typedLink: return .typedLink(try TypedLinkLeaf(space, ref))
        case .mixed: return .mixed(try MixedLeaf(space, ref))
        case .link, .backlink: throw space.wrongShape(ref, "scalar leaf")
        }
    }

    var count: Int {
        switch self {
        case .integer(let leaf): leaf.count
        case .nullableInteger(let leaf): leaf.count
        case .bool(let leaf): leaf.count
        case .float(let leaf): leaf.count
        case .double(let leaf): leaf.count
        case .string(let leaf), .binary(let leaf): leaf.count
        case .timestamp(let leaf): leaf.count
        case .decimal(let leaf): leaf.count
        case .objectID(let leaf), .uuid(let leaf): leaf.count
        case .link(let leaf): leaf.count
        case .linkElement(let leaf): leaf.count
        case .typedLink(let leaf): leaf.count
        case .mixed(let leaf): leaf.count
        case .collection(let values): values.leaf.count
        }
    }

    /// Returns value `i` as stored, which may be a link to a tombstone, with a negative key. `i`
    /// must be below `count`.
    @inline(__always)
    func stored(_ i: Int) throws(RealmError) -> Value {
        switch self {
        case .integer(let leaf): return leaf.stored(i)
        case .nullableInteger(let leaf): return leaf.stored(i)
        case .bool(let leaf): return leaf.stored(i)
        case .float(let leaf): return leaf.stored(i)
        case .double(let leaf): return leaf.stored(i)
        case .string(let leaf): return try leaf.value(i).map(Value.string) ?? .null
        case .binary(let leaf): return try leaf.value(i).map(Value.binary) ?? .null
        case .timestamp(let leaf): return try leaf.stored(i)
        case .decimal(let leaf): return leaf.stored(i)
        case .objectID(let leaf):
            return leaf.bytes(i).map { .objectID(ObjectID(bytes: $0)) } ?? .null
        case .uuid(let leaf): return leaf.bytes(i).map { .uuid(UUIDValue(bytes: $0)) } ?? .null
        case .link(let leaf): return leaf.stored(i)
        case .linkElement(let leaf): return leaf.stored(i)
        case .typedLink(let leaf): return leaf.link(i).map(Value.link) ?? .null
        case .mixed(let leaf): return try leaf.value(i)
        case .collection(let values): return try values.stored(i)
        }
    }

    /// Returns value `i` as the API shows it: a link to a tombstone, the placeholder of a missing
    /// object, is null. `i` must be below `count`.
    @inline(__always)
    func value(_ i: Int) throws(RealmError) -> Value {
        try stored(i).shown
    }
}
