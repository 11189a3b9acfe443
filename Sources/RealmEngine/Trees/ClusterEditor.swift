/// Edits a cluster tree: objects by key, one leaf per column (object format section 2).
///
/// Leaves are loaded when an edit reaches them and columns of a leaf only when that column does, so
/// changing one property of one object rewrites one column leaf and the path above it. Confined to
/// the writer.
final class ClusterEditor {
    let context: EditContext
    /// How each leaf index is stored; nil for holes.
    private(set) var layouts: [LeafLayout?]
    var root: Node
    /// Where the last object was appended; nil once the tree changed otherwise.
    private(set) var tail: Tail?
    /// Objects behind all those in the tree, which has no tail as long as there are any.
    var run: Run?
    /// The object found last: programs set one property after the other. Nil once the tree changed
    /// its shape.
    private var found: (key: UInt64, place: Position)?

    /// A loaded node: a leaf with keys and columns, or an inner node with children.
    final class Node {
        var origin: Ref
        var isDirty = false
        /// 0 for leaves.
        let depth: Int
        /// Keys relative to the subtree (leaf), or the children's offsets (inner).
        var keys: ContiguousArray<UInt64> = []
        var columns: ContiguousArray<Column> = []
        var children: [Child] = []
        /// Objects below.
        var count = 0

        init(origin: Ref, depth: Int) {
            self.origin = origin
            self.depth = depth
        }

        var isLeaf: Bool { depth == 0 }
    }

    struct Column {
        var ref: Ref
        var buffer: LeafBuffer?
        var isDirty = false
    }

    struct Child {
        var ref: Ref
        var node: Node?
        var count: Int
        /// The node was reached since it was last written, so it may have changed.
        var isOpen: Bool

        init(ref: Ref, node: Node?, count: Int) {
            self.ref = ref
            self.node = node
            self.count = count
            isOpen = node != nil
        }
    }

    /// Where an object is; valid until the tree changes shape.
    struct Position {
        let leaf: Node
        let row: Int
    }

    /// Opens the tree at `root`; none makes an empty tree with the given columns.
    init(_ context: EditContext, root ref: Ref, layouts: [LeafLayout?]) throws(RealmError) {
        self.context = context
        self.layouts = layouts
        if ref.isNone {
            root = Node(origin: .none, depth: 0)
            root.isDirty = true
            root.columns = Self.emptyColumns(layouts)
        } else {
            root = Node(origin: ref, depth: 0)
            root = try load(ref)
        }
    }

    private static func emptyColumns(_ layouts: [LeafLayout?]) -> ContiguousArray<Column> {
        ContiguousArray(
            layouts.map { layout in
                Column(
                    ref: .none, buffer: layout.map { LeafBuffer($0) }, isDirty: layout != nil)
            })
    }

    /// Number of objects.
    var count: Int { root.count &+ (tail?.pending ?? 0) &+ (run?.count ?? 0) }

    // MARK: Loading

    private func load(_ ref: Ref) throws(RealmError) -> Node {
        let view = try context.space.node(ref)
        return view.isInner ? try loadInner(view, ref) : try loadLeaf(view, ref)
    }

    private func loadLeaf(_ view: NodeView, _ ref: Ref) throws(RealmError) -> Node {
        let leaf = try ClusterLeaf(context.space, ref, node: view, base: 0)
        try leaf.checkOrder()
        let node = Node(origin: ref, depth: 0)
        node.count = leaf.count
        node.keys.reserveCapacity(leaf.count + 1)
        for row in 0..<leaf.count { node.keys.append(UInt64(bitPattern: leaf.key(row).raw)) }
        for (i, layout) in layouts.enumerated() {
            let slot = i + 1 < view.count ? view.slot(i + 1) : NodeSlot(raw: 0)
            guard (layout == nil) == slot.isNone || layout == nil else {
                throw .corrupt("a cluster leaf without column \(i)", at: ref)
            }
            node.columns.append(Column(ref: layout == nil ? .none : slot.ref))
        }
        return node
    }

