/// Editor of a cluster tree, which stores objects by key, with one leaf per column (object format
/// section 2).
///
/// The tree is valid after every edit. An edit copies the nodes on its path that the transaction
/// does not own, and changes the copies (`NodeMutator`). It reads no nodes outside this path, and
/// only those columns of a leaf that it changes. Confined to the writer.
final class ClusterEditor {
    let context: EditContext
    let nodes: NodeMutator
    /// Editors of the columns. The index is the column's position in a cluster leaf, its *leaf
    /// index*; nil for a position without a column.
    private(set) var columns: UnsafeMutableBufferPointer<ColumnEditor?>
    /// The leaf indexes that have a column, in ascending order.
    private(set) var used: UnsafeMutableBufferPointer<Int>
    /// Capacity of `columns` and `used`.
    private var columnCapacity: Int
    /// Address of the word that stores the ref of the tree's root.
    let rootSlot: RefSlot
    /// Inner nodes from the root to the leaf in `cachedPath`.
    let path = EditPath<Step>()
    /// The writable leaf of the last edit; nil after nodes were added or removed.
    @exclusivity(unchecked) var cachedPath: Reached?
    /// The row that the last search found, where the next search begins.
    @exclusivity(unchecked) var lastRow = 0
    /// The leaf of the last read access; nil after any node was copied.
    @exclusivity(unchecked) private var seen: Seen?
    /// Appended objects that are not yet in the tree (`Run`); nil if there are none.
    @exclusivity(unchecked) var run: Run?
    /// Statistics of how the transaction's changes are distributed over the leaves.
    @exclusivity(unchecked) var scatter = Scatter()

    /// A writable inner node, and the index of its child on the path.
    struct Step {
        let node: SlabNode
        let child: Int
    }

    /// Range of the keys that belong to a leaf: from `base` to before `end`.
    struct Range {
        /// Base of the leaf. The leaf stores keys relative to it: an object's key is the stored key
        /// plus `base`.
        var base: UInt64 = 0
        /// Lowest key that belongs to the next leaf; nil for the last leaf of the tree.
        var end: UInt64?

        @inline(__always)
        func contains(_ key: UInt64) -> Bool { key >= base && (end == nil || key < end!) }
    }

    /// A writable leaf, and its range of keys.
    struct Reached {
        let leaf: SlabNode
        let range: Range
        /// Whether all columns of the leaf are writable.
        var isOpen = false
    }

    private struct Seen {
        let leaf: ClusterLeaf
        let range: Range
    }

    /// Location of an object; valid until the next change of the tree.
    struct Position {
        /// The leaf that contains the object; nil if the object is in `ClusterEditor.run`, and in
        /// no leaf yet.
        fileprivate let leaf: NodeView?
        fileprivate let rows: Int
        let row: Int
    }

    /// Opens the tree at `root`; makes an empty tree if `root` is none.
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

    /// Writes appended objects to the tree and returns the root's ref.
    func finish() throws(RealmError) -> Ref {
        try closeRun()
        return Ref(rootSlot.pointee)
    }

    /// Discards cached leaves. Called when their nodes belong to a committed version and must no
    /// longer be changed.
    func discardCachedLocations() {
        cachedPath = nil
        seen = nil
    }

    /// Continues with the next transaction of a commit group.
    func beginTransaction() {
        discardCachedLocations()
        scatter = Scatter()
    }

    /// Called before each change of the tree. Discards the leaf of the last read access.
    func willChange() { seen = nil }

