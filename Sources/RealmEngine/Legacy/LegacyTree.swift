/// Kind of the leaves in the tree of a column. The kind determines how the elements of a leaf are
/// counted.
enum LegacyLeafForm {
    case integers
    /// Nullable integers. Element 0 of a leaf is the null marker.
    case optionalIntegers
    case floats, doubles
    case strings, binaries
    /// References: each element of a leaf is a ref, a tagged number, or 0.
    case slots

    /// Returns the number of elements of the leaf `node`. Throws if `node` is not a leaf of this
    /// kind.
    func count(_ space: NodeSpace, _ node: NodeView, _ ref: Ref) throws(RealmError) -> Int {
        let form = node.flags & NodeView.formMask
        let isRight =
            switch self {
            case .integers, .optionalIntegers: form == 0
            case .floats: form == NodeView.bytesFlag && (node.width == 4 || node.count == 0)
            case .doubles: form == NodeView.bytesFlag && (node.width == 8 || node.count == 0)
            case .strings:
                form == NodeView.hasRefsFlag || form == NodeView.bytesFlag && node.width <= 16
            case .binaries, .slots: form == NodeView.hasRefsFlag
            }
        guard isRight else { throw space.wrongShape(ref, "column leaf") }
        // A leaf of nullable integers has one more element, the null marker.
        guard node.count <= DerivedNodes.maximumLeafCount + 1 else {
            throw space.tooMany(node.count, ref)
        }
        switch self {
        // The first element is the null marker. An empty leaf may lack it if elements were removed
        // from the tree.
        case .optionalIntegers: return max(0, node.count - 1)
        case .strings, .binaries:
            if !node.hasRefs || node.context { return node.count }
            guard 2...3 ~= node.count else { throw space.wrongShape(ref, "bytes leaf") }
            return try space.integers(node.slot(MediumBytesShape.ends).ref, "end offsets").count
        default: return node.count
        }
    }
}

/// A leaf of a column, and its position in the tree.
struct LegacyLeaf {
    let ref: Ref
    let node: NodeView
    /// Index in the tree of the leaf's first element.
    let start: Int
    let count: Int

    var end: Int { start + count }
}

/// The B+tree of a column in formats 2 to 9 (legacy format 4). An inner node stores the number of
/// elements of each child; these numbers are checked whenever a leaf is read.
struct LegacyTree {
    let space: NodeSpace
    let root: Ref
    let form: LegacyLeafForm

    private static let maximumDepth = 32

    /// Returns the number of elements, which the root of the tree stores.
    func count() throws(RealmError) -> Int {
        let node = try space.node(root)
        if node.isInner { return try Inner(space, node, root).total }
        return try form.count(space, node, root)
    }

    /// Returns the leaf that contains element `i`. The element must exist.
    func leaf(with i: Int) throws(RealmError) -> LegacyLeaf {
        var (ref, start) = (root, 0)
        var announced: Int?
        for _ in 0..<Self.maximumDepth {
            let node = try space.node(ref)
            guard node.isInner else {
                let leaf = LegacyLeaf(
                    ref: ref, node: node, start: start, count: try form.count(space, node, ref))
                guard announced ?? leaf.count == leaf.count, i < leaf.end else {
                    throw miscounted(ref, leaf.count)
                }
                return leaf
            }
            let inner = try Inner(space, node, ref)
            guard announced ?? inner.total == inner.total, i - start < inner.total else {
                throw miscounted(ref, inner.total)
            }
            let (child, elements) = try inner.child(with: i - start)
            (ref, announced) = (child, elements.count)
            start += elements.lowerBound
        }
        throw .corrupt("a tree deeper than \(Self.maximumDepth) levels", at: root)
    }

    /// Calls `body` with the leaves that contain `elements`, in order. The range in each call is
    /// relative to the start of the leaf.
    func forEachLeaf(
        _ elements: Range<Int>, _ body: (LegacyLeaf, Range<Int>) throws(RealmError) -> Void
    ) throws(RealmError) {
        var next = elements.lowerBound
        while next < elements.upperBound {
            let leaf = try leaf(with: next)
            let end = min(leaf.end, elements.upperBound)
            try body(leaf, next - leaf.start..<end - leaf.start)
            next = end
        }
    }

    @inline(never)
    private func miscounted(_ ref: Ref, _ count: Int) -> RealmError {
        .corrupt("a tree with \(count) elements where others are announced", at: ref)
    }

    /// Returns the number of elements of the first leaf, which writers also use for all other
    /// leaves except the last. Nil for a tree of one leaf.
    func evenLeaves() throws(RealmError) -> Int? {
        var ref = root
        var size: Int?
        for _ in 0..<Self.maximumDepth {
            let node = try space.node(ref)
            guard node.isInner else { return size }
            let inner = try Inner(space, node, ref)
            let child = try inner.child(with: 0)
            size = inner.even ?? child.elements.count
            ref = child.ref
        }
        return nil
    }
}

