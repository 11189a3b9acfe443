/// Iterates over the elements of a list or set in stored order.
///
/// Skips links to tombstones, as the format requires. Valid as long as the snapshot; confined to
/// the thread of the snapshot.
public struct ElementCursor {
    private let space: NodeSpace
    private let element: ElementType
    private let root: Ref
    private let depth: UInt8
    private var leaves: BPlusTree.Leaves
    private var leaf: ColumnLeaf?
    private var index = 0
    private var count = 0
    /// Number of elements in the leaves of the collection opened so far.
    private var met = 0
    private let leafLimit: Int

    /// Maximum number of elements in a leaf of an undamaged file (object format 4.1).
    static let maximumLeafCount = TreeShape.maximumCount

    /// - Parameter leafLimit: maximum number of elements in a leaf; throws `corrupt` for a larger
    ///   leaf. Without a limit, a damaged leaf with elements of width 0 can claim millions.
    init(_ space: NodeSpace, _ view: CollectionView, leafLimit: Int = .max) {
        self.space = space
        self.leafLimit = leafLimit
        element = view.element
        root = view.root
        depth = view.depth
        leaves = BPlusTree(space: space, root: view.root).leaves()
    }

    /// Returns the next element; nil at the end. Throws `corrupt`.
    public mutating func next() throws(RealmError) -> Value? {
        while let value = try nextStored() {
            if element.type == .link, case .link(let link) = value, link.key.isUnresolved {
                continue
            }
            return value.shown
        }
        return nil
    }

    /// Returns the next stored element, which may be a link to a tombstone; nil at the end.
    mutating func nextStored() throws(RealmError) -> Value? {
        while index == count {
            guard try openLeaf() else { return nil }
        }
        defer { index += 1 }
        try space.checkCurrent()
        return try CollectionView.element(try leaf!.stored(index), depth: depth)
    }

    /// Returns the next leaf, whose elements may include links to tombstones; nil at the end.
    mutating func nextLeaf() throws(RealmError) -> ColumnLeaf? {
        assert(index == count)
        guard try openLeaf() else { return nil }
        index = count
        return leaf
    }

    /// Writes the next integers of the current leaf to `out`, at most `capacity`. Returns the
    /// number of integers written; 0 at the end. The collection must contain non-optional integers.
    package mutating func integers(
        into out: UnsafeMutablePointer<Int64>, capacity: Int
    ) throws(RealmError) -> Int {
        while index == count {
            guard try openLeaf() else { return 0 }
        }
        try space.checkCurrent()
        guard case .integer(let leaf)? = leaf else {
            throw .misuse("the elements are no integers", reason: "type")
        }
        let length = min(capacity, count - index)
        IntegerKernels.decode(leaf.node, first: index, count: length, into: out)
        index += length
        return length
    }

    /// Opens the next leaf; returns false at the end.
    private mutating func openLeaf() throws(RealmError) -> Bool {
        guard let ref = try leaves.next() else {
            if let announced = leaves.announced, announced != met { throw miscounted(announced) }
            return false
        }
        let opened = try ColumnLeaf(space, ref, element: element)
        guard opened.count <= leafLimit else { throw space.tooMany(opened.count, ref) }
        try space.chargeElements(opened.count, at: ref)
        met += opened.count
        if let announced = leaves.announced, opened.count == 0 || met > announced {
            throw miscounted(announced)
        }
        leaf = opened
        index = 0
        count = opened.count
        return true
    }

    @inline(never)
    private func miscounted(_ announced: Int) -> RealmError {
        .corrupt("a B+tree with an empty leaf or not \(announced) elements", at: root)
    }
}

/// Iterates over the entries of a dictionary. Formats 21 and 22 store dictionaries in another way
/// than the current format (object format 4.5 and 10.1).
public struct DictionaryCursor {
    /// Cursors for a dictionary in the current encoding. Nil for a dictionary in the encoding of
    /// formats 21 and 22, which uses `cluster`, and for one that has never had an entry.
    private var pair: Pair?
    private var cluster: Cluster?
    private let root: Ref
    private let depth: UInt8

    /// Cursors over the two B+trees of a dictionary, the keys and the values, as the current format
    /// stores it.
    private struct Pair {
        var keys: ElementCursor
        var values: ElementCursor
    }

