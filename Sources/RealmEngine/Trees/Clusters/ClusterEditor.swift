/// Edits a cluster tree: objects by key, one leaf per column (object format section 2).
///
/// The tree is whole at every moment: an edit copies the nodes on its way that the transaction has not
/// copied before, and changes the copies (`NodeMutator`). Nothing beside that way is read, and of
/// a leaf only the columns that change. Confined to the writer.
final class ClusterEditor {
    let context: EditContext
    let nodes: NodeMutator
    /// What changes the leaves of each leaf index; nil for holes.
    private(set) var columns: UnsafeMutableBufferPointer<ColumnEditor?>
    /// The leaf indexes in use, in ascending order.
    private(set) var used: UnsafeMutableBufferPointer<Int>
    /// Leaf indexes that fit the memory of both.
    private var columnCapacity: Int
    /// Holds the root's ref.
    let rootSlot: RefSlot
    /// Inner nodes on the way to the leaf that was reached last, from the root.
    let path = EditPath<Step>()
    /// The leaf that was reached last for a change; nil once the tree changed its shape.
    @exclusivity(unchecked) var reached: Reached?
    /// The row found last in some leaf, where the next look-up begins.
    @exclusivity(unchecked) var lastRow = 0
    /// The leaf looked into last; nil once anything was copied.
    @exclusivity(unchecked) private var seen: Seen?
    /// Objects behind all those in the tree.
    @exclusivity(unchecked) var run: Run?
    /// How the transaction's changes lie in the tree.
    @exclusivity(unchecked) var scatter = Scatter()

    /// An inner node the transaction may change, and the child taken there.
    struct Step {
        let node: SlabNode
        let child: Int
    }

    /// Keys a leaf is responsible for.
    struct Range {
        /// What its keys are relative to.
        var base: UInt64 = 0
        /// Its right neighbour's; nil for the last leaf.
        var end: UInt64?

        @inline(__always)
        func contains(_ key: UInt64) -> Bool { key >= base && (end == nil || key < end!) }
    }

    /// A leaf the transaction may change.
    struct Reached {
        let leaf: SlabNode
        let range: Range
        /// Its columns are the transaction's too.
        var isOpen = false
    }

    private struct Seen {
        let leaf: ClusterLeaf
        let range: Range
    }

    /// Where an object is; valid until the next change.
    struct Position {
        /// Nil when the object is in the run.
        fileprivate let leaf: NodeView?
        fileprivate let rows: Int
        let row: Int
    }

    /// Opens the tree at `root`; none makes an empty tree with the given columns.
    init(_ context: EditContext, root ref: Ref, layouts: [LeafLayout?]) throws(RealmError) {
        self.context = context
        nodes = context.nodes
        columnCapacity = layouts.count
        columns = .allocate(capacity: columnCapacity)
        used = Self.resized(.allocate(capacity: columnCapacity), 0)
        rootSlot = .allocate(capacity: 1)
        rootSlot.initialize(to: ref.raw)
        for i in layouts.indices {
            columns.initializeElement(at: i, to: layouts[i].map { ColumnEditor(context, $0) })
            if layouts[i] != nil { setUsed(i, true) }
        }
        if ref.isNone { rootSlot.pointee = try newLeaf().ref.raw }
    }

    deinit {
        path.deallocate()
        rootSlot.deallocate()
        columns.deallocate()
        used.deallocate()
    }

    /// The root of the tree as it is now.
    func finish() throws(RealmError) -> Ref {
        try closeRun()
        return Ref(rootSlot.pointee)
    }

    /// Nodes made so far belong to a version that others see.
    func forgetPlaces() {
        reached = nil
        seen = nil
    }

    /// The next transaction of a group goes on from here.
    func beginTransaction() {
        forgetPlaces()
        scatter = Scatter()
    }

    /// The tree is about to change.
    func willChange() { seen = nil }

    /// Sets what changes the leaves of a leaf index; nil for a column that was removed.
    func setColumn(_ leafIndex: Int, _ editor: ColumnEditor?) {
        if leafIndex >= columns.count { addColumns(upTo: leafIndex) }
        columns[leafIndex] = editor
        setUsed(leafIndex, editor != nil)
        forgetPlaces()
    }