    private func loadInner(_ view: NodeView, _ ref: Ref) throws(RealmError) -> Node {
        let inner = try InnerCluster(context.space, ref, node: view, base: 0)
        let node = Node(origin: ref, depth: inner.depth)
        for i in 0..<inner.childCount {
            let child = try inner.ref(i)
            let childView = try context.space.node(child)
            guard childView.isInner == (inner.depth > 1) else {
                throw .corrupt("a cluster tree of uneven depth", at: child)
            }
            let count =
                childView.isInner
                ? try InnerCluster(context.space, child, node: childView, base: 0).count
                : try ClusterLeaf(context.space, child, node: childView, base: 0).count
            node.children.append(Child(ref: child, node: nil, count: count))
            node.keys.append(inner.offset(i))
            node.count += count
        }
        return node
    }

    func child(_ parent: Node, _ i: Int) throws(RealmError) -> Node {
        parent.children[i].isOpen = true
        if let node = parent.children[i].node { return node }
        let node = try load(parent.children[i].ref)
        guard node.depth == parent.depth - 1 else {
            throw .corrupt("a cluster tree of uneven depth", at: node.origin)
        }
        parent.children[i].node = node
        return node
    }

    func touch(_ node: Node) throws(RealmError) {
        if node.isDirty { return }
        node.isDirty = true
        if node.origin.isNone || context.slab.contains(node.origin) { return }
        let view = try context.space.node(node.origin)
        if let keys = view.slot(0).child { try context.free(keys) }
        try context.free(node.origin)
    }

    fileprivate func buffer(_ node: Node, _ column: Int) throws(RealmError) -> LeafBuffer {
        if let buffer = node.columns[column].buffer { return buffer }
        guard let layout = layouts[column] else {
            throw .corrupt("column \(column) does not exist", in: "cluster")
        }
        let buffer = try LeafBuffer(
            context.space, node.columns[column].ref, layout, rows: node.count)
        node.columns[column].buffer = buffer
        context.editedBytes &+= buffer.byteSize
        return buffer
    }

    /// The column's values, about to change.
    func touchedBuffer(_ node: Node, _ column: Int) throws(RealmError) -> LeafBuffer {
        let buffer = try buffer(node, column)
        if !node.columns[column].isDirty {
            node.columns[column].isDirty = true
            try context.freeLeaf(node.columns[column].ref, layouts[column]!)
        }
        return buffer
    }

    // MARK: Finding

