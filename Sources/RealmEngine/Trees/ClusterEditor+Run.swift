/// Adding many objects behind all others: their values come column by column, and each full leaf is
/// written once.
extension ClusterEditor {
    /// Rows to append: cells by column, and their keys in ascending order.
    struct Rows {
        struct Column {
            let leafIndex: Int
            let cells: LeafCells
        }

        /// Columns that are not here hold zeros: no backlinks.
        let columns: [Column]
        let keys: UnsafePointer<UInt64>
        let count: Int
        /// Keeps the bytes alive that cells refer to.
        let owner: AnyObject
    }

    /// The last objects as long as they are too few for a leaf and no node has them.
    final class Run {
        /// By leaf index; nil for holes.
        let columns: [LeafCells?]
        let keys: UnsafeMutablePointer<UInt64>
        let capacity: Int
        fileprivate(set) var count = 0
        /// Stands for the leaf that the rows will be in.
        let place: Node
        fileprivate var owners: [AnyObject] = []

        init(_ layouts: [LeafLayout?], capacity: Int, place: Node) {
            columns = layouts.map { $0.map { LeafCells($0, capacity: capacity) } }
            keys = .allocate(capacity: capacity)
            self.capacity = capacity
            self.place = place
        }

        deinit { keys.deallocate() }

        /// The row of the object with `key`, nil when there is none.
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

    /// Adds objects behind all others; the caller has made sure that their keys are larger.
    func append(_ rows: Rows) throws(RealmError) {
        var row = 0
        if run == nil || run!.count == 0 { row = try fillLastLeaf(rows) }
        guard row < rows.count else { return }
        let run = try startedRun()
        while row < rows.count {
            row += run.take(rows, from: row)
            if run.count == run.capacity { try close(run) }
        }
    }

    /// The largest key, nil when there are no objects.
    func lastKey() throws(RealmError) -> UInt64? {
        if let run, run.count > 0 { return run.keys[run.count - 1] }
        if let tail { return tail.last }
        var node = root
        var base: UInt64 = 0
        while !node.isLeaf {
            base &+= node.keys[node.keys.count - 1]
            node = try child(node, node.children.count - 1)
        }
        return node.keys.last.map { $0 &+ base }
    }

    private func startedRun() throws(RealmError) -> Run {
        if let run, tail == nil { return run }
        try dropTail()
        let fresh = Run(
            layouts, capacity: context.fanout.clusterLeaf, place: Node(origin: .none, depth: 0))
        run = fresh
        return fresh
    }

    /// Rows for which the last leaf has room go there one by one; answers how many.
    private func fillLastLeaf(_ rows: Rows) throws(RealmError) -> Int {
        let room = min(try roomInLastLeaf(), rows.count)
        guard room > 0 else { return 0 }
        let values = UnsafeMutablePointer<Value>.allocate(capacity: max(1, layouts.count))
        defer { values.deallocate() }
        values.initialize(repeating: .int(0), count: layouts.count)
        for row in 0..<room {
            for column in rows.columns {
                values[column.leafIndex] = context.arena.keep(column.cells.value(row))
            }
            try insert(ObjectKey(Int64(bitPattern: rows.keys[row])), values)
        }
        return room
    }

    private func roomInLastLeaf() throws(RealmError) -> Int {
        tail?.settle()
        var node = root
        while !node.isLeaf {
            if node.depth == 1 {
                return context.fanout.clusterLeaf - node.children[node.children.count - 1].count
            }
            node = try child(node, node.children.count - 1)
        }
        return context.fanout.clusterLeaf - node.count
    }

    // MARK: Leaves

    /// Writes the rows of a run as a leaf, full or not.
    func close(_ run: Run) throws(RealmError) {
        let first = run.keys[0]
        for i in 0..<run.count { run.keys[i] &-= first }
        let isCompact = run.keys[run.count - 1] == UInt64(run.count - 1)
        let keys = UnsafeBufferPointer(start: run.keys, count: run.count)
        var slots: [UInt64] = [
            isCompact
                ? NodeEncoder.tag(run.count) : try context.encoder.unsigned(Array(keys)).raw
        ]
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

    /// Puts a leaf behind all others.
    private func attach(_ leaf: Ref, count: Int, _ key: UInt64) throws(RealmError) {
        if root.isLeaf { growRoot([Child(ref: .none, node: root, count: root.count)], [0]) }
        guard let split = try attach(leaf, count: count, key, below: root) else { return }
        growRoot(
            [
                Child(ref: .none, node: root, count: root.count),
                Child(ref: .none, node: split.node, count: split.node.count),
            ], [0, split.key])
    }

    private func growRoot(_ children: [Child], _ keys: ContiguousArray<UInt64>) {
        let old = root
        root = Node(origin: .none, depth: old.depth + 1)
        root.isDirty = true
        root.children = children
        root.keys = keys
        root.count = children.reduce(0) { $0 + $1.count }
    }

    private func attach(
        _ leaf: Ref, count: Int, _ key: UInt64, below node: Node
    ) throws(RealmError) -> (node: Node, key: UInt64)? {
        try touch(node)
        node.count += count
        let last = node.children.count - 1
        if node.depth == 1 {
            try retire(node, last)
            node.children.append(Child(ref: leaf, node: nil, count: count))
            node.keys.append(key)
        } else {
            let target = try child(node, last)
            let split = try attach(leaf, count: count, key &- node.keys[last], below: target)
            node.children[last].count = target.count
            guard let split else { return nil }
            try retire(node, last)
            node.children.append(
                Child(ref: .none, node: split.node, count: split.node.count))
            node.keys.append(node.keys[last] &+ split.key)
        }
        guard node.children.count > context.fanout.clusterInner else { return nil }
        return splitInner(node, node.children.count - 1)
    }
}
