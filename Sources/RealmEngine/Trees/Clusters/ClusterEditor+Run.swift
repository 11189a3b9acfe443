/// Bulk append: collects the values of new objects column by column, and writes each leaf once,
/// when it is full.
extension ClusterEditor {
    /// Objects to append: their keys in ascending order, and the cells of each column.
    struct Rows {
        struct Column {
            let leafIndex: Int
            let cells: LeafCells
        }

        /// Columns with values to append. In a column that is not in this array, the new cells are
        /// 0; in a backlink column, 0 means no backlinks.
        let columns: [Column]
        let keys: UnsafePointer<UInt64>
        let count: Int
        /// Object that keeps the bytes alive to which the cells of strings and binaries refer.
        let owner: AnyObject
    }

    /// The objects appended last, while they are too few for a full leaf. They are not yet stored
    /// in any node.
    final class Run {
        /// Cells of each column. The index is the column's position in a cluster leaf; nil for a
        /// position without a column.
        let columns: [LeafCells?]
        let keys: UnsafeMutablePointer<UInt64>
        let capacity: Int
        fileprivate(set) var count = 0
        fileprivate var owners: [AnyObject] = []

        init(_ editors: [ColumnEditor?], capacity: Int) {
            columns = editors.map { $0.map { LeafCells($0.layout, capacity: capacity) } }
            keys = .allocate(capacity: capacity)
            self.capacity = capacity
        }

        deinit { keys.deallocate() }

        /// Row of the object with `key`; nil if there is none.
        func row(of key: UInt64) -> Int? {
            var low = 0
            var high = count
            while low < high {
                let middle = (low + high) / 2
                if keys[middle] < key { low = middle + 1 } else { high = middle }
            }
            return low < count && keys[low] == key ? low : nil
        }

        fileprivate func take(_ rows: Rows, from start: Int) -> Int {
            let taken = min(capacity - count, rows.count - start)
            for column in rows.columns {
                columns[column.leafIndex]!.copy(
                    column.cells, from: start, count: taken, to: count)
            }
            (keys + count).update(from: rows.keys + start, count: taken)
            count += taken
            if owners.last !== rows.owner { owners.append(rows.owner) }
            return taken
        }

        fileprivate func clear() {
            count = 0
            owners.removeAll(keepingCapacity: true)
        }
    }

    /// Appends objects. Their keys must be larger than all keys in the table.
    func append(_ rows: Rows) throws(RealmError) {
        var row = 0
        if run == nil || run!.count == 0 { row = try fillLastLeaf(rows) }
        guard row < rows.count else { return }
        let run = startedRun()
        while row < rows.count {
            row += run.take(rows, from: row)
            if run.count == run.capacity { try close(run) }
        }
    }

    /// The largest key; nil if there are no objects.
    func lastKey() throws(RealmError) -> UInt64? {
        if let run, run.count > 0 { return run.keys[run.count - 1] }
        guard let leaf = try lastLeaf(), leaf.count > 0 else { return nil }
        return UInt64(bitPattern: leaf.key(leaf.count - 1).raw)
    }

    private func lastLeaf() throws(RealmError) -> ClusterLeaf? {
        var ref = Ref(rootSlot.pointee)
        var base: UInt64 = 0
        for _ in 0..<ClusterTree.maximumDepth {
            let node = try nodes.space.node(ref)
            guard node.isInner else {
                return try ClusterLeaf(nodes.space, ref, node: node, base: base)
            }
            let inner = try InnerCluster(nodes.space, ref, node: node, base: base)
            base &+= inner.offset(inner.childCount - 1)
            ref = try inner.ref(inner.childCount - 1)
        }
        throw .corrupt("a cluster tree too deep", at: ref)
    }

    /// Maximum number of cells of the objects that `run` collects. A cell takes 16 bytes.
    private static let maximumCellCount = 1 << 19

    /// Maximum number of appended objects that `run` collects before they become a leaf, normally
    /// as many as in a full leaf. Fewer if the objects have thousands of properties, to limit
    /// memory.
    private var runCapacity: Int {
        max(1, min(context.fanout.clusterLeaf, Self.maximumCellCount / max(1, columns.count)))
    }

    private func startedRun() -> Run {
        if let run { return run }
        let fresh = Run(Array(columns), capacity: runCapacity)
        run = fresh
        return fresh
    }

    /// Writes the appended objects that `run` has collected to the tree, and sets `run` to nil.
    @inline(__always)
    func closeRun() throws(RealmError) {
        guard let run else { return }
        if run.count > 0 { try close(run) }
        self.run = nil
    }

    /// Inserts rows one by one until the last leaf is full. Returns the number of inserted rows.
    private func fillLastLeaf(_ rows: Rows) throws(RealmError) -> Int {
        let left = try lastLeaf().map { runCapacity - $0.count } ?? 0
        let room = min(left, rows.count)
        guard room > 0 else { return 0 }
        let values = UnsafeMutablePointer<Value>.allocate(capacity: max(1, columns.count))
        defer { values.deallocate() }
        values.initialize(repeating: .int(0), count: columns.count)
        for row in 0..<room {
            for column in rows.columns {
                values[column.leafIndex] = column.cells.value(row)
            }
            try insert(ObjectKey(Int64(bitPattern: rows.keys[row])), values)
        }
        return room
    }

    // MARK: Leaves

    /// Writes the objects collected in `run` as one leaf, which may be smaller than a full leaf,
    /// and empties `run`.
    func close(_ run: Run) throws(RealmError) {
        let first = run.keys[0]
        var slots = [try keySlot((0..<run.count).map { run.keys[$0] &- first })]
        let encoder = LeafEncoder(context: context)
        for cells in run.columns {
            slots.append(
                try cells.map { (cells) throws(RealmError) in
                    try encoder.encode(cells, count: run.count).raw
                } ?? 0)
        }
        let ref = try context.encoder.refs(slots)
        let count = run.count
        run.clear()
        try attach(ref, count: count, first)
    }

    /// Inserts `leaf`, with `count` objects and the first key `key`, after the last leaf of the
    /// tree.
    private func attach(_ leaf: Ref, count: Int, _ key: UInt64) throws(RealmError) {
        try descend(key, toLeaf: false)
        if path.isEmpty {
            try growRoot(nil, 0)
            try descend(key, toLeaf: false)
        }
        var base: UInt64 = 0
        for step in path.steps { base &+= try inner(step.node).offset(step.child) }
        try addToCounts(count)
        try adopt(leaf, key &- base)
    }
}