    private func addColumns(upTo leafIndex: Int) {
        if leafIndex >= columnCapacity {
            columnCapacity = max(leafIndex + 1, 2 * columnCapacity)
            columns = Self.moved(columns, columnCapacity)
            used = Self.moved(used, columnCapacity)
        }
        let count = columns.count
        columns = Self.resized(columns, leafIndex + 1)
        for i in count...leafIndex { columns.initializeElement(at: i, to: nil) }
    }

    private func setUsed(_ leafIndex: Int, _ isUsed: Bool) {
        let place = used.place(of: leafIndex)
        let wasUsed = place < used.count && used[place] == leafIndex
        guard isUsed != wasUsed, let start = used.baseAddress else { return }
        let rest = used.count - place
        if isUsed {
            (start + place + 1).update(from: start + place, count: rest)
            (start + place).initialize(to: leafIndex)
        } else {
            (start + place).update(from: start + place + 1, count: rest - 1)
        }
        used = Self.resized(used, used.count + (isUsed ? 1 : -1))
    }

    /// The same elements in memory for `capacity` elements.
    private static func moved<T>(
        _ old: UnsafeMutableBufferPointer<T>, _ capacity: Int
    ) -> UnsafeMutableBufferPointer<T> {
        let new = UnsafeMutableBufferPointer<T>.allocate(capacity: capacity)
        _ = new.moveInitialize(fromContentsOf: old)
        old.deallocate()
        return resized(new, old.count)
    }

    /// The same memory with another number of elements, for which there is room.
    private static func resized<T>(
        _ buffer: UnsafeMutableBufferPointer<T>, _ count: Int
    ) -> UnsafeMutableBufferPointer<T> {
        UnsafeMutableBufferPointer(start: buffer.baseAddress, count: count)
    }

    /// The column of an object's value, which exists.
    func column(_ leafIndex: Int) throws(RealmError) -> ColumnEditor {
        guard leafIndex < columns.count, let column = columns[leafIndex] else {
            throw .corrupt("column \(leafIndex) does not exist", in: "cluster")
        }
        return column
    }

    // MARK: Reading

    /// Number of objects.
    func objectCount() throws(RealmError) -> Int {
        try objects(Ref(rootSlot.pointee)) + (run?.count ?? 0)
    }

    /// The object with `key`, nil when there is none.
    func find(_ key: ObjectKey) throws(RealmError) -> Position? {
        let raw = UInt64(bitPattern: key.raw)
        if let run, run.count > 0, raw >= run.keys[0] {
            return run.row(of: raw).map { Position(leaf: nil, rows: run.count, row: $0) }
        }
        if let reached, reached.range.contains(raw) {
            let rows = try rows(reached.leaf)
            guard let row = try row(raw &- reached.range.base, reached.leaf, rows) else {
                return nil
            }
            return Position(leaf: reached.leaf.view, rows: rows, row: row)
        }
        let leaf: ClusterLeaf
        if let seen, seen.range.contains(raw) {
            leaf = seen.leaf
        } else {
            leaf = try descend(to: raw)
        }
        guard let row = leaf.row(of: key) else { return nil }
        return Position(leaf: leaf.node, rows: leaf.count, row: row)
    }

    /// Whether there is an object with `key`, which is going to change: its leaf is ready for that.
    func reachObject(_ key: ObjectKey) throws(RealmError) -> Bool {
        let raw = UInt64(bitPattern: key.raw)
        if let run, run.count > 0, raw >= run.keys[0] { try close(run) }
        let place = try makePathWritable(raw)
        return try row(raw &- place.range.base, place.leaf, rows(place.leaf)) != nil
    }

    private func look(
        _ view: NodeView, _ ref: Ref, _ range: Range
    ) throws(RealmError) -> ClusterLeaf {
        let leaf = try ClusterLeaf(nodes.space, ref, node: view, base: range.base)
        seen = Seen(leaf: leaf, range: range)
        return leaf
    }

