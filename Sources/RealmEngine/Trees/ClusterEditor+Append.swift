/// Appending objects one after the other, without a search for the place of each.
extension ClusterEditor {
    /// The last leaf while objects are appended to it, with its columns at hand.
    ///
    /// Everything in it is loaded and dirty. It holds as long as nothing but values changes: splits,
    /// removals, column changes and flushes drop it.
    final class Tail {
        struct Column {
            let leafIndex: Int
            /// The leaf keeps it alive; retaining it for every row would cost more than the row.
            let buffer: Unmanaged<LeafBuffer>
        }

        private let leaf: Node
        /// What the keys of the leaf are relative to.
        private let base: UInt64
        /// The last object's key.
        private(set) var last: UInt64
        private let columns: UnsafeMutableBufferPointer<Column>
        /// From the root to the leaf's parent.
        private let parents: [Node]
        /// Keys of objects whose values are in the columns already.
        private let keys: UnsafeMutablePointer<UInt64>
        /// How many of them the nodes do not know about.
        private(set) var pending = 0
        private var room: Int

        init(
            leaf: Node, base: UInt64, last: UInt64, columns: [Column], parents: [Node], room: Int
        ) {
            self.leaf = leaf
            self.base = base
            self.last = last
            self.columns = .allocate(capacity: columns.count)
            _ = self.columns.initialize(from: columns)
            self.parents = parents
            self.room = room
            keys = .allocate(capacity: room)
        }

        deinit {
            columns.deallocate()
            keys.deallocate()
        }

        /// Adds an object behind all others; false when it belongs elsewhere or the leaf is full.
        @inline(__always)
        func append(_ key: UInt64, _ values: UnsafePointer<Value>) -> Bool {
            guard key > last, pending < room else { return false }
            for i in 0..<columns.count {
                let column = columns[i]
                column.buffer._withUnsafeGuaranteedRef { $0.append(values[column.leafIndex]) }
            }
            keys[pending] = key &- base
            pending &+= 1
            last = key
            return true
        }

        /// Makes the nodes know of what was appended.
        func settle() {
            if pending == 0 { return }
            leaf.keys.append(contentsOf: UnsafeBufferPointer(start: keys, count: pending))
            leaf.count += pending
            for parent in parents {
                parent.count += pending
                parent.children[parent.children.count - 1].count += pending
            }
            room -= pending
            pending = 0
        }
    }

    /// The leaf of the object just inserted, if that is the last one and has room for more.
    func learnTail(_ key: UInt64) throws(RealmError) -> Tail? {
        var node = root
        var base: UInt64 = 0
        var parents: [Node] = []
        while !node.isLeaf {
            parents.append(node)
            base &+= node.keys[node.keys.count - 1]
            guard let last = node.children[node.children.count - 1].node else { return nil }
            node = last
        }
        // Full leaves are written out when the next one begins.
        guard node.isDirty, node.count < context.fanout.clusterLeaf, let last = node.keys.last,
            last &+ base == key
        else { return nil }
        var columns: [Tail.Column] = []
        for i in layouts.indices where layouts[i] != nil {
            let buffer = Unmanaged.passUnretained(try touchedBuffer(node, i))
            columns.append(Tail.Column(leafIndex: i, buffer: buffer))
        }
        return Tail(
            leaf: node, base: base, last: key, columns: columns, parents: parents,
            room: context.fanout.clusterLeaf - node.count)
    }
}