    /// Formats 21 and 22: cursor over a cluster tree whose object keys are hashes of dictionary
    /// keys. Column 0 contains the dictionary keys, column 1 the values.
    private struct Cluster {
        var leaves: LeafCursor
        var keys: BytesLeaf?
        var values: MixedLeaf?
        var row = 0
        var count = 0
    }

    init(
        _ space: NodeSpace, _ view: CollectionView, clustered: Bool, leafLimit: Int = .max
    ) throws(RealmError) {
        root = view.root
        depth = view.depth
        if view.root.isNone { return }
        if clustered {
            cluster = Cluster(leaves: ClusterTree(space: space, root: view.root).leaves())
            return
        }
        let (keys, values) = try view.halves(space)
        pair = Pair(
            keys: ElementCursor(space, keys, leafLimit: leafLimit),
            values: ElementCursor(space, values, leafLimit: leafLimit))
    }

    /// Returns the next entry; nil at the end. The value of a link to a tombstone is null. Throws
    /// `corrupt`.
    public mutating func next() throws(RealmError) -> (key: Value, value: Value)? {
        guard let entry = try nextStored() else { return nil }
        return (entry.key, entry.value.shown)
    }

    mutating func nextStored() throws(RealmError) -> (key: Value, value: Value)? {
        // Changes the cursors in place. Copying them to a variable and back would count references
        // for each entry.
        if pair != nil { return try nextOfPair() }
        return cluster == nil ? nil : try nextOfCluster()
    }

    private mutating func nextOfPair() throws(RealmError) -> (key: Value, value: Value)? {
        let key = try pair!.keys.nextStored()
        let value = try pair!.values.nextStored()
        guard let key, let value else {
            guard key == nil, value == nil else { throw uneven(root) }
            return nil
        }
        if case .null = key { throw nullKey() }
        return (key, value)
    }

    private mutating func nextOfCluster() throws(RealmError) -> (key: Value, value: Value)? {
        while cluster!.row == cluster!.count {
            guard let leaf = try cluster!.leaves.next() else { return nil }
            let keys = try BytesLeaf(strings: leaf.space, try leaf.columnRef(0))
            let values = try MixedLeaf(leaf.space, try leaf.columnRef(1))
            guard keys.count == leaf.count, values.count == leaf.count else {
                throw uneven(leaf.ref)
            }
            (cluster!.keys, cluster!.values) = (keys, values)
            (cluster!.row, cluster!.count) = (0, leaf.count)
        }
        let row = cluster!.row
        cluster!.row += 1
        guard let key = try cluster!.keys!.value(row) else { throw nullKey() }
        let value = try cluster!.values!.value(row)
        return (.string(key), try CollectionView.element(value, depth: depth))
    }

    @inline(never)
    private func uneven(_ ref: Ref) -> RealmError {
        .corrupt("a dictionary with more keys than values", at: ref)
    }

    @inline(never)
    private func nullKey() -> RealmError { .corrupt("a dictionary with a null key", at: root) }
}

extension ElementCursor {
    /// Number of elements in `view`, without links to tombstones.
    static func count(_ space: NodeSpace, _ view: CollectionView) throws(RealmError) -> Int {
        if view.root.isNone { return 0 }
        let node = try space.node(view.root)
        if view.element.type == .link, node.context {
            var cursor = ElementCursor(space, view)
            var total = 0
            while try cursor.next() != nil { total += 1 }
            return total
        }
        if view.element.type == .link, !node.isInner {
            let count = try space.integers(node, view.root, "link list leaf").count
            try space.chargeElements(count, at: view.root)
            return count
        }
        return try BPlusTree(space: space, root: view.root).count { (ref) throws(RealmError) in
            let count = try ColumnLeaf(space, ref, element: view.element).count
            try space.chargeElements(count, at: ref)
            return count
        }
    }
}

extension CollectionView {
    /// Returns the keys and the values of the dictionary, each as a list. The root must not be none
    /// (object format 4.5).
    func halves(
        _ space: NodeSpace
    ) throws(RealmError) -> (keys: CollectionView, values: CollectionView) {
        let node = try space.refNode(root, slots: DictionaryShape.count, "dictionary")
        guard let keys = node.slot(DictionaryShape.keys).child,
            let values = node.slot(DictionaryShape.values).child
        else {
            throw .corrupt("a dictionary without its keys or values", at: root)
        }
        let key = ElementType(type: element.hasIntegerKeys ? .int : .string, isNullable: false)
        return (
            CollectionView(root: keys, element: key),
            CollectionView(root: values, element: .mixed, depth: depth)
        )
    }
}
