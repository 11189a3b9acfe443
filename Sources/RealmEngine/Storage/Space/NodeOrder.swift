/// The nodes of the slab that are to be written, each behind those it leads to, and the room they need.
///
/// The slab does not change while there is one.
struct NodeOrder {
    /// Two words, since a large transaction has hundreds of thousands.
    struct Item {
        private let header: UnsafeMutableRawPointer
        /// Which of its parent's slots leads to it.
        let slot: Int32
        /// Items of the tree below it, itself included: as many lie in front of and with it.
        fileprivate(set) var subtree: Int32 = 1

        fileprivate init(_ node: NodeView, slot: Int) {
            header = UnsafeMutableRawPointer(mutating: node.payload) - NodeView.headerSize
            self.slot = Int32(truncatingIfNeeded: slot)
        }

        @inline(__always) var node: NodeView { SlabNode(header: header).view }
    }

    /// Bytes of memory for each node: its item, and where it was written.
    static let bytesPerNode = MemoryLayout<Item>.stride + MemoryLayout<Int64>.stride

    private let space: NodeSpace
    /// Where the slab begins: what is below it is in the file already.
    private let slab: UInt64
    /// Whether a ref of the file fits 32 bits, also after the file has grown.
    private let hasShortRefs: Bool
    private(set) var items: ContiguousArray<Item> = []
    /// What was asked for: nodes of the slab, and others that stay where they are.
    private(set) var roots: [Ref] = []
    private(set) var need = NodeWriter.Need()

    /// - Parameter fileSize: of the file that the nodes are written to.
    init(_ space: NodeSpace, _ slab: SlabNodes, fileSize: UInt64) {
        self.space = space
        self.slab = slab.start
        hasShortRefs = fileSize < 1 << 30
        // Growing step by step would take up to three times the memory.
        items.reserveCapacity(slab.count)
    }

    /// Adds the tree below `ref`, as far as it is in the slab.
    mutating func add(_ ref: Ref) throws(RealmError) {
        roots.append(ref)
        if includes(ref) { try collect(ref, slot: 0) }
    }

    func includes(_ ref: Ref) -> Bool { ref.raw >= slab }

    /// Calls `body` with the position of each item that item `i` leads to.
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
    /// Bytes of the node in the file: refs of the slab need 64 bits, those that take their place half of
    /// that while the file is not large.
    private func expectedSize(_ node: NodeView) -> UInt64 {
        let size = UInt64(truncatingIfNeeded: node.byteSize)
        guard node.hasRefs, node.widthCode == 7, hasShortRefs else { return size }
        return 8 + (size - 8 + 15) / 16 * 8
    }
}

extension NodeView {
    /// Calls `body` with the position and the ref of each child of a node with refs that is at `start` or
    /// beyond.
    @inline(__always)
    fileprivate func visitRefs(
        from start: UInt64, _ body: (Int, Ref) throws(RealmError) -> Void
    ) throws(RealmError) {
        // Those that lead to nodes of the slab mostly have 64 bits for each slot.
        guard widthCode == 7 else {
            for i in 0..<count {
                if let child = slot(i).child, child.raw >= start { try body(i, child) }
            }
            return
        }
        let slots = payload.assumingMemoryBound(to: UInt64.self)
        var i = 0
        while i < count {
            // Nearly all slots lead to what is in the file already, or are no refs.
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
