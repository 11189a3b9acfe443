/// Checks B+trees of elements, backlinks, index lists and changesets (object format 4.1; 11,
/// invariant 21).
extension IntegrityCheck {
    /// Maximum number of B+tree nodes being visited at the same time, which limits the use of the
    /// stack. Collections may be nested 100 times, and need a few hundred nodes in a valid file.
    private static let maximumOpen = 600

    /// Visits the leaves of a tree in order. `leaf` checks one leaf and returns its number of
    /// elements. Returns the number of all elements; nil if a part could not be read.
    ///
    /// In a tree of a single leaf, only the header of the leaf states the number of elements.
    /// Writers never store more than 1000 elements in a leaf, except for backlinks.
    @discardableResult
    func visitTree(
        _ root: Ref, areBacklinks: Bool = false, _ leaf: (Ref) -> Int?
    ) -> Int? {
        let visited = visitNode(root, isRoot: true, underCompact: false, level: 0, leaf)
        guard let (count, depth) = visited else { return nil }
        if depth == 0, count > TreeShape.maximumCount, !areBacklinks {
            found(.leafCount, root, "\(count) elements in one leaf")
        }
        return count
    }

    private func visitNode(
        _ ref: Ref, isRoot: Bool, underCompact: Bool, level: Int, _ leaf: (Ref) -> Int?
    ) -> (count: Int, depth: Int)? {
        openTreeNodes += 1
        defer { openTreeNodes -= 1 }
        guard level < BPlusTree.maximumDepth, openTreeNodes < Self.maximumOpen else {
            found(.treeDepth, ref, "a B+tree too deep, or nested in too many others")
            return nil
        }
        guard let node = node(ref, .treeShape) else { return nil }
        guard node.isInner else {
            guard let count = leaf(ref) else { return nil }
            if count == 0, !isRoot { found(.treeEmptyLeaf, ref, "an empty leaf in a B+tree") }
            // Up to format 23, all backlinks of an object were in one leaf. Upgrades do not change
            // that.
            if count > TreeShape.maximumCount, !isRoot {
                found(.oversizedNode, ref, "a leaf of \(count) elements")
            }
            return (count, 0)
        }
        guard node.hasRefs, node.widthType == 0, node.count >= TreeShape.minimumCount,
            node.slot(TreeShape.total(node.count)).isTagged
        else {
            found(.treeShape, ref, "an inner node that is none")
            return nil
        }
        let children = TreeShape.childCount(node.count)
        if children > TreeShape.maximumCount {
            found(.oversizedNode, ref, "an inner node of \(children) children")
        }
        if underCompact, !node.slot(TreeShape.offsets).isTagged {
            found(.treeForm, ref, "an inner node in general form under one in compact form")
        }
        return visitChildren(ref, node, level, leaf)
    }

    /// `dynamic` keeps the compiler from specializing this function for each `leaf`, which would
    /// multiply its machine code.
    dynamic private func visitChildren(
        _ ref: Ref, _ node: NodeView, _ level: Int, _ leaf: (Ref) -> Int?
    ) -> (count: Int, depth: Int)? {
        let first = node.slot(TreeShape.offsets)
        let children = TreeShape.childCount(node.count)
        let offsets = first.isTagged ? nil : openOffsets(ref, first, children)
        var total = 0
        var depth: Int?
        var isComplete = true
        for i in 0..<children {
            let child = node.slot(TreeShape.child(i)).child.flatMap {
                visitNode($0, isRoot: false, underCompact: first.isTagged, level: level + 1, leaf)
            }
            guard let child else {
                if node.slot(TreeShape.child(i)).child == nil {
                    found(.treeShape, ref, "no child \(i)")
                }
                isComplete = false
                continue
            }
            if let depth, depth != child.depth {
                found(.treeDepth, ref, "a B+tree of uneven depth")
                isComplete = false
            }
            depth = child.depth
            total += child.count
            if isComplete { checkChild(i, of: children, child.count, total, first, offsets, ref) }
        }
        guard isComplete, let depth else { return nil }
        let announced = node.slot(TreeShape.total(node.count)).value
        if announced != UInt64(total) {
            found(.treeTotal, ref, "\(total) elements where \(announced) are announced")
        }
        return (total, depth + 1)
    }

    private func openOffsets(_ ref: Ref, _ slot: NodeSlot, _ children: Int) -> NodeView? {
        let offsets = reading(ref, .treeOffsets) { () throws(RealmError) in
            try space.integers(slot.ref, "B+tree offsets")
        }
        guard let offsets else { return nil }
        if offsets.width < 8 {
            found(.keyWidth, slot.ref, "an array of offsets of \(offsets.width) bits each")
        }
        guard offsets.count == children - 1 else {
            found(.treeOffsets, ref, "\(offsets.count) offsets for \(children) children")
            return nil
        }
        return offsets
    }

    private func checkChild(
        _ i: Int, of children: Int, _ count: Int, _ total: Int, _ first: NodeSlot,
        _ offsets: NodeView?, _ ref: Ref
    ) {
        if first.isTagged {
            let isRight =
                i < children - 1 ? first.value == UInt64(count) : first.value >= UInt64(count)
            if !isRight {
                found(.treeCompact, ref, "child \(i) of \(count) elements, not \(first.value)")
            }
        } else if let offsets, i < children - 1, offsets.unsigned(i) != UInt64(total) {
            found(.treeOffsets, ref, "offset \(i) is \(offsets.unsigned(i)) instead of \(total)")
        }
    }
}