    /// Index of the child whose range holds relative key `key`.
    @inline(__always)
    private func childIndex(_ node: Node, _ key: UInt64) -> Int {
        var low = 0
        var high = node.keys.count
        while low < high {
            let middle = (low + high) >> 1
            if node.keys[middle] <= key { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }

    private func rowIndex(_ node: Node, _ key: UInt64) -> Int {
        // Appending is the common case.
        guard let last = node.keys.last, key <= last else { return node.keys.count }
        var low = 0
        var high = node.keys.count
        while low < high {
            let middle = (low + high) >> 1
            if node.keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The object with `key`, nil when there is none.
    func find(_ key: ObjectKey) throws(RealmError) -> Position? {
        if let found, found.key == UInt64(bitPattern: key.raw) { return found.place }
        if let tail {
            if UInt64(bitPattern: key.raw) > tail.last { return nil }
            tail.settle()
        }
        if let run, run.count > 0, UInt64(bitPattern: key.raw) >= run.keys[0] {
            return run.row(of: UInt64(bitPattern: key.raw)).map {
                Position(leaf: run.place, row: $0)
            }
        }
        var relative = UInt64(bitPattern: key.raw)
        var node = root
        while !node.isLeaf {
            let i = childIndex(node, relative)
            relative &-= node.keys[i]
            node = try child(node, i)
        }
        let row = rowIndex(node, relative)
        guard row < node.keys.count, node.keys[row] == relative else { return nil }
        let place = Position(leaf: node, row: row)
        found = (UInt64(bitPattern: key.raw), place)
        return place
    }

    /// Value of column `leafIndex` as stored; backlink cells are the raw slot as `.int`.
    func value(_ position: Position, _ leafIndex: Int) throws(RealmError) -> Value {
        if let run, position.leaf === run.place {
            return run.columns[leafIndex]!.value(position.row)
        }
        let column = position.leaf.columns[leafIndex]
        if let buffer = column.buffer { return buffer[position.row] }
        guard let layout = layouts[leafIndex], layout.type != .backlink else {
            return try buffer(position.leaf, leafIndex)[position.row]
        }
        return try ColumnLeaf(
            context.space, column.ref, layout, rows: position.leaf.count
        ).stored(position.row)
    }

    /// Stores a value; the path of `key` is rewritten by the next flush.
    func set(_ key: ObjectKey, _ leafIndex: Int, _ value: Value) throws(RealmError) {
        if let found, found.key == UInt64(bitPattern: key.raw), found.place.leaf.isDirty {
            // Nodes above one that will be rewritten will be too.
            return try touchedBuffer(found.place.leaf, leafIndex)
                .set(value, at: found.place.row, context)
        }
        if let run, run.count > 0, UInt64(bitPattern: key.raw) >= run.keys[0] { try close(run) }
        tail?.settle()
        var relative = UInt64(bitPattern: key.raw)
        var node = root
        while true {
            try touch(node)
            if node.isLeaf { break }
            let i = childIndex(node, relative)
            relative &-= node.keys[i]
            node = try child(node, i)
        }
        let row = rowIndex(node, relative)
        precondition(row < node.keys.count && node.keys[row] == relative)
        found = (UInt64(bitPattern: key.raw), Position(leaf: node, row: row))
        try touchedBuffer(node, leafIndex).set(value, at: row, context)
    }

    /// Visits all objects in key order; the leaf's rows may be read, not changed.
    func forEachLeaf(
        _ body: (Node, _ base: UInt64) throws(RealmError) -> Void
    ) throws(RealmError) {
        try dropTail()
        try forEachLeaf(root, 0, body)
    }

    private func forEachLeaf(
        _ node: Node, _ base: UInt64, _ body: (Node, UInt64) throws(RealmError) -> Void
    ) throws(RealmError) {
        if node.isLeaf { return try body(node, base) }
        for i in node.children.indices {
            let wasLoaded = node.children[i].node != nil
            let child = try child(node, i)
            try forEachLeaf(child, base &+ node.keys[i], body)
            // What was only looked at need not stay.
            if !wasLoaded, !child.isDirty { node.children[i].node = nil }
        }
    }

    /// Visits one column's values with their objects' keys, in key order.
    func forEachValue(
        _ leafIndex: Int, _ body: (ObjectKey, Value) throws(RealmError) -> Void
    ) throws(RealmError) {
        try forEachLeaf { (leaf, base) throws(RealmError) in
            let buffer = try self.buffer(leaf, leafIndex)
            for row in 0..<leaf.count {
                try body(ObjectKey(Int64(bitPattern: base &+ leaf.keys[row])), buffer[row])
            }
        }
    }

    // MARK: Inserting

    /// Adds an object with the given value for each leaf index; holes are ignored.
    ///
    /// The key must not exist yet.
    func insert(_ key: ObjectKey, _ values: UnsafePointer<Value>) throws(RealmError) {
        if let tail, tail.append(UInt64(bitPattern: key.raw), values) { return }
        try dropTail()
        try insertAnywhere(key, values)
        tail = try learnTail(UInt64(bitPattern: key.raw))
    }

    /// The tree is about to change otherwise than by appending.
    func dropTail() throws(RealmError) {
        found = nil
        tail?.settle()
        tail = nil
        if let run, run.count > 0 { try close(run) }
        run = nil
    }

    private func insertAnywhere(
        _ key: ObjectKey, _ values: UnsafePointer<Value>
    ) throws(RealmError) {
        guard let split = try insert(root, UInt64(bitPattern: key.raw), values) else { return }
        let old = root
        root = Node(origin: .none, depth: old.depth + 1)
        root.isDirty = true
        root.children = [
            Child(ref: .none, node: old, count: old.count),
            Child(ref: .none, node: split.node, count: split.node.count),
        ]
        root.keys = [0, split.key]
        root.count = old.count + split.node.count
    }

    private func insert(
        _ node: Node, _ key: UInt64, _ values: UnsafePointer<Value>
    ) throws(RealmError) -> (node: Node, key: UInt64)? {
        try touch(node)
        if node.isLeaf { return try insertRow(node, key, values) }
        let i = childIndex(node, key)
        let target = try child(node, i)
        let split = try insert(target, key &- node.keys[i], values)
        node.children[i].count = target.count
        node.count += 1
        guard let split else { return nil }
        let offset = node.keys[i] &+ split.key
        node.children.insert(
            Child(ref: .none, node: split.node, count: split.node.count), at: i + 1)
        node.keys.insert(offset, at: i + 1)
        // An append leaves a full leaf behind that nobody will come back to soon.
        if i + 2 == node.children.count { try retire(node, i) }
        return node.children.count > context.fanout.clusterInner ? splitInner(node, i + 1) : nil
    }

    private func insertRow(
        _ node: Node, _ key: UInt64, _ values: UnsafePointer<Value>
    ) throws(RealmError) -> (node: Node, key: UInt64)? {
        let row = rowIndex(node, key)
        precondition(row == node.keys.count || node.keys[row] != key, "the key exists")
        if node.count < context.fanout.clusterLeaf {
            try place(node, row, key, values)
            return nil
        }
        let sibling = Node(origin: .none, depth: 0)
        sibling.isDirty = true
        if row == node.count {
            sibling.columns = Self.emptyColumns(layouts)
            try place(sibling, 0, 0, values)
            return (sibling, key)
        }
        let first = node.keys[row]
        sibling.keys = ContiguousArray(node.keys[row...].map { $0 &- first })
        node.keys.removeSubrange(row...)
        for i in layouts.indices {
            guard layouts[i] != nil else {
                sibling.columns.append(Column(ref: .none))
                continue
            }
            let tail = try touchedBuffer(node, i).split(at: row)
            sibling.columns.append(Column(ref: .none, buffer: tail, isDirty: true))
        }
        sibling.count = sibling.keys.count
        node.count = node.keys.count
        try place(node, row, key, values)
        return (sibling, first)
    }

    private func place(
        _ node: Node, _ row: Int, _ key: UInt64, _ values: UnsafePointer<Value>
    ) throws(RealmError) {
        // Columns load with the old count, so they come first.
        for i in layouts.indices where layouts[i] != nil {
            let buffer = try touchedBuffer(node, i)
            if row == buffer.count {
                buffer.append(values[i])
            } else {
                buffer.insert(values[i], at: row)
            }
        }
        node.keys.insert(key, at: row)
        node.count += 1
    }

    func splitInner(_ node: Node, _ added: Int) -> (node: Node, key: UInt64) {
        let cut = added == node.children.count - 1 ? added : node.children.count / 2
        let sibling = Node(origin: .none, depth: node.depth)
        sibling.isDirty = true
        let first = node.keys[cut]
        sibling.children = Array(node.children[cut...])
        sibling.keys = ContiguousArray(node.keys[cut...].map { $0 &- first })
        node.children.removeSubrange(cut...)
        node.keys.removeSubrange(cut...)
        sibling.count = sibling.children.reduce(0) { $0 + $1.count }
        node.count -= sibling.count
        return (sibling, first)
    }

    /// Writes child `i` into the slab now and forgets its decoded form.
    func retire(_ node: Node, _ i: Int) throws(RealmError) {
        guard let child = node.children[i].node else { return }
        found = nil
        node.children[i].ref = try write(child)
        node.children[i].node = nil
    }

    // MARK: Removing

    /// Removes the object with `key`, which exists. What its cells lead to is the caller's.
    func remove(_ key: ObjectKey) throws(RealmError) {
        try dropTail()
        try remove(root, UInt64(bitPattern: key.raw))
        while !root.isLeaf, root.children.count == 1 {
            // An earlier commit may have left an inner node with one child, untouched until now.
            let only = try child(root, 0)
            try touch(root)
            root = only
        }
    }

    private func remove(_ node: Node, _ key: UInt64) throws(RealmError) {
        try touch(node)
        if node.isLeaf { return try removeRow(node, key) }
        let i = childIndex(node, key)
        let target = try child(node, i)
        try remove(target, key &- node.keys[i])
        node.children[i].count = target.count
        node.count -= 1
        if target.count == 0, node.children.count > 1 {
            try drop(target)
            try removeChild(node, i)
        } else if target.isLeaf, target.count < context.fanout.clusterLeaf / 2,
            i + 1 < node.children.count,
            target.count + node.children[i + 1].count < context.fanout.clusterLeaf * 3 / 4
        {
            try merge(node, i)
        }
    }

    private func removeRow(_ node: Node, _ key: UInt64) throws(RealmError) {
        let row = rowIndex(node, key)
        precondition(row < node.keys.count && node.keys[row] == key, "no such key")
        for i in layouts.indices where layouts[i] != nil {
            try touchedBuffer(node, i).remove(at: row, context)
        }
        node.keys.remove(at: row)
        node.count -= 1
    }

    /// An emptied node disappears with the leaves of its columns, which are all let go by now.
    private func drop(_ node: Node) throws(RealmError) {
        guard !node.isLeaf else { return }
        for child in node.children where child.node == nil {
            throw .corrupt("an empty subtree with unread children", at: child.ref)
        }
    }

    private func removeChild(_ node: Node, _ i: Int) throws(RealmError) {
        node.children.remove(at: i)
        let offset = node.keys.remove(at: i)
        if i == 0, offset == 0, let first = node.keys.first, first != 0 {
            node.keys[0] = 0
            try rebase(try child(node, 0), by: first)
        }
    }

    /// The subtree's offset shrinks by `delta`; its keys grow by it (object format 2.5).
    private func rebase(_ node: Node, by delta: UInt64) throws(RealmError) {
        try touch(node)
        if node.isLeaf {
            for i in node.keys.indices { node.keys[i] &+= delta }
            return
        }
        for i in node.keys.indices.dropFirst() { node.keys[i] &+= delta }
        try rebase(try child(node, 0), by: delta)
    }

    private func merge(_ node: Node, _ i: Int) throws(RealmError) {
        let left = try child(node, i)
        let right = try child(node, i + 1)
        let delta = node.keys[i + 1] &- node.keys[i]
        try touch(left)
        try touch(right)
        for c in layouts.indices where layouts[c] != nil {
            try touchedBuffer(left, c).append(contentsOf: try touchedBuffer(right, c))
        }
        for key in right.keys { left.keys.append(key &+ delta) }
        left.count += right.count
        node.children[i].count = left.count
        node.children.remove(at: i + 1)
        node.keys.remove(at: i + 1)
    }

    // MARK: Columns

    /// Adds a column with `value` for every object.
    func addColumn(
        _ leafIndex: Int, _ layout: LeafLayout, _ value: Value
    ) throws(RealmError) {
        try dropTail()
        try rewriteLeaves(root) { (leaf) throws(RealmError) in
            while leaf.columns.count <= leafIndex { leaf.columns.append(Column(ref: .none)) }
            let buffer = LeafBuffer(layout, capacity: leaf.count)
            for _ in 0..<leaf.count { buffer.append(value) }
            leaf.columns[leafIndex] = Column(ref: .none, buffer: buffer, isDirty: true)
        }
        while layouts.count <= leafIndex { layouts.append(nil) }
        layouts[leafIndex] = layout
    }

    /// Removes a column whose cells lead to nothing any more.
    func removeColumn(_ leafIndex: Int) throws(RealmError) {
        try dropTail()
        try rewriteLeaves(root) { (leaf) throws(RealmError) in
            let column = leaf.columns[leafIndex]
            if column.isDirty {
                try column.buffer?.dropBlobs(self.context)
            } else {
                try self.context.freeDeep(column.ref)
            }
            leaf.columns[leafIndex] = Column(ref: .none)
        }
        layouts[leafIndex] = nil
    }

    /// Replaces every value of a column, possibly with another layout.
    func mapColumn(
        _ leafIndex: Int, to layout: LeafLayout, _ transform: (Value) throws(RealmError) -> Value
    ) throws(RealmError) {
        try dropTail()
        try rewriteLeaves(root) { (leaf) throws(RealmError) in
            let old = try self.touchedBuffer(leaf, leafIndex)
            let buffer = LeafBuffer(layout, capacity: leaf.count)
            for row in 0..<old.count { buffer.append(try transform(old[row])) }
            leaf.columns[leafIndex] = Column(ref: .none, buffer: buffer, isDirty: true)
        }
        layouts[leafIndex] = layout
    }

    private func rewriteLeaves(
        _ node: Node, _ body: (Node) throws(RealmError) -> Void
    ) throws(RealmError) {
        try touch(node)
        if node.isLeaf { return try body(node) }
        for i in node.children.indices { try rewriteLeaves(try child(node, i), body) }
    }
}
