/// Opened leaves in table order, kept for whoever reads them again. Immutable and free to cross
/// threads.
final class KeptLeaves<Leaf: BitwiseCopyable>: @unchecked Sendable {
    private let base: UnsafeMutablePointer<Leaf>
    let count: Int

    init(_ leaves: ContiguousArray<Leaf>) {
        count = leaves.count
        base = .allocate(capacity: max(1, leaves.count))
        for i in leaves.indices { (base + i).initialize(to: leaves[i]) }
    }

    deinit { base.deallocate() }

    /// Leaf `i`, which is below `count`.
    @inline(__always) subscript(i: Int) -> Leaf { base[i] }
}

/// The leaves of one table of one version: found and checked once, so that the queries after the
/// first neither walk the tree nor look at a node's header again.
///
/// A version never changes while it is held, so what was checked stays true. Columns are added when
/// a query first asks for them. Free to cross threads; the mutex guards the list of columns and is
/// held while one is opened.
final class LeafDirectory: @unchecked Sendable {
    private let leaves: KeptLeaves<ClusterLeaf>
    private let allowance: MemoryAllowance
    private let columns = Guarded<[Int: (layout: LeafLayout, column: Column)]>([:])
    /// What the leaves were opened in. Used to open more, with the mutex held, and by nobody else:
    /// readers put a space of their own into the leaves they take.
    private let memory: SpaceMemory

    private enum Column {
        case numbers(KeptLeaves<NodeView>)
        case times(KeptLeaves<TimestampLeaf>)
        case texts(KeptLeaves<BytesLeaf>)
        /// Damaged, not of a kind that is kept, or too large.
        case none
    }

    /// Nil when the tree is damaged or there is no memory left for it.
    init?(root: Ref, _ space: NodeSpace, _ allowance: MemoryAllowance) {
        let memory = SpaceMemory(space)
        var found: ContiguousArray<ClusterLeaf> = []
        do throws(RealmError) {
            var walk = ClusterTree(space: memory.walk, root: root).leaves()
            while var leaf = try walk.next() {
                leaf.place = found.count
                found.append(leaf)
                let size = found.count &* MemoryLayout<ClusterLeaf>.stride
                guard size <= allowance.left else { return nil }
            }
        } catch { return nil }
        guard allowance.take(found.count &* MemoryLayout<ClusterLeaf>.stride) else { return nil }
        leaves = KeptLeaves(found)
        self.memory = memory
        self.allowance = allowance
    }

    var count: Int { leaves.count }

    /// Leaf `i`, to be read in `space`.
    @inline(__always)
    func leaf(_ i: Int, in space: NodeSpace) -> ClusterLeaf {
        var leaf = leaves[i]
        leaf.space = space
        return leaf
    }

    /// The nodes of a column of packed numbers: integers with or without null marker, bools, floats,
    /// doubles, links, and the roots of collections. Nil when they have to be opened one by one.
    func numbers(_ leafIndex: Int, _ layout: LeafLayout) -> KeptLeaves<NodeView>? {
        if case .numbers(let kept) = column(leafIndex, layout) { return kept }
        return nil
    }

    /// The leaves of a column of dates.
    func times(_ leafIndex: Int, _ layout: LeafLayout) -> KeptLeaves<TimestampLeaf>? {
        if case .times(let kept) = column(leafIndex, layout) { return kept }
        return nil
    }

    /// The leaves of a column of strings or data, each to be given a space before it is read.
    func texts(_ leafIndex: Int, _ layout: LeafLayout) -> KeptLeaves<BytesLeaf>? {
        if case .texts(let kept) = column(leafIndex, layout) { return kept }
        return nil
    }

    private func column(_ leafIndex: Int, _ layout: LeafLayout) -> Column {
        columns.withLock { columns in
            if let (known, column) = columns[leafIndex] {
                // Damage can make two properties of one column.
                return known.isStored(like: layout) ? column : .none
            }
            let column = opened(leafIndex, layout)
            columns[leafIndex] = (layout, column)
            return column
        }
    }

    private func opened(_ leafIndex: Int, _ layout: LeafLayout) -> Column {
        if layout.collection == nil {
            switch layout.type {
            case .string:
                return texts(leafIndex) { (space, ref) throws(RealmError) in
                    try BytesLeaf(strings: space, ref, distinct: layout.distinct)
                }
            case .binary:
                return texts(leafIndex) { (space, ref) throws(RealmError) in
                    try BytesLeaf(binaries: space, ref)
                }
            case .timestamp:
                return opened(leafIndex) { (space, ref, rows) throws(RealmError) in
                    let leaf = try TimestampLeaf(space, ref)
                    return leaf.count == rows ? leaf : nil
                }.map(Column.times) ?? .none
            case .int, .bool, .float, .double, .link: break
            default: return .none
            }
        }
        return opened(leafIndex) { (space, ref, rows) throws(RealmError) in
            let column = try ColumnLeaf(space, ref, layout, rows: rows)
            return column.packedNumbers
        }.map(Column.numbers) ?? .none
    }

    private func texts(
        _ leafIndex: Int, _ open: (NodeSpace, Ref) throws(RealmError) -> BytesLeaf
    ) -> Column {
        opened(leafIndex) { (space, ref, rows) throws(RealmError) in
            let leaf = try open(space, ref)
            return leaf.count == rows ? leaf : nil
        }.map(Column.texts) ?? .none
    }

    /// Opens every leaf of a column; nil when one cannot be, or there is no memory left.
    private func opened<Leaf: BitwiseCopyable>(
        _ leafIndex: Int, _ open: (NodeSpace, Ref, Int) throws(RealmError) -> Leaf?
    ) -> KeptLeaves<Leaf>? {
        guard allowance.take(count &* MemoryLayout<Leaf>.stride) else { return nil }
        var found: ContiguousArray<Leaf> = []
        found.reserveCapacity(count)
        memory.walk.resetBudget()
        do throws(RealmError) {
            for i in 0..<count {
                let leaf = leaves[i]
                let ref = try leaf.columnRef(leafIndex)
                guard let opened = try open(memory.walk, ref, leaf.count) else { return nil }
                found.append(opened)
            }
        } catch { return nil }
        return KeptLeaves(found)
    }
}

extension LeafLayout {
    fileprivate func isStored(like other: LeafLayout) -> Bool {
        type == other.type && isNullable == other.isNullable && collection == other.collection
    }
}

extension ColumnLeaf {
    /// The node of a leaf that is nothing but packed numbers.
    fileprivate var packedNumbers: NodeView? {
        switch self {
        case .integer(let leaf): leaf.node
        case .nullableInteger(let leaf): leaf.node
        case .bool(let leaf): leaf.node
        case .float(let leaf): leaf.node
        case .double(let leaf): leaf.node
        case .link(let leaf): leaf.node
        case .collection(let leaf, _, _): leaf.node
        default: nil
        }
    }
}
