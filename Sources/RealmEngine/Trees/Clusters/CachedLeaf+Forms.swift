/// Leaves that consist of one packed array: integers with or without null marker, bools, floats,
/// doubles, links, and roots of collections.
extension NodeView: CachedLeaf {
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout
    ) throws(RealmError) -> NodeView? {
        if layout.collection != nil { return try CollectionLeaf(space, ref).node }
        switch layout.type {
        case .int, .bool: return try space.integers(ref, "integer leaf")
        case .link: return try LinkLeaf(space, ref, target: layout.target).node
        case .float: return try FloatLeaf(space, ref).node
        case .double: return try DoubleLeaf(space, ref).node
        default: return nil
        }
    }

    func count(_ layout: LeafLayout) -> Int {
        let hasMarker = layout.collection == nil && layout.type == .int && layout.isNullable
        return hasMarker ? count - NullableIntegerLeaf.first : count
    }
}

extension TimestampLeaf: CachedLeaf {
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout
    ) throws(RealmError) -> TimestampLeaf? {
        guard layout.collection == nil, layout.type == .timestamp else { return nil }
        return try TimestampLeaf(space, ref)
    }

    func count(_ layout: LeafLayout) -> Int { count }
}

extension BytesLeaf: CachedLeaf {
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout
    ) throws(RealmError) -> BytesLeaf? {
        guard layout.collection == nil else { return nil }
        switch layout.type {
        case .string: return try BytesLeaf(strings: space, ref, distinct: layout.distinct)
        case .binary: return try BytesLeaf(binaries: space, ref)
        default: return nil
        }
    }

    func count(_ layout: LeafLayout) -> Int { count }
}

extension FixedBytesLeaf: CachedLeaf {
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout
    ) throws(RealmError) -> FixedBytesLeaf? {
        guard layout.collection == nil else { return nil }
        switch layout.type {
        case .objectID: return try FixedBytesLeaf(space, ref, width: ObjectID.byteCount)
        case .uuid: return try FixedBytesLeaf(space, ref, width: UUIDValue.byteCount)
        default: return nil
        }
    }

    func count(_ layout: LeafLayout) -> Int { count }
}
