/// Writing the nodes of a cluster tree that changed.
extension ClusterEditor {
    /// Writes what changed and returns the root's ref. The editor stays usable.
    func flush() throws(RealmError) -> Ref {
        try dropTail()
        return try write(root)
    }

    func write(_ node: Node) throws(RealmError) -> Ref {
        guard node.isDirty else { return node.origin }
        node.origin = node.isLeaf ? try writeLeaf(node) : try writeInner(node)
        node.isDirty = false
        return node.origin
    }

    private func writeLeaf(_ node: Node) throws(RealmError) -> Ref {
        let isCompact = node.keys.isEmpty || node.keys.last! == UInt64(node.count - 1)
        var slots: [UInt64] = [
            isCompact
                ? NodeEncoder.tag(node.count)
                : try context.encoder.unsigned(Array(node.keys)).raw
        ]
        let encoder = LeafEncoder(context: context)
        for i in node.columns.indices {
            if node.columns[i].isDirty {
                node.columns[i].ref = try encoder.encode(
                    node.columns[i].buffer!, layouts[i]!, isElement: false)
                node.columns[i].isDirty = false
            }
            slots.append(node.columns[i].ref.raw)
        }
        return try context.encoder.refs(slots)
    }

    private func writeInner(_ node: Node) throws(RealmError) -> Ref {
        // Few of its hundreds of children were reached.
        var next = node.openChild(from: 0)
        while let i = next {
            if let child = node.children[i].node { node.children[i].ref = try write(child) }
            node.children[i].isOpen = false
            next = node.openChild(from: i + 1)
        }
        let keys = node.hasEvenKeys ? 0 : try context.encoder.unsigned(Array(node.keys)).raw
        let size = node.children.count + 3
        let slots = [UInt64](unsafeUninitializedCapacity: size) { (slots, count) in
            slots[0] = keys
            slots[1] = NodeEncoder.tag(node.depth)
            slots[2] = NodeEncoder.tag(node.count)
            node.children.withUnsafeBufferPointer { children in
                for i in children.indices { slots[i + 3] = children[i].ref.raw }
            }
            count = size
        }
        return try context.encoder.refs(slots, flags: NodeView.innerFlag)
    }
}

extension ClusterEditor.Node {
    /// The first child at `start` or behind it that may have changed.
    fileprivate func openChild(from start: Int) -> Int? {
        children.withUnsafeBufferPointer { children in
            var i = start
            while i < children.count {
                if children[i].isOpen { return i }
                i &+= 1
            }
            return nil
        }
    }

    /// The offsets are those of full children, which need not be stored (object format 2.2).
    fileprivate var hasEvenKeys: Bool {
        if depth > 7 { return false }
        let shift = UInt64(8 * depth)
        return keys.withUnsafeBufferPointer { keys in
            for i in keys.indices where keys[i] != UInt64(i) << shift { return false }
            return true
        }
    }
}
