/// Binary search in a B+tree whose elements ascend: the elements of a set, or the keys of a
/// dictionary.
///
/// In an inner node, `value` is compared with the first elements of the children. So a search opens
/// one leaf for each comparison in an inner node, and in the end the leaf that it finds.
struct OrderedSearch {
    private let tree: BPlusTree
    private let element: ElementType
    /// Number of elements in the tree to search.
    private let count: Int

    /// `isThere` is whether the value was found; `index` is its index or, if not found, its
    /// insertion index.
    typealias Result = (index: Int, isThere: Bool)

    init(_ tree: BPlusTree, _ element: ElementType, count: Int) {
        (self.tree, self.element, self.count) = (tree, element, count)
    }

    /// Searches for `value` among elements that ascend by `order`. For integers and texts, `order`
    /// must be equivalent to `ValueOrder.compare`.
    func find(
        _ value: Value, order: (Value, Value) -> Int
    ) throws(RealmError) -> Result {
        if count == 0 { return (0, false) }
        let (space, element) = (tree.space, element)
        switch (value, element.type) {
        case (.int(let wanted), .int) where !element.isNullable:
            return try find(
                open: { (ref) throws(RealmError) in try space.integers(ref, "integer leaf") },
                count: { $0.count }, place: { IntegerKernels.firstNotBelow(wanted, $0) },
                order: { (leaf, i) in ValueOrder.order(leaf.integer(i), wanted) })
        case (.string(let wanted), .string):
            return try find(
                open: { (ref) throws(RealmError) in try BytesLeaf(strings: space, ref) },
                count: { $0.count },
                place: { (leaf) throws(RealmError) in try leaf.firstNotBelow(wanted) },
                order: { (leaf, i) throws(RealmError) in
                    guard let value = try leaf.value(i) else { return -1 }
                    return ByteView.compare(value, wanted)
                })
        default:
            let found = try find(
                open: { (ref) throws(RealmError) in
                    try ColumnLeaf(space, ref, element: element)
                },
                count: { $0.count }, place: { _ in nil },
                order: { (leaf, i) throws(RealmError) in order(try leaf.stored(i), value) })
            if found.isThere || !value.isBinaryNaN { return found }
            return try findNaN(value, order: order) ?? found
        }
    }

    /// Searches for a NaN by reading all elements: the reference engine's order does not determine
    /// where a NaN is inserted.
    private func findNaN(
        _ value: Value, order: (Value, Value) -> Int
    ) throws(RealmError) -> Result? {
        var index = 0
        while index < count {
            let (ref, start) = try tree.leaf(containing: index)
            let leaf = try ColumnLeaf(tree.space, ref, element: element)
            for i in 0..<leaf.count where order(try leaf.stored(i), value) == 0 {
                return (start + i, true)
            }
            guard leaf.count > 0 else { throw miscounted(ref) }
            index = start + leaf.count
        }
        return nil
    }

    /// - Parameters:
    ///   - place: returns the index in a leaf of the first element that is not less than the wanted
    ///     value. If it returns nil, that element is found by a binary search with `order`.
    ///   - order: compares an element of a leaf with the wanted value.
    @inline(__always)
    private func find<Leaf>(
        open: (Ref) throws(RealmError) -> Leaf, count size: (Leaf) -> Int,
        place: (Leaf) throws(RealmError) -> Int?, order: (Leaf, Int) throws(RealmError) -> Int
    ) throws(RealmError) -> Result {
        var (ref, start) = (tree.root, 0)
        for _ in 0..<BPlusTree.maximumDepth {
            guard let inner = try BPlusTree.Inner(tree.space, ref) else {
                let leaf = try open(ref)
                let rows = size(leaf)
                guard start + rows <= count else { throw miscounted(ref) }
                var row = 0
                if let place = try place(leaf) {
                    row = place
                } else {
                    row = try (0..<rows).partitionPoint { (i) throws(RealmError) in
                        try order(leaf, i) >= 0
                    }
                }
                if row == rows { return (start + row, false) }
                return (start + row, try order(leaf, row) == 0)
            }
            // Finds the last child with a first element that is not greater than the wanted value.
            let child = try (1..<inner.count).partitionPoint { (i) throws(RealmError) in
                let leaf = try open(try firstLeaf(below: inner.child(i)))
                guard size(leaf) > 0 else { throw miscounted(ref) }
                return try order(leaf, 0) > 0
            }
            start += inner.start(child - 1)
            ref = try inner.child(child - 1)
            guard start < count else { throw miscounted(ref) }
        }
        throw .corrupt("a B+tree deeper than \(BPlusTree.maximumDepth) levels", at: tree.root)
    }

    private func firstLeaf(below ref: Ref) throws(RealmError) -> Ref {
        var ref = ref
        for _ in 0..<BPlusTree.maximumDepth {
            guard try tree.space.node(ref).isInner else { return ref }
            guard let inner = try BPlusTree.Inner(tree.space, ref) else { return ref }
            ref = try inner.child(0)
        }
        throw .corrupt("a B+tree deeper than \(BPlusTree.maximumDepth) levels", at: tree.root)
    }

    @inline(never)
    private func miscounted(_ ref: Ref) -> RealmError {
        .corrupt("a B+tree child of another size than announced", at: ref)
    }
}

extension Value {
    fileprivate var isBinaryNaN: Bool {
        switch self {
        case .float(let v): v.isNaN
        case .double(let v): v.isNaN
        default: false
        }
    }
}
