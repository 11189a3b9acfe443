/// The leaf that contains the object at a given index in table order, with its parent for access to
/// neighbouring leaves.
struct LeafAtKey {
    let leaf: ClusterLeaf
    /// Index in table order of the leaf's first object.
    let start: Int
    /// The parent node, nil if the leaf is the root, and the index of the leaf among its children.
    fileprivate let parent: InnerCluster?
    fileprivate let child: Int

    var end: Int { start + leaf.count }
}

extension ClusterTree {
    /// Returns the leaf that contains the object at index `position` in table order; nil if the
    /// index is out of range.
    ///
    /// Of the nodes before that leaf, reads only the headers. As long as no object was removed, all
    /// of these nodes are full, and only the header of the last one is read.
    ///
    /// - Parameter last: a leaf of the same tree, for example of the previous call. Its neighbours
    ///   are found without descending from the root.
    func leaf(at position: Int, near last: LeafAtKey? = nil) throws(RealmError) -> LeafAtKey? {
        if position < 0 { return nil }
        if let last, let found = try neighbour(of: last, at: position) { return found }
        return try descend(to: position)
    }

    /// Index in table order of the object with `key`; nil if there is none.
    func position(of key: ObjectKey) throws(RealmError) -> Int? {
        if root.isNone || key.raw < 0 { return nil }
        var (ref, base, before) = (root, UInt64(0), 0)
        for _ in 0..<Self.maximumDepth {
            let node = try space.node(ref)
            guard node.isInner else {
                let leaf = try ClusterLeaf(space, ref, node: node, base: base)
                return leaf.row(of: key).map { before + $0 }
            }
            let inner = try InnerCluster(space, ref, node: node, base: base)
            let child = inner.child(covering: UInt64(bitPattern: key.raw) &- base)
            before += try size(of: inner, upTo: child)
            base &+= inner.offset(child)
            ref = try inner.ref(child)
        }
        throw .corrupt("a cluster tree deeper than \(Self.maximumDepth) levels", at: root)
    }

    /// Number of objects in the subtrees of the children before `child`.
    private func size(of inner: InnerCluster, upTo child: Int) throws(RealmError) -> Int {
        var size = 0
        for earlier in 0..<child { size += try self.size(of: inner.ref(earlier)) }
        return size
    }

    private func neighbour(
        of last: LeafAtKey, at position: Int
    ) throws(RealmError) -> LeafAtKey? {
        guard let parent = last.parent else { return nil }
        if position >= last.end {
            let child = last.child + 1
            guard child < parent.childCount else { return nil }
            let next = try leaf(child, of: parent, start: last.end)
            return position < next.end ? next : nil
        }
        guard last.child > 0 else { return nil }
        let size = try size(of: parent.ref(last.child - 1))
        guard last.start - size <= position else { return nil }
        return try leaf(last.child - 1, of: parent, start: last.start - size)
    }

    private func descend(to position: Int) throws(RealmError) -> LeafAtKey? {
        if root.isNone { return nil }
        let node = try space.node(root)
        guard node.isInner else {
            let leaf = try ClusterLeaf(space, root, node: node, base: 0)
            return position < leaf.count
                ? LeafAtKey(leaf: leaf, start: 0, parent: nil, child: 0) : nil
        }
        var inner = try InnerCluster(space, root, node: node, base: 0)
        var start = 0
        guard position < inner.count else { return nil }
        // The loop ends even if there is a cycle, because the depth decreases at every level.
        while true {
            let (child, before) = try child(of: inner, at: position - start)
            start += before
            let depth = inner.depth
            if depth == 1 {
                let found = try leaf(child, of: inner, start: start)
                guard position < found.end else { throw miscounted(inner) }
                return found
            }
            let ref = try inner.ref(child)
            let base = inner.base &+ inner.offset(child)
            inner = try InnerCluster(space, ref, node: try space.node(ref), base: base)
            guard inner.depth == depth - 1, position - start < inner.count else {
                throw miscounted(inner)
            }
        }
    }

    /// Returns the child that contains the object at index `wanted` of the node, and the number of
    /// objects before that child. `wanted` must be below the node's count.
    private func child(
        of inner: InnerCluster, at wanted: Int
    ) throws(RealmError) -> (child: Int, before: Int) {
        let last = inner.childCount - 1
        let full = ClusterLeafShape.maximumObjectCount
        let rest = inner.count - last * full
        // Every leaf contains at most `full` objects. If the last leaf contains as many as remain
        // after full leaves, all leaves before it are full.
        if inner.depth == 1, rest > 0, try size(of: inner.ref(last)) == rest {
            let child = min(wanted / full, last)
            return (child, child * full)
        }
        var before = 0
        for child in 0...last {
            let size = try size(of: inner.ref(child))
            if wanted - before < size { return (child, before) }
            before += size
        }
        throw miscounted(inner)
    }

    private func leaf(
        _ child: Int, of inner: InnerCluster, start: Int
    ) throws(RealmError) -> LeafAtKey {
        let ref = try inner.ref(child)
        let node = try space.node(ref)
        guard !node.isInner else { throw space.wrongShape(ref, "cluster leaf") }
        let leaf = try ClusterLeaf(space, ref, node: node, base: inner.base &+ inner.offset(child))
        guard leaf.count > 0 else { throw miscounted(inner) }
        return LeafAtKey(leaf: leaf, start: start, parent: inner, child: child)
    }

    /// Number of objects in the subtree of `ref`. Reads only the node's header and first slots. For
    /// a leaf that stores a list of keys, also reads the header of that list.
    private func size(of ref: Ref) throws(RealmError) -> Int {
        let node = try space.node(ref)
        guard node.hasRefs, node.widthType == 0, node.count >= (node.isInner ? 4 : 1) else {
            throw space.wrongShape(ref, "cluster node")
        }
        let slot = node.slot(node.isInner ? 2 : 0)
        if slot.isTagged {
            guard slot.value <= UInt64(space.maximumObjects) else {
                throw .corrupt("a cluster node of \(slot.value) objects", at: ref)
            }
            return Int(slot.value)
        }
        guard !node.isInner else { throw space.wrongShape(ref, "cluster node") }
        return try space.integers(slot.ref, "object keys").count
    }

    @inline(never)
    private func miscounted(_ inner: InnerCluster) -> RealmError {
        .corrupt("not the \(inner.count) objects that are announced", at: inner.ref)
    }
}
