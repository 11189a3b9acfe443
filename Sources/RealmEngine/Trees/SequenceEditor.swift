/// Edits a B+tree by position: lists, sets, dictionary halves, backlink lists, index lists and the
/// history (object format 4.1).
///
/// Nodes are loaded when an edit or a look-up reaches them and written back by `flush`; untouched
/// subtrees keep their refs. Confined to the writer.
final class SequenceEditor {
    let element: ElementType
    private let context: EditContext
    private let layout: LeafLayout
    private var root: Node
    /// The tree is a list or set of links that holds, or may hold, unresolved ones.
    private var mayHoldUnresolved = false

    /// A loaded node: a leaf with its elements, or an inner node with its children.
    private final class Node {
        var origin: Ref
        var isDirty = false
        var leaf: LeafBuffer?
        var children: [Child] = []
        var count = 0

        init(origin: Ref) { self.origin = origin }

        var entries: Int { leaf?.count ?? children.count }
    }

    private struct Child {
        var ref: Ref
        var node: Node?
        var count: Int
    }

    /// Opens the tree at `root` for editing; none is an empty tree.
    init(_ context: EditContext, root ref: Ref, element: ElementType) throws(RealmError) {
        self.context = context
        self.element = element
        layout = LeafLayout(elements: element)
        if ref.isNone {
            root = Node(origin: .none)
            root.leaf = LeafBuffer()
            root.isDirty = true
        } else {
            root = Node(origin: ref)
            mayHoldUnresolved = try context.space.node(ref).context && element.type == .link
            root = try load(ref)
        }
    }

    /// Number of elements.
    var count: Int { root.count }

    // MARK: Loading

    private func load(_ ref: Ref) throws(RealmError) -> Node {
        let view = try context.space.node(ref)
        let node = Node(origin: ref)
        guard view.isInner else {
            let buffer = try LeafBuffer(context.space, ref, element: element)
            node.leaf = buffer
            node.count = buffer.count
            context.editedBytes &+= buffer.byteSize
            return node
        }
        node.children = try children(view, ref)
        node.count = node.children.reduce(0) { $0 + $1.count }
        return node
    }

    private func children(_ view: NodeView, _ ref: Ref) throws(RealmError) -> [Child] {
        guard view.hasRefs, view.count >= 3, view.slot(view.count - 1).isTagged else {
            throw context.space.wrongShape(ref, "B+tree inner node")
        }
        let childCount = view.count - 2
        let total = view.slot(view.count - 1).value
        let first = view.slot(0)
        let offsets =
            first.isTagged ? nil : try context.space.integers(first.ref, "B+tree offsets")
        if let offsets, offsets.count != childCount - 1 {
            throw context.space.wrongShape(ref, "B+tree inner node")
        }
        var start: UInt64 = 0
        var children: [Child] = []
        for i in 0..<childCount {
            let next =
                i == childCount - 1
                ? total : offsets?.unsigned(i) ?? first.value &* UInt64(i + 1)
            guard let child = view.slot(i + 1).child, next >= start, next <= total else {
                throw context.space.wrongShape(ref, "B+tree inner node")
            }
            children.append(Child(ref: child, node: nil, count: Int(next - start)))
            start = next
        }
        return children
    }

    private func child(_ parent: Node, _ i: Int) throws(RealmError) -> Node {
        if let node = parent.children[i].node { return node }
        let node = try load(parent.children[i].ref)
        guard node.count == parent.children[i].count else {
            throw .corrupt("a B+tree child of another size than announced", at: node.origin)
        }
        parent.children[i].node = node
        return node
    }

    /// The node is about to change: its stored form is let go.
    private func touch(_ node: Node) throws(RealmError) {
        if node.isDirty { return }
        node.isDirty = true
        if node.leaf != nil {
            try context.freeLeaf(node.origin, layout)
        } else {
            let view = try context.space.node(node.origin)
            if let offsets = view.slot(0).child { try context.free(offsets) }
            try context.free(node.origin)
        }
    }

    // MARK: Reading

    /// Element `index`, unresolved links as stored.
    func value(at index: Int) throws(RealmError) -> Value {
        precondition(index >= 0 && index < count)
        var node = root
        var i = index
        while node.leaf == nil {
            var j = 0
            while i >= node.children[j].count {
                i -= node.children[j].count
                j += 1
            }
            node = try child(node, j)
        }
        return node.leaf!.values[i]
    }

