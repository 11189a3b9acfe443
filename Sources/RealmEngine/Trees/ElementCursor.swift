/// The elements of a list or set in stored order, one at a time.
///
/// Elements that are unresolved links are passed over, as every user of the format does. Valid as
/// long as the snapshot; confined to the thread of its snapshot.
public struct ElementCursor {
    private let space: NodeSpace
    private let element: ElementType
    private var leaves: BPlusTree.Leaves
    private var leaf: ColumnLeaf?
    private var index = 0
    private var count = 0

    init(_ space: NodeSpace, _ view: CollectionView) {
        self.space = space
        element = view.element
        leaves = BPlusTree(space: space, root: view.root).leaves()
    }

    /// The next element, nil at the end. Throws `corrupt`.
    public mutating func next() throws(RealmError) -> Value? {
        while let value = try nextStored() {
            if element.type == .link, case .link(let link) = value, link.key.isUnresolved {
                continue
            }
            if case .link(let link) = value, link.key.raw < 0 { return .null }
            return value
        }
        return nil
    }

    /// The next element with unresolved links as stored.
    mutating func nextStored() throws(RealmError) -> Value? {
        while index == count {
            guard let ref = try leaves.next() else { return nil }
            let opened = try ColumnLeaf(space, ref, element: element)
            leaf = opened
            index = 0
            count = opened.count
        }
        defer { index += 1 }
        return try leaf!.stored(index)
    }
}

/// The entries of a dictionary, one at a time (object format 4.5, and 10.1 for formats 21 and 22).
public struct DictionaryCursor {
    private var source: Source

    private enum Source {
        case empty
        /// Keys and values side by side in two B+trees.
        case pair(keys: ElementCursor, values: ElementCursor)
        /// A cluster tree whose keys are hashes: column 0 keys, column 1 values.
        case cluster(ClusterTree.Leaves, keys: BytesLeaf?, values: MixedLeaf?, row: Int, count: Int)
    }

    init(_ space: NodeSpace, _ view: CollectionView, clustered: Bool) throws(RealmError) {
        if view.root.isNone {
            source = .empty
        } else if clustered {
            source = .cluster(
                ClusterTree(space: space, root: view.root).leaves(), keys: nil, values: nil, row: 0,
                count: 0)
        } else {
            let node = try space.refNode(view.root, slots: 2, "dictionary")
            let keyType: ColumnType = view.element.hasIntegerKeys ? .int : .string
            source = .pair(
                keys: ElementCursor(
                    space,
                    CollectionView(
                        root: try Self.half(node, 0, view.root),
                        element: ElementType(type: keyType, isNullable: false))),
                values: ElementCursor(
                    space,
                    CollectionView(root: try Self.half(node, 1, view.root), element: .mixed)))
        }
    }

    private static func half(_ node: NodeView, _ i: Int, _ ref: Ref) throws(RealmError) -> Ref {
        guard let root = node.slot(i).child else {
            throw .corrupt("a dictionary without its keys or values", at: ref)
        }
        return root
    }

    /// The next entry, nil at the end. A value that is an unresolved link reads as null.
    public mutating func next() throws(RealmError) -> (key: Value, value: Value)? {
        guard let entry = try nextStored() else { return nil }
        if case .link(let link) = entry.value, link.key.raw < 0 { return (entry.key, .null) }
        return entry
    }

    mutating func nextStored() throws(RealmError) -> (key: Value, value: Value)? {
        switch source {
        case .empty: return nil
        case .pair(var keys, var values):
            let key = try keys.nextStored()
            let value = try values.nextStored()
            source = .pair(keys: keys, values: values)
            guard let key, let value else {
                guard key == nil, value == nil else {
                    throw .corrupt("a dictionary with more keys than values", at: .none)
                }
                return nil
            }
            return (key, value)
        case .cluster(var leaves, var keys, var values, var row, var count):
            while row == count {
                guard let leaf = try leaves.next() else { return nil }
                keys = try BytesLeaf(strings: leaf.space, try leaf.columnRef(0))
                values = try MixedLeaf(leaf.space, try leaf.columnRef(1))
                row = 0
                count = leaf.count
                guard keys!.count == count, values!.count == count else {
                    throw .corrupt("a dictionary with more keys than values", at: leaf.ref)
                }
            }
            let key = try keys!.value(row).map(Value.string) ?? .null
            let value = try values!.value(row)
            source = .cluster(leaves, keys: keys, values: values, row: row + 1, count: count)
            return (key, value)
        }
    }
}

extension ElementCursor {
    /// Number of elements of `view` as a user sees it: hidden elements are not counted.
    static func count(_ space: NodeSpace, _ view: CollectionView) throws(RealmError) -> Int {
        if view.root.isNone { return 0 }
        let node = try space.node(view.root)
        if view.element.type == .link, node.context {
            var cursor = ElementCursor(space, view)
            var total = 0
            while try cursor.next() != nil { total += 1 }
            return total
        }
        return try BPlusTree(space: space, root: view.root).count { (ref) throws(RealmError) in
            try ColumnLeaf(space, ref, element: view.element).count
        }
    }
}
