/// A table in a write transaction: its columns, objects, indexes and counters.
///
/// Changes only the table itself. Rules that concern several tables (links, deletion of embedded
/// objects, the change log) belong to `WriteTransaction`. Confined to the writer.
final class TableEditor {
    let key: TableKey
    let context: EditContext
    var name: String
    var kind: TableKind { didSet { clearShape() } }
    /// Properties, in the order of the spec, the node of the file that describes the table's
    /// columns.
    var columns: [ColumnInfo] { didSet { columnsChanged() } }
    /// Backlink columns, in the order of the spec. There they come after the properties.
    var backlinks: [BacklinkInfo] { didSet { columnsChanged() } }
    var primaryKey: ColumnKey? { didSet { primaryKeyChanged() } }
    @exclusivity(unchecked) var caches = ColumnCaches()
    @exclusivity(unchecked) var counters: TableCounters
    /// The parts of the table that the next flush must write.
    @exclusivity(unchecked) private(set) var changed: ChangedPart
    @exclusivity(unchecked) var trees: TableTrees
    @exclusivity(unchecked) private(set) var enumerated = EnumeratedColumns()
    @exclusivity(unchecked) var indexes = TableIndexes()
    @exclusivity(unchecked) var pendingBacklinks = PendingBacklinks()
    /// Keys of the objects that this transaction created, even if it also removed them. The change
    /// log does not contain changes of these objects.
    let created = UnsafeMutablePointer.holding(KeyRuns())

    /// The parts of a table that the next flush must write, because they differ from the stored
    /// nodes. With `spec`, the parts of `content` are written, too.
    enum ChangedPart: Comparable {
        case nothing
        /// Objects, indexes or counters have changed: the top array is written.
        case content
        /// Columns or the name have changed: the spec, the node that describes the columns, is
        /// written too.
        case spec
    }

    /// Opens a table of the version that the transaction started from.
    init(_ info: TableInfo, _ context: EditContext) {
        self.context = context
        (key, name, kind) = (info.key, info.name, info.kind)
        (columns, backlinks) = (info.columns, info.backlinks)
        primaryKey = info.primaryKey.map { info.columns[$0].key }
        counters = TableCounters(info)
        changed = .nothing
        trees = TableTrees(info)
        indexes = TableIndexes(info)
        enumerated = EnumeratedColumns(info, context)
        caches.info = info
    }

    /// Makes a table without columns and objects.
    init(_ key: TableKey, name: String, kind: TableKind, _ context: EditContext) {
        self.context = context
        (self.key, self.name, self.kind) = (key, name, kind)
        (columns, backlinks) = ([], [])
        counters = TableCounters()
        changed = .spec
        trees = .none
    }

    deinit {
        caches.clearShape()
        created.release()
    }

    /// Continues after a spill. Editors of trees and indexes that callers obtained before must no
    /// longer be used.
    func resume(_ info: TableInfo) {
        pendingBacklinks = PendingBacklinks()
        (columns, backlinks) = (info.columns, info.backlinks)
        trees = TableTrees(info)
        indexes.resume(info)
        enumerated = EnumeratedColumns(info, context)
        changed = .nothing
        caches.info = info
    }

    /// Continues with the next transaction of a commit group.
    func beginTransaction() {
        created.pointee = KeyRuns()
        counters.beginTransaction()
        trees.beginTransaction()
        indexes.beginTransaction()
    }

    // MARK: Changes

    /// Records that an object, an index or a counter has changed; also increments the content
    /// version.
    @inline(__always)
    func markDirty() {
        context.invalidateReaders()
        markTopDirty()
        counters.countChange()
    }

    /// Makes the next flush write the table's top array.
    @inline(__always)
    func markTopDirty() { if changed == .nothing { changed = .content } }

    /// Makes the next flush write the table's spec.
    func markSpecDirty() { changed = .spec }

    func markWritten() { changed = .nothing }

    private func columnsChanged() {
        caches.positions = ColumnPositions()
        markSpecDirty()
        clearShape()
    }

    private func clearShape() {
        context.invalidateReaders()
        caches.clearShape()
        context.schemaGeneration += 1
    }

    private func primaryKeyChanged() {
        clearShape()
        for column in columns {
            indexes.editors[column.leafIndex]?.defers = defersChanges(column)
        }
    }

    // MARK: Objects

    /// Returns the editor of the tree of objects; opens the tree if necessary.
    func clusters() throws(RealmError) -> ClusterEditor {
        if let editor = trees.objects.editor { return editor }
        let editor = try ClusterEditor(context, root: trees.objects.root, layouts: layouts())
        trees.objects.editor = editor
        return editor
    }

    /// Returns the editor of the tree of tombstones; nil if there are none.
    func tombstones() throws(RealmError) -> ClusterEditor? {
        if let editor = trees.tombstones.editor { return editor }
        if trees.tombstones.root.isNone { return nil }
        let layouts = layouts(areTombstones: true)
        let editor = try ClusterEditor(context, root: trees.tombstones.root, layouts: layouts)
        trees.tombstones.editor = editor
        return editor
    }

    /// Returns the tree that contains objects with a key like `key`: negative keys belong to
    /// tombstones.
    @inline(__always)
    func tree(of key: ObjectKey) throws(RealmError) -> ClusterEditor? {
        key.isUnresolved ? try tombstones() : try clusters()
    }

    func exists(_ key: ObjectKey) throws(RealmError) -> Bool {
        try tree(of: key)?.find(key) != nil
    }

    /// Makes the leaf of the object with `key` writable. Returns whether the object exists.
    func reaches(_ key: ObjectKey) throws(RealmError) -> Bool {
        markDirty()
        return try tree(of: key)?.reachObject(key) ?? false
    }

