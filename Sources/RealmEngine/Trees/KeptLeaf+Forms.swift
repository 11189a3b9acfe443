/// Packed numbers: integers with or without null marker, bools, floats, doubles, links, and the roots of
/// collections.
extension NodeView: KeptLeaf {
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout, rows: Int
    ) throws(RealmError) -> NodeView? {
        guard let node = try numbers(space, ref, layout) else { return nil }
        let hasMarker = layout.collection == nil && layout.type == .int && layout.isNullable
        guard node.count == rows + (hasMarker ? 1 : 0) else { throw uneven(node.count, rows, ref) }
        return node
    }

    private static func numbers(
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

    @inline(__always)
    func reading(in space: NodeSpace) -> NodeView { self }
}

extension TimestampLeaf: KeptLeaf {
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout, rows: Int
    ) throws(RealmError) -> TimestampLeaf? {
        guard layout.collection == nil, layout.type == .timestamp else { return nil }
        let leaf = try TimestampLeaf(space, ref)
        guard leaf.count == rows else { throw uneven(leaf.count, rows, ref) }
        return leaf
    }

    @inline(__always)
    func reading(in space: NodeSpace) -> TimestampLeaf { self }
}

extension BytesLeaf: KeptLeaf {
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout, rows: Int
    ) throws(RealmError) -> BytesLeaf? {
        guard layout.collection == nil, layout.type == .string || layout.type == .binary else {
            return nil
        }
        let leaf =
            layout.type == .string
            ? try BytesLeaf(strings: space, ref, distinct: layout.distinct)
            : try BytesLeaf(binaries: space, ref)
        guard leaf.count == rows else { throw uneven(leaf.count, rows, ref) }
        return leaf
    }
}

extension FixedBytesLeaf: KeptLeaf {
    static func opened(
        _ space: NodeSpace, _ ref: Ref, _ layout: LeafLayout, rows: Int
    ) throws(RealmError) -> FixedBytesLeaf? {
        guard layout.collection == nil, layout.type == .objectID || layout.type == .uuid else {
            return nil
        }
        let leaf = try FixedBytesLeaf(space, ref, width: layout.type == .uuid ? 16 : 12)
        guard leaf.count == rows else { throw uneven(leaf.count, rows, ref) }
        return leaf
    }

    @inline(__always)
    func reading(in space: NodeSpace) -> FixedBytesLeaf { self }
}

@inline(never)
private func uneven(_ count: Int, _ rows: Int, _ ref: Ref) -> RealmError {
    .corrupt("a column leaf of \(count) values among \(rows) objects", at: ref)
}
