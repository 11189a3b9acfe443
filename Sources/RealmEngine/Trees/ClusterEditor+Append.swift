/// Appending objects one after the other, without a search for the place of each.
extension ClusterEditor {
    /// The last leaf while objects are appended to it, with its columns at hand.
    ///
    /// Everything in it is loaded and dirty. It holds as long as nothing but values changes: splits,
    /// removals, column changes and flushes drop it.
    final class Tail {
        struct Column {
            let leafIndex: Int
            let buffer: LeafBuffer
        }

        let leaf: Node
        /// What the keys of the leaf are relative to.
        let base: UInt64
        /// The last object's key.
        var last: UInt64
        let columns: ContiguousArray<Column>
        /// From the root to the leaf's parent.
        let parents: [Node]

        init(
            leaf: Node, base: UInt64, last: UInt64, columns: ContiguousArray<Column>,
            parents: [Node]
        ) {
            self.leaf = leaf
            self.base = base
            self.last = last
            self.columns = columns
            self.parents = parents
        }
    }

    /// Adds an object behind all others; false when it belongs elsewhere or the leaf is full.
    func append(_ key: UInt64, _ values: UnsafePointer<Value>, _ tail: Tail) -> Bool {
        let leaf = tail.leaf
        guard key > tail.last, leaf.count < context.fanout.clusterLeaf else { return false }
        for column in tail.columns { column.buffer.append(values[column.leafIndex]) }
        leaf.keys.append(key &- tail.base)
        leaf.count &+= 1
        for parent in tail.parents {
            parent.count &+= 1
            parent.children[parent.children.count - 1].count &+= 1
        }
        tail.last = key
        return true
    }

    /// Remembers the leaf of the object just inserted, if that is the last one.
    func learnTail(_ key: UInt64) throws(RealmError) {
        var node = root
        var base: UInt64 = 0
        var parents: [Node] = []
        while !node.isLeaf {
            parents.append(node)
            base &+= node.keys[node.keys.count - 1]
            guard let last = node.children[node.children.count - 1].node else { return }
            node = last
        }
        // Full leaves are written out when the next one begins.
        guard node.isDirty, node.count < context.fanout.clusterLeaf, let last = node.keys.last,
            last &+ base == key
        else { return }
        var columns: ContiguousArray<Tail.Column> = []
        for i in layouts.indices where layouts[i] != nil {
            columns.append(Tail.Column(leafIndex: i, buffer: try touchedBuffer(node, i)))
        }
        tail = Tail(leaf: node, base: base, last: key, columns: columns, parents: parents)
    }
}