    /// Sets the editor of the column at `leafIndex`; nil after the column was removed.
    func setColumn(_ leafIndex: Int, _ editor: ColumnEditor?) {
        if leafIndex >= columns.count { addColumns(upTo: leafIndex) }
        columns[leafIndex] = editor
        setUsed(leafIndex, editor != nil)
        discardCachedLocations()
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

    /// Moves the elements to a new buffer with room for `capacity` elements.
    private static func moved<T>(
        _ old: UnsafeMutableBufferPointer<T>, _ capacity: Int
    ) -> UnsafeMutableBufferPointer<T> {
        let new = UnsafeMutableBufferPointer<T>.allocate(capacity: capacity)
        _ = new.moveInitialize(fromContentsOf: old)
        old.deallocate()
        return resized(new, old.count)
    }

    /// Returns the buffer with another count, which must not exceed its capacity.
    private static func resized<T>(
        _ buffer: UnsafeMutableBufferPointer<T>, _ count: Int
    ) -> UnsafeMutableBufferPointer<T> {
        UnsafeMutableBufferPointer(start: buffer.baseAddress, count: count)
    }

    /// Returns the editor of a column. Throws `corrupt` if there is none.
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

    /// Returns the location of the object with `key`; nil if there is none.
    func find(_ key: ObjectKey) throws(RealmError) -> Position? {
        let raw = UInt64(bitPattern: key.raw)
        if let run, run.count > 0, raw >= run.keys[0] {
            return run.row(of: raw).map { Position(leaf: nil, rows: run.count, row: $0) }
        }
        if let cachedPath, cachedPath.range.contains(raw) {
            let rows = try rows(cachedPath.leaf)
            guard let row = try row(raw &- cachedPath.range.base, cachedPath.leaf, rows) else {
                return nil
            }
            return Position(leaf: cachedPath.leaf.view, rows: rows, row: row)
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

    /// Makes the leaf of the object with `key` writable. Returns whether the object exists.
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

    /// Returns the stored value of column `leafIndex`. A backlink cell is returned as `.int` of its
    /// raw slot.
    func value(_ position: Position, _ leafIndex: Int) throws(RealmError) -> Value {
        guard let leaf = position.leaf else {
            return run!.columns[leafIndex]!.value(position.row)
        }
        let layout = try column(leafIndex).layout
        let slot = ClusterLeafShape.column(leafIndex)
        guard slot < leaf.count, let ref = leaf.slot(slot).child else {
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

    /// Calls `body` with all leaves in key order. `body` must not change the tree.
    func forEachLeaf(
        _ body: (ClusterLeaf) throws(RealmError) -> Void
    ) throws(RealmError) {
        try closeRun()
        var walk = ClusterTree(space: nodes.space, root: Ref(rootSlot.pointee)).leaves()
        while let leaf = try walk.next() { try body(leaf) }
    }

    /// Calls `body` with the key and stored value of each object in one column, in key order.
    func forEachValue(
        _ leafIndex: Int, _ body: (ObjectKey, Value) throws(RealmError) -> Void
    ) throws(RealmError) {
        let layout = try column(leafIndex).layout
        try forEachLeaf { (leaf) throws(RealmError) in
            let column = try leaf.column(leafIndex, layout)
            for row in 0..<leaf.count { try body(leaf.key(row), try column.stored(row)) }
        }
    }

    /// Stores a value in an object; returns false if there is no such object.
    func set(
        _ key: ObjectKey, _ leafIndex: Int, _ value: Value
    ) throws(RealmError) -> Bool {
        let raw = UInt64(bitPattern: key.raw)
        if let run, run.count > 0, raw >= run.keys[0] { try close(run) }
        let place = try makePathWritable(raw)
        let rows = try rows(place.leaf)
        guard let row = try row(raw &- place.range.base, place.leaf, rows) else { return false }
        let slot = place.leaf.slots + ClusterLeafShape.column(leafIndex)
        try column(leafIndex).set(value, slot, at: row, rows: rows)
        return true
    }

    /// Returns the address of an object's slot in a column whose cells are slots; nil if there is
    /// no such object. Valid until the next change.
    func reachSlot(_ key: ObjectKey, _ leafIndex: Int) throws(RealmError) -> RefSlot? {
        let raw = UInt64(bitPattern: key.raw)
        if let run, run.count > 0, raw >= run.keys[0] { try close(run) }
        let place = try makePathWritable(raw)
        let rows = try rows(place.leaf)
        guard let row = try row(raw &- place.range.base, place.leaf, rows) else { return nil }
        let column = place.leaf.slots + ClusterLeafShape.column(leafIndex)
        try self.column(leafIndex).open(column, rows: rows)
        let slots = try nodes.writableRefs(column)
        guard row < slots.count else { throw nodes.outside(column) }
        return slots.slots + row
    }
}

extension InnerCluster {
    /// Key range of child `i`; `range` is the key range of this node.
    @inline(__always)
    func range(_ i: Int, in range: ClusterEditor.Range) -> ClusterEditor.Range {
        ClusterEditor.Range(
            base: range.base &+ offset(i),
            end: i + 1 < childCount ? range.base &+ offset(i + 1) : range.end)
    }
}