    /// Returns the stored value of a property; nil if there is no such object.
    func value(_ key: ObjectKey, _ column: ColumnInfo) throws(RealmError) -> Value? {
        try value(key, column.leafIndex)
    }

    func value(_ key: ObjectKey, _ leafIndex: Int) throws(RealmError) -> Value? {
        guard let tree = try tree(of: key), let position = try tree.find(key) else { return nil }
        let cell = try tree.value(position, leafIndex)
        return enumerated.isEmpty || key.isUnresolved
            ? cell : try enumerated.value(cell, leafIndex)
    }

    /// Calls `body` with the key and value of each object in one column, in key order.
    func forEachValue(
        _ column: ColumnInfo, _ body: (ObjectKey, Value) throws(RealmError) -> Void
    ) throws(RealmError) {
        guard let list = enumerated[column.leafIndex] else {
            return try clusters().forEachValue(column.leafIndex, body)
        }
        try clusters().forEachValue(column.leafIndex) { (key, cell) throws(RealmError) in
            try body(key, try list.value(cell))
        }
    }

    /// Inserts an object with the values of `row`, which are not changed. The index in `row` is the
    /// column's position in a cluster leaf (leaf index). If there is an object with `key`, returns
    /// false and changes nothing.
    @inline(__always)
    func insertNew(
        _ key: ObjectKey, _ row: UnsafeMutablePointer<Value>
    ) throws(RealmError) -> Bool {
        if enumerated.isEmpty { return try clusters().insertNew(key, row) }
        return try insertEnumerated(key, row)
    }

    private func insertEnumerated(
        _ key: ObjectKey, _ row: UnsafeMutablePointer<Value>
    ) throws(RealmError) -> Bool {
        var values: [(leafIndex: Int, value: Value)] = []
        defer { for (leafIndex, value) in values { row[leafIndex] = value } }
        for (leafIndex, list) in enumerated.lists {
            values.append((leafIndex, row[leafIndex]))
            row[leafIndex] = try list.cell(row[leafIndex])
        }
        return try clusters().insertNew(key, row)
    }

    /// Appends the objects of `batch`, whose keys must be larger than all keys in the table.
    func append(_ batch: RowBatch) throws(RealmError) {
        var columns: [ClusterEditor.Rows.Column] = []
        for (column, cells) in zip(batch.table.columns, batch.cells) {
            let list = enumerated[column.leafIndex]
            let stored = if let list { try list.cells(cells, batch.count) } else { cells }
            columns.append(.init(leafIndex: column.leafIndex, cells: stored))
        }
        try clusters().append(
            ClusterEditor.Rows(
                columns: columns, keys: batch.keys, count: batch.count, owner: batch.arena))
    }

    func setCell(_ key: ObjectKey, _ leafIndex: Int, _ value: Value) throws(RealmError) {
        guard try setIfPresent(key, leafIndex, value) else {
            throw .corrupt("object \(key.raw) does not exist", in: className)
        }
    }

    /// Stores a value; does not update indexes and backlinks. Returns false if there is no such
    /// object.
    @inline(__always)
    func setIfPresent(
        _ key: ObjectKey, _ leafIndex: Int, _ value: Value
    ) throws(RealmError) -> Bool {
        markDirty()
        let isPlain = enumerated.isEmpty || key.isUnresolved
        let cell = isPlain ? value : try enumerated.cell(value, leafIndex)
        if !key.isUnresolved, let clusters = trees.objects.editor.map(Unmanaged.passUnretained) {
            return try borrowing(clusters) { (clusters) throws(RealmError) in
                try clusters.set(key, leafIndex, cell)
            }
        }
        return try tree(of: key)?.set(key, leafIndex, cell) ?? false
    }

    /// Removes all objects, frees the nodes that their cells reference, and empties the indexes.
    func removeAll() throws(RealmError) {
        try flushBacklinks()
        try context.freeDeep(try clusters().finish())
        trees.objects = TableTrees.Tree(root: .none)
        _ = try clusters()
        for column in columns where column.index != .none { try index(column)?.clear() }
        markDirty()
    }

    // MARK: Enumerated columns

    /// Converts an enumerated column to an ordinary one.
    func expand(_ column: Int) throws(RealmError) {
        let info = columns[column]
        guard let list = enumerated[info.leafIndex] else { return }
        let expanded = info.changed(distinct: Ref.none)
        try clusters().mapColumn(info.leafIndex, to: expanded.layout) { (cell) throws(RealmError) in
            try list.value(cell)
        }
        try dropDistinct(info.leafIndex)
        columns[column] = expanded
        markDirty()
    }

    /// Whether the transaction has changed the list of distinct values of an enumerated column. A
    /// changed list is in the slab, so a spill moves it.
    func hasChangedDistinct(_ leafIndex: Int) -> Bool {
        enumerated[leafIndex].map { context.slab.contains($0.root) } ?? false
    }

    /// Removes and returns the list of distinct values of an enumerated column, because the caller
    /// converts the column leaf by leaf. Returns nil, without a change, if the column is not
    /// enumerated or if the transaction has changed the list.
    func takeDistinct(_ leafIndex: Int) -> DistinctList? {
        if hasChangedDistinct(leafIndex) { return nil }
        return enumerated.remove(leafIndex)
    }

    /// Frees the list of distinct values of a column that is removed or no longer enumerated.
    func dropDistinct(_ leafIndex: Int) throws(RealmError) {
        guard let list = enumerated.remove(leafIndex) else { return }
        try context.freeDeep(list.root)
    }

    /// Stores the refs of changed lists of distinct values in `columns`.
    func flushDistinct() {
        for (i, column) in columns.enumerated() {
            guard let list = enumerated[column.leafIndex], list.root != column.distinct else {
                continue
            }
            columns[i] = column.changed(distinct: list.root)
        }
    }
}