    private func descend(to key: UInt64) throws(RealmError) -> ClusterLeaf {
        var ref = Ref(rootSlot.pointee)
        var range = Range()
        for _ in 0..<ClusterTree.maximumDepth {
            let node = try nodes.space.node(ref)
            guard node.isInner else { return try look(node, ref, range) }
            let inner = try InnerCluster(nodes.space, ref, node: node, base: range.base)
            let i = inner.child(covering: key &- range.base)
            range = inner.range(i, in: range)
            ref = try inner.ref(i)
        }
        throw .corrupt("a cluster tree too deep", at: ref)
    }

    /// Value of column `leafIndex` as stored; backlink cells are the raw slot as `.int`.
    func value(_ position: Position, _ leafIndex: Int) throws(RealmError) -> Value {
        guard let leaf = position.leaf else {
            return run!.columns[leafIndex]!.value(position.row)
        }
        let layout = try column(leafIndex).layout
        guard leafIndex + 1 < leaf.count, let ref = leaf.slot(leafIndex + 1).child else {
            throw .corrupt("a cluster leaf without column \(leafIndex)", in: "cluster")
        }
        if layout.type == .backlink {
            let cells = try BacklinkLeaf(nodes.space, ref)
            guard position.row < cells.count else {
                throw nodes.space.wrongShape(ref, "backlinks")
            }
            let slot = cells.slot(position.row)
            if let list = slot.child { try nodes.check(list, in: ref) }
            return .int(Int64(bitPattern: slot.raw))
        }
        let column = try ColumnLeaf(nodes.space, ref, layout, rows: position.rows)
        let value = try column.stored(position.row)
        try nodes.checkRoot(of: value, in: ref)
        return value
    }

    /// Visits all leaves in key order; they may be read while nothing changes.
    func forEachLeaf(
        _ body: (ClusterLeaf) throws(RealmError) -> Void
    ) throws(RealmError) {
        try closeRun()
        var walk = ClusterTree(space: nodes.space, root: Ref(rootSlot.pointee)).leaves()
        while let leaf = try walk.next() { try body(leaf) }
    }

    /// Visits one column's values with their objects' keys, in key order.
    func forEachValue(
        _ leafIndex: Int, _ body: (ObjectKey, Value) throws(RealmError) -> Void
    ) throws(RealmError) {
        let layout = try column(leafIndex).layout
        try forEachLeaf { (leaf) throws(RealmError) in
            let column = try leaf.column(leafIndex, layout)
            for row in 0..<leaf.count { try body(leaf.key(row), try column.stored(row)) }
        }
    }

    /// Stores a value in an object; false when there is none.
    func set(
        _ key: ObjectKey, _ leafIndex: Int, _ value: Value
    ) throws(RealmError) -> Bool {
        let raw = UInt64(bitPattern: key.raw)
        if let run, run.count > 0, raw >= run.keys[0] { try close(run) }
        let place = try makePathWritable(raw)
        let rows = try rows(place.leaf)
        guard let row = try row(raw &- place.range.base, place.leaf, rows) else { return false }
        try column(leafIndex).set(value, place.leaf.slots + leafIndex + 1, at: row, rows: rows)
        return true
    }

    /// Where an object's slot in a column of slots is, to be changed before anything else does; nil when
    /// there is no such object.
    func reachSlot(_ key: ObjectKey, _ leafIndex: Int) throws(RealmError) -> RefSlot? {
        let raw = UInt64(bitPattern: key.raw)
        if let run, run.count > 0, raw >= run.keys[0] { try close(run) }
        let place = try makePathWritable(raw)
        let rows = try rows(place.leaf)
        guard let row = try row(raw &- place.range.base, place.leaf, rows) else { return nil }
        let column = place.leaf.slots + leafIndex + 1
        try self.column(leafIndex).open(column, rows: rows)
        let slots = try nodes.ownRefs(column)
        guard row < slots.count else { throw nodes.outside(column) }
        return slots.slots + row
    }
}

extension InnerCluster {
    /// Keys child `i` is responsible for when this node is for `range`.
    @inline(__always)
    func range(_ i: Int, in range: ClusterEditor.Range) -> ClusterEditor.Range {
        ClusterEditor.Range(
            base: range.base &+ offset(i),
            end: i + 1 < childCount ? range.base &+ offset(i + 1) : range.end)
    }
}
