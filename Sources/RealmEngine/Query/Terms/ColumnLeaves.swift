/// Access to one column for aggregates, groups and sorts, leaf by leaf. Leaves come from the cache
/// of a `LeafDirectory` if there is one, and are opened otherwise.
///
/// Confined to one thread.
final class ColumnLeaves {
    let column: BoundColumn
    private var numbers: ColumnCells<NodeView>
    private var times: ColumnCells<TimestampLeaf>
    private var texts: ColumnCells<BytesLeaf>

    init(_ column: BoundColumn) {
        self.column = column
        numbers = ColumnCells(column)
        times = ColumnCells(column)
        texts = ColumnCells(column)
    }

    /// Reads the column's leaves from the cache of `directory` from now on.
    func attach(_ directory: LeafDirectory) {
        guard column.layout.collection == nil else { return }
        switch column.layout.type {
        case .int, .bool, .float, .double: numbers.attach(directory)
        case .timestamp: times.attach(directory)
        case .string: texts.attach(directory)
        default: break
        }
    }

    /// Returns the leaf of this column in a cluster leaf, and prefetches the column's leaf in the
    /// next cluster leaf.
    func leaf(_ leaf: ClusterLeaf) throws(RealmError) -> ColumnLeaf {
        guard leaf.place >= 0, column.layout.collection == nil else { return try opened(leaf) }
        switch column.layout.type {
        case .int:
            guard numbers.cachedLeaf != nil else { break }
            if let next = numbers.next(leaf) { Prefetch.elements(next.pointee) }
            let node = try numbers.leaf(leaf)
            return column.layout.isNullable
                ? .nullableInteger(NullableIntegerLeaf(opened: node))
                : .integer(IntegerLeaf(opened: node))
        case .bool where numbers.cachedLeaf != nil:
            return .bool(BoolLeaf(opened: try numbers.leaf(leaf)))
        case .float where numbers.cachedLeaf != nil:
            if let next = numbers.next(leaf) { Prefetch.elements(next.pointee) }
            return .float(FloatLeaf(opened: try numbers.leaf(leaf)))
        case .double where numbers.cachedLeaf != nil:
            if let next = numbers.next(leaf) { Prefetch.elements(next.pointee) }
            return .double(DoubleLeaf(opened: try numbers.leaf(leaf)))
        case .timestamp where times.cachedLeaf != nil:
            if let next = times.next(leaf) { Prefetch.elements(next.pointee.seconds.node) }
            return .timestamp(try times.leaf(leaf))
        case .string where texts.cachedLeaf != nil:
            if let next = texts.next(leaf) { next.pointee.prefetch() }
            return .string(try texts.leaf(leaf))
        default: break
        }
        return try opened(leaf)
    }

    /// Prefetches the start of the column's leaf in a cluster leaf that will be read soon.
    func prefetch(_ leaf: ClusterLeaf) {
        if leaf.place < 0 { leaf.prefetch(column.leafIndex) }
    }

    private func opened(_ leaf: ClusterLeaf) throws(RealmError) -> ColumnLeaf {
        try leaf.column(column.leafIndex, column.layout)
    }
}