extension LegacyTree {
    /// Checks the whole tree. All leaves must have the same depth, and only a tree of one leaf may
    /// be empty. Each node must have as many elements as its parent states.
    func checkShape() throws(RealmError) {
        var depth: Int?
        try checkShape(root, announced: nil, level: 0, &depth)
    }

    private func checkShape(
        _ ref: Ref, announced: Int?, level: Int, _ depth: inout Int?
    ) throws(RealmError) {
        guard level < Self.maximumDepth else {
            throw .corrupt("a tree deeper than \(Self.maximumDepth) levels", at: ref)
        }
        let node = try space.node(ref)
        guard node.isInner else {
            let count = try form.count(space, node, ref)
            guard announced ?? count == count else { throw miscounted(ref, count) }
            if depth == nil { depth = level }
            guard depth == level else { throw .corrupt("a tree of uneven depth", at: ref) }
            return
        }
        let inner = try Inner(space, node, ref)
        guard announced ?? inner.total == inner.total else { throw miscounted(ref, inner.total) }
        var start = 0
        while start < inner.total {
            let (child, elements) = try inner.child(with: start)
            guard elements.lowerBound == start else { throw miscounted(ref, inner.total) }
            try checkShape(child, announced: elements.count, level: level + 1, &depth)
            start = elements.upperBound
        }
    }
}

extension LegacyTree {
    /// An inner node: its children, the range of elements of each child, and the total number of
    /// elements.
    private struct Inner {
        let space: NodeSpace
        let node: NodeView
        let ref: Ref
        let total: Int
        /// Number of elements of each child except the last; nil if the node instead lists where
        /// the elements of each child end.
        let even: Int?
        private let ends: NodeView

        private var childCount: Int { TreeShape.childCount(node.count) }

        init(_ space: NodeSpace, _ node: NodeView, _ ref: Ref) throws(RealmError) {
            let total =
                node.count < TreeShape.minimumCount ? nil : node.slot(TreeShape.total(node.count))
            guard node.flags & NodeView.formMask == NodeView.hasRefsFlag | NodeView.innerFlag,
                let total, total.isTagged, total.value <= UInt64(LegacyLimits.cells(space))
            else { throw space.wrongShape(ref, "inner node of a column") }
            (self.space, self.node, self.ref) = (space, node, ref)
            self.total = Int(total.value)
            let first = node.slot(TreeShape.offsets)
            if first.isTagged {
                even = Int(clamping: first.value)
                ends = node
                let before = even!.multipliedReportingOverflow(
                    by: TreeShape.endCount(node.count))
                guard even! > 0, !before.overflow, before.partialValue < self.total,
                    self.total - before.partialValue <= even!
                else { throw space.wrongShape(ref, "even inner node of a column") }
            } else {
                even = nil
                ends = try space.integers(first.ref, "ends of children")
                guard ends.count == TreeShape.endCount(node.count) else {
                    throw space.wrongShape(ref, "inner node of a column")
                }
            }
        }

        /// Returns the child that contains element `i`, and its range of elements. `i` must be
        /// below the total.
        func child(with i: Int) throws(RealmError) -> (ref: Ref, elements: Range<Int>) {
            let child: Int
            if let even {
                child = i / even
            } else {
                child = (0..<ends.count).partitionPoint { ends.integer($0) > Int64(i) }
            }
            let (start, end) = (start(child), start(child + 1))
            guard start <= i, i < end, let ref = node.slot(child + 1).child else {
                throw space.wrongShape(ref, "inner node of a column")
            }
            return (ref, start..<end)
        }

        private func start(_ child: Int) -> Int {
            if child == childCount { return total }
            if let even { return child * even }
            return child == 0 ? 0 : Int(ends.integer(child - 1))
        }
    }
}

/// Limits for the numbers of elements in a file of formats 2 to 9 (legacy format 11). The elements
/// of a node of width 0 take no bytes. Without limits, even a small file could thus claim any
/// number of elements.
enum LegacyLimits {
    /// Maximum number of elements of all columns together in a file that `space` can read. Even in
    /// a file that stores only zeros, 1000 elements take at least 8 bytes; other elements take at
    /// least one bit.
    static func cells(_ space: NodeSpace) -> Int {
        1_000_000 + 133 * Int(clamping: space.limit)
    }

    /// Maximum size in bytes of all nodes that are built in memory, in the current format, for one
    /// version of a file of formats 2 to 9.
    static func copies(_ space: NodeSpace) -> Int {
        (64 << 20) + 64 * Int(clamping: space.limit)
    }
}
