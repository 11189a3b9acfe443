/// A B+tree of a collection's elements, of backlinks or of an index list (object format 4.1).
///
/// Independent of the element type: it finds the leaf that contains an index, and the caller opens
/// that leaf.
struct BPlusTree {
    let space: NodeSpace
    let root: Ref

    /// Maximum number of levels. Valid files need fewer; the limit ends walks in damaged files with
    /// cycles.
    static let maximumDepth = 32

    /// Number of elements, read from the root. If the root is a leaf, `leafCount` returns the
    /// count.
    func count(leafCount: (Ref) throws(RealmError) -> Int) throws(RealmError) -> Int {
        if root.isNone { return 0 }
        let node = try space.node(root)
        guard node.isInner else { return try leafCount(root) }
        return try Self.total(space, node, root)
    }

    fileprivate static func total(
        _ space: NodeSpace, _ node: NodeView, _ ref: Ref
    ) throws(RealmError) -> Int {
        guard node.hasRefs, node.widthType == 0, node.count >= TreeShape.minimumCount,
            node.slot(TreeShape.total(node.count)).isTagged
        else { throw space.wrongShape(ref, "B+tree inner node") }
        let total = node.slot(TreeShape.total(node.count)).value
        guard total <= UInt64(space.maximumElements) else {
            throw .corrupt("a B+tree of \(total) elements", at: ref)
        }
        return Int(total)
    }

    /// Returns the leaf that contains element `index`, and the index of that leaf's first element.
    /// In a damaged file the leaf may end before `index`, so the caller must check the leaf's
    /// count.
    func leaf(containing index: Int) throws(RealmError) -> (ref: Ref, start: Int) {
        var ref = root
        var start = 0
        for _ in 0..<Self.maximumDepth {
            guard let inner = try Inner(space, ref) else { return (ref, start) }
            let child = inner.child(holding: index - start)
            start += inner.start(child)
            guard start <= index else { throw space.wrongShape(ref, "B+tree inner node") }
            ref = try inner.child(child)
        }
        throw .corrupt("a B+tree deeper than \(Self.maximumDepth) levels", at: root)
    }

    /// Inner node with its children and their element counts.
    struct Inner {
        private let space: NodeSpace
        private let ref: Ref
        private let node: NodeView
        /// End index of each child except the last; unused in compact form.
        private let ends: NodeView
        /// Number of elements per child in compact form, otherwise 0.
        private let perChild: Int
        /// Number of children of this inner node.
        let count: Int

        /// Opens an inner node; returns nil if the node is a leaf.
        @inline(__always)
        init?(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
            let node = try space.node(ref)
            guard node.isInner else { return nil }
            _ = try BPlusTree.total(space, node, ref)
            (self.space, self.ref, self.node) = (space, ref, node)
            count = TreeShape.childCount(node.count)
            let first = node.slot(TreeShape.offsets)
            if first.isTagged {
                guard first.value > 0 else { throw space.wrongShape(ref, "B+tree inner node") }
                perChild = Int(min(first.value, 1 << 38))
                ends = node
            } else {
                perChild = 0
                ends = try space.integers(first.ref, "B+tree offsets")
                guard ends.count == count - 1 else {
                    throw space.wrongShape(ref, "B+tree inner node")
                }
            }
        }

        /// Returns the child that contains element `index` of the node.
        @inline(__always)
        func child(holding index: Int) -> Int {
            if perChild > 0 { return min(index / perChild, count - 1) }
            let wanted = UInt64(index)
            return (0..<ends.count).partitionPoint { ends.unsigned($0) > wanted }
        }

        /// Index, in the node, of the first element of child `child`.
        @inline(__always)
        func start(_ child: Int) -> Int {
            if child == 0 { return 0 }
            if perChild > 0 { return child &* perChild }
            return Int(truncatingIfNeeded: min(ends.unsigned(child - 1), 1 << 60))
        }

        @inline(__always)
        func child(_ i: Int) throws(RealmError) -> Ref {
            guard let child = node.slot(TreeShape.child(i)).child else {
                throw space.wrongShape(ref, "B+tree inner node")
            }
            return child
        }
    }

    /// The leaves from left to right.
    func leaves() -> Leaves { Leaves(space: space, next: root) }

    /// Iterates over leaves in order. Allocates no memory if the tree is a single leaf.
    struct Leaves {
        private struct Frame {
            let node: NodeView
            var child: Int
        }

        private let space: NodeSpace
        private var pending: Ref
        private var stack: [Frame] = []
        private var leafDepth: Int?
        /// Number of elements according to the root; nil if the root is a leaf, and before the
        /// first `next`.
        private(set) var announced: Int?

        fileprivate init(space: NodeSpace, next root: Ref) {
            self.space = space
            pending = root
        }

        mutating func next() throws(RealmError) -> Ref? {
            while true {
                while pending.isNone {
                    guard var frame = stack.popLast() else { return nil }
                    if frame.child >= TreeShape.childCount(frame.node.count) { continue }
                    guard let ref = frame.node.slot(TreeShape.child(frame.child)).child else {
                        throw .corrupt("a B+tree inner node without a child", at: .none)
                    }
                    pending = ref
                    frame.child += 1
                    stack.append(frame)
                }
                let ref = pending
                pending = .none
                let node = try space.node(ref)
                guard node.isInner else {
                    try checkDepth(ref)
                    return ref
                }
                let total = try BPlusTree.total(space, node, ref)
                if announced == nil { announced = total }
                guard stack.count < BPlusTree.maximumDepth else {
                    throw .corrupt("a B+tree deeper than \(BPlusTree.maximumDepth) levels", at: ref)
                }
                stack.append(Frame(node: node, child: 0))
            }
        }

        private mutating func checkDepth(_ ref: Ref) throws(RealmError) {
            if leafDepth == nil { leafDepth = stack.count }
            guard leafDepth == stack.count else {
                throw .corrupt("a B+tree of uneven depth", at: ref)
            }
        }
    }
}