    /// All elements in order.
    func visit(_ body: (Value) throws(RealmError) -> Void) throws(RealmError) {
        try visit(root, body)
    }

    private func visit(
        _ node: Node, _ body: (Value) throws(RealmError) -> Void
    ) throws(RealmError) {
        if let leaf = node.leaf {
            for value in leaf.values { try body(value) }
        } else {
            for i in node.children.indices { try visit(try child(node, i), body) }
        }
    }

    /// First index whose element does not order before `value`; elements ascend by `order`.
    func lowerBound(_ order: (Value) throws(RealmError) -> Int) throws(RealmError) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if try order(value(at: middle)) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Editing

    func append(_ value: Value) throws(RealmError) { try insert(value, at: count) }

    /// Appends a binary of `count` bytes, longer than a leaf would hold itself, that is in a blob
    /// already.
    func append(blob: Ref, count: Int) throws(RealmError) {
        // Nobody looks at the bytes of a value that has its blob.
        try append(.binary(ByteView(ByteView.empty.base, count: count)))
        var node = root
        while node.leaf == nil { node = try child(node, node.children.count - 1) }
        node.leaf!.setLastBlob(blob)
    }

    func insert(_ value: Value, at index: Int) throws(RealmError) {
        precondition(index >= 0 && index <= count)
        if case .link(let link) = value, link.key.isUnresolved { mayHoldUnresolved = true }
        guard let sibling = try insert(value, at: index, in: root) else { return }
        let old = root
        root = Node(origin: .none)
        root.isDirty = true
        root.children = [
            Child(ref: .none, node: old, count: old.count),
            Child(ref: .none, node: sibling, count: sibling.count),
        ]
        root.count = old.count + sibling.count
    }

    /// Inserts below `node`; returns the right half when it split.
    private func insert(
        _ value: Value, at index: Int, in node: Node
    ) throws(RealmError) -> Node? {
        try touch(node)
        let isAppend = index == node.count
        node.count += 1
        if let leaf = node.leaf { return insert(value, at: index, in: node, leaf) }
        var i = index
        var j = 0
        if isAppend {
            j = node.children.count - 1
            i = node.children[j].count
        }
        while j < node.children.count - 1,
            i > node.children[j].count
                || (i == node.children[j].count && node.children[j].count >= context.fanout.tree)
        {
            i -= node.children[j].count
            j += 1
        }
        let target = try child(node, j)
        let sibling = try insert(value, at: i, in: target)
        node.children[j].count = target.count
        guard let sibling else { return nil }
        node.children.insert(Child(ref: .none, node: sibling, count: sibling.count), at: j + 1)
        return node.children.count > context.fanout.tree ? split(node, at: j + 1) : nil
    }

    private func insert(
        _ value: Value, at index: Int, in node: Node, _ leaf: LeafBuffer
    ) -> Node? {
        guard leaf.count >= context.fanout.tree else {
            leaf.insert(value, at: index)
            return nil
        }
        let sibling = Node(origin: .none)
        sibling.isDirty = true
        if index == leaf.count {
            sibling.leaf = LeafBuffer()
            sibling.leaf!.append(value)
        } else {
            sibling.leaf = leaf.split(at: index)
            leaf.append(value)
        }
        node.count = leaf.count
        sibling.count = sibling.leaf!.count
        return sibling
    }

    private func split(_ node: Node, at index: Int) -> Node {
        // An append leaves full nodes behind; anything else splits in the middle.
        let cut = index == node.children.count - 1 ? index : node.children.count / 2
        let sibling = Node(origin: .none)
        sibling.isDirty = true
        sibling.children = Array(node.children[cut...])
        node.children.removeSubrange(cut...)
        sibling.count = sibling.children.reduce(0) { $0 + $1.count }
        node.count -= sibling.count
        return sibling
    }

    func set(_ value: Value, at index: Int) throws(RealmError) {
        precondition(index >= 0 && index < count)
        if case .link(let link) = value, link.key.isUnresolved { mayHoldUnresolved = true }
        var node = root
        var i = index
        while true {
            try touch(node)
            if let leaf = node.leaf { return try leaf.set(value, at: i, context) }
            var j = 0
            while i >= node.children[j].count {
                i -= node.children[j].count
                j += 1
            }
            node = try child(node, j)
        }
    }

