/// The new nodes that a commit writes to the file, each after its children, and the space that they
/// need. The nodes are in the slab, the memory for nodes of write transactions.
///
/// The slab must not change while this value is used.
struct NodeOrder {
    /// A node to write. An item takes only two words, since a large transaction has hundreds of
    /// thousands of nodes.
    struct Item {
        private let header: UnsafeMutableRawPointer
        /// Index of the slot in the parent that references this node.
        let slot: Int32
        /// Number of items in the subtree of this node, including the node's own item. In `items`,
        /// the items of all descendants directly precede the item of the node.
        fileprivate(set) var subtree: Int32 = 1

        fileprivate init(_ node: NodeView, slot: Int) {
            header = UnsafeMutableRawPointer(mutating: node.payload) - NodeView.headerSize
            self.slot = Int32(truncatingIfNeeded: slot)
        }

        @inline(__always) var node: NodeView { SlabNode(header: header).view }
    }

    /// Memory per node in bytes: its `Item`, and its offset in the file.
    static let bytesPerNode = MemoryLayout<Item>.stride + MemoryLayout<Int64>.stride

    private let space: NodeSpace
    /// First ref of the slab, which contains the new nodes; nodes with smaller refs are already in
    /// the file.
    private let slab: UInt64
    /// Whether refs of the file fit in 32 bits, even after the file has grown.
    private let hasShortRefs: Bool
    private(set) var items: ContiguousArray<Item> = []
    /// The refs passed to `add`: of new nodes in the slab, or of nodes that are already in the
    /// file.
    private(set) var roots: [Ref] = []
    private(set) var need = NodeWriter.SpaceEstimate()

    /// - Parameter fileSize: size in bytes of the file to which the nodes will be written.
    init(_ space: NodeSpace, _ slab: SlabNodes, fileSize: UInt64) {
        self.space = space
        self.slab = slab.start
        hasShortRefs = fileSize < 1 << 30
        // Growing the array step by step would take up to three times the memory.
        items.reserveCapacity(slab.count)
    }

    /// Adds the new nodes of the tree at `ref` to the nodes to write. Leaves out nodes that are
    /// already in the file.
    mutating func add(_ ref: Ref) throws(RealmError) {
        roots.append(ref)
        if includes(ref) { try collect(ref, slot: 0) }
    }

    func includes(_ ref: Ref) -> Bool { ref.raw >= slab }

    /// Calls `body` with the index in `items` of each child of the node with index `i`.
    @inline(__always)
    func visitChildren(of i: Int, _ body: (Int) -> Void) {
        let first = i &- Int(items[i].subtree) &+ 1
        var child = i &- 1
        while child >= first {
            body(child)
            child &-= Int(items[child].subtree)
        }
    }

    private mutating func collect(_ ref: Ref, slot: Int) throws(RealmError) {
        let node = try space.node(ref)
        var item = Item(node, slot: slot)
        if node.hasRefs {
            let first = items.count
            try node.visitRefs(from: slab) { (i, child) throws(RealmError) in
                try collect(child, slot: i)
            }
            item.subtree &+= Int32(truncatingIfNeeded: items.count &- first)
        }
        items.append(item)
        let size = expectedSize(node)
        need.bytes += size
        need.nodes += 1
        need.largest = max(need.largest, size)
    }
}

extension NodeOrder {
    /// Returns the expected size of the node in the file. In memory, slots with refs of new nodes
    /// take 64 bits. In the file, they take 32 bits unless the file is large.
    private func expectedSize(_ node: NodeView) -> UInt64 {
        let size = UInt64(truncatingIfNeeded: node.byteSize)
        guard node.hasRefs, node.widthCode == 7, hasShortRefs else { return size }
        return 8 + (size - 8 + 15) / 16 * 8
    }
}

extension NodeView {
    /// Calls `body` with the slot index and the ref of each child whose ref is at least `start`.
    @inline(__always)
    fileprivate func visitRefs(
        from start: UInt64, _ body: (Int, Ref) throws(RealmError) -> Void
    ) throws(RealmError) {
        // Nodes with refs of new nodes usually have 64 bits per slot.
        guard widthCode == 7 else {
            for i in 0..<count {
                if let child = slot(i).child, child.raw >= start { try body(i, child) }
            }
            return
        }
        let slots = payload.assumingMemoryBound(to: UInt64.self)
        var i = 0
        while i < count {
            // Most slots contain numbers, or refs of nodes that are already in the file. So four
            // slots are compared at once.
            if i &+ 4 <= count, slots[i] < start, slots[i &+ 1] < start, slots[i &+ 2] < start,
                slots[i &+ 3] < start
            {
                i &+= 4
                continue
            }
            let end = min(i &+ 4, count)
            while i < end {
                if slots[i] >= start, slots[i] & 1 == 0 { try body(i, Ref(slots[i])) }
                i &+= 1
            }
        }
    }
}
