/// A B+tree of collection elements, backlinks or index lists (object format 4.1).
///
/// Generic over nothing: it finds leaves, and whoever knows the element type opens them.
struct BPlusTree {
    let space: NodeSpace
    let root: Ref

    /// Deeper than any tree that fits a file; a cycle gets here.
    static let maximumDepth = 32

    /// Number of elements, from the root alone. `leafCount` tells a leaf's, when the root is one.
    func count(leafCount: (Ref) throws(RealmError) -> Int) throws(RealmError) -> Int {
        if root.isNone { return 0 }
        let node = try space.node(root)
        guard node.isInner else { return try leafCount(root) }
        return try Self.total(space, node, root)
    }

    fileprivate static func total(
        _ space: NodeSpace, _ node: NodeView, _ ref: Ref
    ) throws(RealmError) -> Int {
        guard node.hasRefs, node.widthType == 0, node.count >= 3, node.slot(node.count - 1).isTagged
        else { throw space.wrongShape(ref, "B+tree inner node") }
        let total = node.slot(node.count - 1).value
        guard total <= UInt64(space.maximumElements) else {
            throw .corrupt("a B+tree of \(total) elements", at: ref)
        }
        return Int(total)
    }

    /// The leaf that holds element `index`, and the index of its first element. In a damaged file
    /// the leaf may end before `index`: the caller checks its count.
    func leaf(containing index: Int) throws(RealmError) -> (ref: Ref, start: Int) {
        var ref = root
        var start = 0
        for _ in 0..<Self.maximumDepth {
            let node = try space.node(ref)
            guard node.isInner else { return (ref, start) }
            _ = try Self.total(space, node, ref)
            let children = node.count - 2
            let first = node.slot(0)
            let child: Int
            if first.isTagged {
                guard first.value > 0 else { throw space.wrongShape(ref, "B+tree inner node") }
                let perChild = Int(min(first.value, 1 << 48))
                child = min((index - start) / perChild, children - 1)
                start += child * perChild
            } else {
                let offsets = try space.integers(first.ref, "B+tree offsets")
                guard offsets.count == children - 1 else {
                    throw space.wrongShape(ref, "B+tree inner node")
                }
                let wanted = UInt64(index - start)
                child = (0..<offsets.count).partitionPoint { offsets.unsigned($0) > wanted }
                if child > 0 { start += Int(truncatingIfNeeded: offsets.unsigned(child - 1)) }
            }
            guard start <= index, let next = node.slot(child + 1).child else {
                throw space.wrongShape(ref, "B+tree inner node")
            }
            ref = next
        }
        throw .corrupt("a B+tree deeper than \(Self.maximumDepth) levels", at: root)
    }

    /// The leaves from left to right.
    func leaves() -> Leaves { Leaves(space: space, next: root) }

    /// Visits leaves in order; a tree of one leaf needs no memory.
    struct Leaves {
        private struct Frame {
            let node: NodeView
            var child: Int
        }

        private let space: NodeSpace
        private var pending: Ref
        private var stack: [Frame] = []
        private var leafDepth: Int?
        /// Elements the root announces, known after the first leaf; nil when a leaf is the root.
        private(set) var announced: Int?

        fileprivate init(space: NodeSpace, next root: Ref) {
            self.space = space
            pending = root
        }

        mutating func next() throws(RealmError) -> Ref? {
            while true {
                while pending.isNone {
                    guard var frame = stack.popLast() else { return nil }
                    if frame.child > frame.node.count - 2 { continue }
                    guard let ref = frame.node.slot(frame.child).child else {
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
                stack.append(Frame(node: node, child: 1))
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