    func remove(at index: Int) throws(RealmError) {
        precondition(index >= 0 && index < count)
        try remove(at: index, in: root)
        while root.leaf == nil, root.children.count == 1 {
            // An earlier commit may have left an inner node with one child, untouched until now.
            let only = try child(root, 0)
            try touch(root)
            root = only
        }
    }

    private func remove(at index: Int, in node: Node) throws(RealmError) {
        try touch(node)
        node.count -= 1
        if let leaf = node.leaf { return try leaf.remove(at: index, context) }
        var i = index
        var j = 0
        while i >= node.children[j].count {
            i -= node.children[j].count
            j += 1
        }
        let target = try child(node, j)
        try remove(at: i, in: target)
        node.children[j].count = target.count
        if target.count == 0, node.children.count > 1 {
            node.children.remove(at: j)
        } else if target.entries < context.fanout.tree / 2, j + 1 < node.children.count {
            try merge(node, j)
        }
    }

    /// Joins child `j` with its right neighbour when together they stay below three quarters.
    private func merge(_ node: Node, _ j: Int) throws(RealmError) {
        let left = try child(node, j)
        let right = try child(node, j + 1)
        guard left.entries + right.entries < context.fanout.tree * 3 / 4,
            (left.leaf == nil) == (right.leaf == nil)
        else { return }
        try touch(left)
        try touch(right)
        if let leaf = left.leaf, let other = right.leaf {
            leaf.append(contentsOf: other)
        } else {
            left.children += right.children
        }
        left.count += right.count
        node.children[j].count = left.count
        node.children.remove(at: j + 1)
    }

    // MARK: Writing

    /// Writes what changed and returns the root's ref. The editor stays usable.
    func flush() throws(RealmError) -> Ref {
        let hidesElements = try holdsUnresolved()
        let flags = hidesElements ? NodeView.contextFlag : 0
        if !root.isDirty, try context.space.node(root.origin).context != hidesElements,
            element.type == .link
        {
            try touch(root)
        }
        return try write(root, flags: flags).ref
    }

    private func holdsUnresolved() throws(RealmError) -> Bool {
        guard mayHoldUnresolved else { return false }
        var found = false
        try visit { (value) in
            if case .link(let link) = value, link.key.isUnresolved { found = true }
        }
        mayHoldUnresolved = found
        return found
    }

    private func write(
        _ node: Node, flags: UInt8 = 0
    ) throws(RealmError) -> (ref: Ref, isCompact: Bool) {
        guard node.isDirty else { return (node.origin, false) }
        var isCompact = true
        if let leaf = node.leaf {
            node.origin = try LeafEncoder(context: context).encode(leaf, layout, isElement: true)
            if flags != 0 { context.slab.setFlags(flags, on: node.origin) }
        } else {
            (node.origin, isCompact) = try writeInner(node, flags: flags)
        }
        node.isDirty = false
        return (node.origin, isCompact)
    }

    private func writeInner(
        _ node: Node, flags: UInt8
    ) throws(RealmError) -> (ref: Ref, isCompact: Bool) {
        var slots: [UInt64] = [0]
        var allCompact = true
        for i in node.children.indices {
            if let child = node.children[i].node {
                let written = try write(child)
                node.children[i].ref = written.ref
                if child.leaf == nil { allCompact = allCompact && written.isCompact }
            } else {
                // Not loaded: a leaf for sure only when a loaded sibling is one; stay general.
                allCompact = false
            }
            slots.append(node.children[i].ref.raw)
        }
        let size = node.children[0].count
        let isCompact =
            allCompact && node.children.dropLast().allSatisfy { $0.count == size }
            && node.children.last!.count <= size
        if isCompact {
            slots[0] = NodeEncoder.tag(size)
        } else {
            var end: UInt64 = 0
            var offsets: [UInt64] = []
            for child in node.children.dropLast() {
                end += UInt64(child.count)
                offsets.append(end)
            }
            slots[0] = try context.encoder.unsigned(offsets).raw
        }
        slots.append(NodeEncoder.tag(node.count))
        let ref = try context.encoder.refs(slots, flags: NodeView.innerFlag | flags)
        return (ref, isCompact)
    }
}
