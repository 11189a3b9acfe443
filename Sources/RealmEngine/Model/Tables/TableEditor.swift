/// A table during a write transaction: its columns, objects, indexes and counters.
///
/// Holds structure only; rules that span tables (links, cascades, the change log) belong to
/// `WriteTransaction`. Confined to the writer.
final class TableEditor {
    let key: TableKey
    var name: String
    var kind: TableKind { didSet { forgetShape() } }
    /// Properties in spec order.
    var columns: [ColumnInfo] { didSet { changeSpec() } }
    /// Incoming ends of links, in spec order after the properties.
    var backlinks: [BacklinkInfo] { didSet { changeSpec() } }
    var primaryKey: ColumnKey? {
        didSet {
            forgetShape()
            for column in columns { indexes[column.leafIndex]?.defers = defers(column) }
        }
    }
    private var knownShape: RowShape?
    private var knownFields: UnsafeMutableBufferPointer<RowShape.Field>?
    /// What readers were told last; nil once the columns changed.
    private var knownInfo: TableInfo?
    private var known = ColumnPositions()
    var nextSequenceNumber: UInt64
    var columnCounter: UInt64
    var contentVersion: UInt64
    private(set) var collisions: Ref
    /// The directory's names or this table's spec changed.
    var isSpecDirty: Bool
    private(set) var isDirty: Bool
    /// The content version has grown for this transaction.
    private var isCounted = false

    let context: EditContext
    private(set) var top: Ref
    private var root: Ref
    private var tombstoneRoot: Ref
    private var loadedClusters: ClusterEditor?
    private var loadedTombstones: ClusterEditor?
    /// What the cells of enumerated columns stand for, by leaf index.
    private var distinctLists: [Int: DistinctList] = [:]
    /// There are some.
    private var isEnumerated = false
    private var indexes: [Int: IndexEditor] = [:]
    /// Ref of each leaf index's search index as last written.
    private var indexRoots: [Int: Ref] = [:]
    /// Incoming links that are not stored yet, by leaf index.
    @exclusivity(unchecked) var backlinkQueues: [BacklinkQueue?] = []
    /// Some queue is not empty.
    @exclusivity(unchecked) var hasQueuedBacklinks = false
    /// What indexes have waiting when the table is written out in the middle of a transaction, by leaf
    /// index.
    private var waitingIntegers: [Int: WaitingIntegers] = [:]
    /// Backlink lists opened for editing.
    @exclusivity(unchecked) var backlinkLists: [BacklinkCell: BacklinkList] = [:]
    /// Objects created in this transaction, which may have been removed since; the change log omits their
    /// changes.
    let created = UnsafeMutablePointer.holding(KeyRuns())

    struct BacklinkCell: Hashable {
        let leafIndex: Int
        let key: ObjectKey
    }

    /// A table that exists in the base version.
    init(_ info: TableInfo, _ context: EditContext) {
        key = info.key
        name = info.name
        kind = info.kind
        columns = info.columns
        backlinks = info.backlinks
        primaryKey = info.primaryKey.map { info.columns[$0].key }
        nextSequenceNumber = info.nextSequenceNumber
        columnCounter = info.columnCounter
        contentVersion = info.contentVersion
        collisions = info.collisions
        isSpecDirty = false
        isDirty = false
        top = info.top
        root = info.root
        tombstoneRoot = info.tombstones
        self.context = context
        note(info)
    }

    private func note(_ info: TableInfo) {
        knownInfo = info
        for column in info.columns where !column.indexRoot.isNone {
            indexRoots[column.leafIndex] = column.indexRoot
        }
        for column in info.columns where !column.distinct.isNone {
            distinctLists[column.leafIndex] = DistinctList(column.layout, context)
            isEnumerated = true
        }
    }

    /// Continues with what the file holds after all changes have been written there: editors of trees
    /// and indexes that were handed out before are of no use any more.
    func resume(_ info: TableInfo) {
        for (leafIndex, editor) in indexes { waitingIntegers[leafIndex] = editor.waiting }
        (indexes, indexRoots, distinctLists, isEnumerated) = ([:], [:], [:], false)
        (loadedClusters, loadedTombstones) = (nil, nil)
        (backlinkQueues, hasQueuedBacklinks, backlinkLists) = ([], false, [:])
        (columns, backlinks) = (info.columns, info.backlinks)
        (top, root, tombstoneRoot) = (info.top, info.root, info.tombstones)
        collisions = info.collisions
        (isSpecDirty, isDirty) = (false, false)
        note(info)
    }

    /// A new, empty table.
    init(_ key: TableKey, name: String, kind: TableKind, _ context: EditContext) {
        self.key = key
        self.name = name
        self.kind = kind
        self.context = context
        columns = []
        backlinks = []
        nextSequenceNumber = 0
        columnCounter = 0
        contentVersion = 0
        collisions = .none
        isSpecDirty = true
        isDirty = true
        top = .none
        root = .none
        tombstoneRoot = .none
    }

    deinit {
        knownFields?.deallocate()
        created.release()
    }

    /// Another transaction of a group goes on with the editor.
    func beginTransaction() {
        created.pointee = KeyRuns()
        isCounted = false
        loadedClusters?.beginTransaction()
        loadedTombstones?.beginTransaction()
        for index in indexes.values { index.forgetPlaces() }
    }

    /// Something below the table changed: its top is rewritten and its content version grows.
    @inline(__always)
    func markDirty() {
        context.outdateReaders()
        isDirty = true
        if isCounted { return }
        isCounted = true
        contentVersion += 1
    }

    // MARK: Columns

    var isClass: Bool { name.hasPrefix(TableInfo.classPrefix) }

    /// As users know the table: messages never show stored names.
    var className: String { TableInfo.className(of: name) }

    func columnIndex(_ key: ColumnKey) -> Int? { columns.firstIndex { $0.key == key } }
    func columnIndex(named name: String) -> Int? { known.position(of: name, in: columns) }

    /// The incoming end of the links of a property.
    func backlink(from origin: TableKey, _ column: ColumnKey) -> BacklinkInfo? {
        known.position(of: column, in: origin, among: backlinks).map { backlinks[$0] }
    }

    /// Adds a property at the end. The others are found as fast as before, which another change of
    /// `columns` does not promise.
    func append(_ column: ColumnInfo) {
        known.add(column, at: columns.count)
        keepingKnown { columns.append(column) }
    }

    /// Adds an incoming end of links, likewise.
    func append(_ backlink: BacklinkInfo) {
        known.add(backlink, at: backlinks.count)
        keepingKnown { backlinks.append(backlink) }
    }

    /// Gives a property another name, which no property has.
    func rename(_ column: Int, to name: String) {
        known.rename(columns[column].name, to: name, count: columns.count)
        keepingKnown { columns[column] = columns[column].changed(name: name) }
    }

    /// Completes the property added last, whose name and leaf index stay the same.
    func replaceLast(_ column: ColumnInfo) {
        keepingKnown { columns[columns.count - 1] = column }
    }

    /// Changes columns so that what is known of them stays true.
    private func keepingKnown(_ change: () -> Void) {
        let known = known
        change()
        self.known = known
    }

    var primaryKeyIndex: Int? { primaryKey.flatMap { columnIndex($0) } }

    /// The lowest leaf index no column uses.
    var freeLeafIndex: Int {
        // Mostly none was ever removed.
        let count = leafIndexCount
        if count == columns.count + backlinks.count { return count }
        let used = Set(columns.map(\.leafIndex) + backlinks.map(\.leafIndex))
        return (0...).first { !used.contains($0) }!
    }

    /// One more than the highest leaf index a column uses.
    var leafIndexCount: Int { known.leafIndexCount(columns, backlinks) }

    private func layouts() -> [LeafLayout?] {
        var layouts = [LeafLayout?](repeating: nil, count: leafIndexCount)
        for column in columns {
            let isEnumerated = distinctLists[column.leafIndex] != nil
            layouts[column.leafIndex] = isEnumerated ? DistinctList.cells : column.layout
        }
        for backlink in backlinks { layouts[backlink.leafIndex] = Self.backlinkLayout }
        return layouts
    }

    static let backlinkLayout = LeafLayout(
        type: .backlink, isNullable: false, collection: nil, target: .none, distinct: .none,
        hasIntegerKeys: false)

    // MARK: Objects

    /// How rows of the table are made.
    func shape() throws(RealmError) -> RowShape {
        if let knownShape, knownShape.generation == context.schemaGeneration { return knownShape }
        let fresh = try RowShape(self)
        knownShape = fresh
        return fresh
    }

    /// What has to be known of each property to set it; until the columns change.
    @inline(__always)
    func fields() -> UnsafeMutableBufferPointer<RowShape.Field> {
        if let knownFields { return knownFields }
        let fresh = UnsafeMutableBufferPointer<RowShape.Field>.allocate(capacity: columns.count)
        _ = fresh.initialize(from: columns.map { RowShape.Field($0, of: self) })
        knownFields = fresh
        return fresh
    }

    private func changeSpec() {
        known = ColumnPositions()
        isSpecDirty = true
        forgetShape()
    }

    private func forgetShape() {
        context.outdateReaders()
        knownInfo = nil
        knownShape = nil
        knownFields?.deallocate()
        knownFields = nil
        context.schemaGeneration += 1
    }

    func clusters() throws(RealmError) -> ClusterEditor {
        if let loadedClusters { return loadedClusters }
        let editor = try ClusterEditor(context, root: root, layouts: layouts())
        loadedClusters = editor
        return editor
    }

    func tombstones() throws(RealmError) -> ClusterEditor? {
        if let loadedTombstones { return loadedTombstones }
        if tombstoneRoot.isNone { return nil }
        let editor = try ClusterEditor(context, root: tombstoneRoot, layouts: layouts())
        loadedTombstones = editor
        return editor
    }

    /// The tree that holds `key`: tombstones have negative keys.
    @inline(__always)
    func tree(of key: ObjectKey) throws(RealmError) -> ClusterEditor? {
        key.isUnresolved ? try tombstones() : try clusters()
    }

    func exists(_ key: ObjectKey) throws(RealmError) -> Bool {
        try tree(of: key)?.find(key) != nil
    }

    /// As above for an object that is going to change.
    func reaches(_ key: ObjectKey) throws(RealmError) -> Bool {
        markDirty()
        return try tree(of: key)?.reachObject(key) ?? false
    }

    /// Value of a property as stored; nil when there is no such object.
    func value(_ key: ObjectKey, _ column: ColumnInfo) throws(RealmError) -> Value? {
        try value(key, column.leafIndex)
    }

    func value(_ key: ObjectKey, _ leafIndex: Int) throws(RealmError) -> Value? {
        guard let tree = try tree(of: key), let position = try tree.find(key) else { return nil }
        let cell = try tree.value(position, leafIndex)
        return isEnumerated ? try distinctLists[leafIndex]?.value(cell) ?? cell : cell
    }

    /// Visits a column's values with their objects' keys, in key order.
    func forEachValue(
        _ column: ColumnInfo, _ body: (ObjectKey, Value) throws(RealmError) -> Void
    ) throws(RealmError) {
        guard let list = distinctLists[column.leafIndex] else {
            return try clusters().forEachValue(column.leafIndex, body)
        }
        try clusters().forEachValue(column.leafIndex) { (key, cell) throws(RealmError) in
            try body(key, try list.value(cell))
        }
    }

    /// Adds an object; `row` holds its values by leaf index, and does so afterwards. False, with nothing
    /// done, when the key exists.
    @inline(__always)
    func insertNew(
        _ key: ObjectKey, _ row: UnsafeMutablePointer<Value>
    ) throws(RealmError) -> Bool {
        if !isEnumerated { return try clusters().insertNew(key, row) }
        return try insertEnumerated(key, row)
    }

    private func insertEnumerated(
        _ key: ObjectKey, _ row: UnsafeMutablePointer<Value>
    ) throws(RealmError) -> Bool {
        var values: [(leafIndex: Int, value: Value)] = []
        defer { for (leafIndex, value) in values { row[leafIndex] = value } }
        for (leafIndex, list) in distinctLists {
            values.append((leafIndex, row[leafIndex]))
            row[leafIndex] = try list.cell(row[leafIndex])
        }
        return try clusters().insertNew(key, row)
    }

    /// Adds objects behind all others; `cells` are those of the columns, in their order.
    func append(_ batch: RowBatch) throws(RealmError) {
        var columns: [ClusterEditor.Rows.Column] = []
        for (column, cells) in zip(batch.table.columns, batch.cells) {
            let list = distinctLists[column.leafIndex]
            let stored = if let list { try list.cells(cells, batch.count) } else { cells }
            columns.append(.init(leafIndex: column.leafIndex, cells: stored))
        }
        try clusters().append(
            ClusterEditor.Rows(
                columns: columns, keys: batch.keys, count: batch.count, owner: batch))
    }

    func setCell(_ key: ObjectKey, _ leafIndex: Int, _ value: Value) throws(RealmError) {
        guard try setIfThere(key, leafIndex, value) else {
            throw .corrupt("object \(key.raw) does not exist", in: className)
        }
    }

    /// Stores a value without any of its consequences; false when there is no such object.
    @inline(__always)
    func setIfThere(
        _ key: ObjectKey, _ leafIndex: Int, _ value: Value
    ) throws(RealmError) -> Bool {
        markDirty()
        let cell = isEnumerated ? try cell(value, leafIndex) : value
        if !key.isUnresolved, let clusters = loadedClusters.map(Unmanaged.passUnretained) {
            return try borrowing(clusters) { (clusters) throws(RealmError) in
                try clusters.set(key, leafIndex, cell)
            }
        }
        return try tree(of: key)?.set(key, leafIndex, cell) ?? false
    }

    private func cell(_ value: Value, _ leafIndex: Int) throws(RealmError) -> Value {
        try distinctLists[leafIndex]?.cell(value) ?? value
    }

    // MARK: Enumerated columns

    /// Writes an enumerated column as an ordinary one.
    func expand(_ column: Int) throws(RealmError) {
        let info = columns[column]
        guard let list = distinctLists[info.leafIndex] else { return }
        let expanded = info.changed(distinct: Ref.none)
        try clusters().mapColumn(info.leafIndex, to: expanded.layout) { (cell) throws(RealmError) in
            try list.value(cell)
        }
        try dropDistinct(info.leafIndex)
        columns[column] = expanded
        isSpecDirty = true
        markDirty()
    }

    /// Lets go of the values of a column that goes, or is enumerated no longer.
    func dropDistinct(_ leafIndex: Int) throws(RealmError) {
        guard let list = distinctLists.removeValue(forKey: leafIndex) else { return }
        isEnumerated = !distinctLists.isEmpty
        try context.freeDeep(list.root)
    }

    /// The columns name the lists where they are now.
    private func settleDistinct() {
        for (i, column) in columns.enumerated() {
            guard let list = distinctLists[column.leafIndex], list.root != column.distinct else {
                continue
            }
            columns[i] = column.changed(distinct: list.root)
            isSpecDirty = true
        }
    }

    // MARK: Indexes

    /// The editor of a column's index, nil for columns without one.
    func index(_ column: ColumnInfo) throws(RealmError) -> IndexEditor? {
        if column.index == .none { return nil }
        if let editor = indexes[column.leafIndex] { return editor }
        let editor = try IndexEditor(
            context: context, root: indexRoots[column.leafIndex] ?? .none,
            kind: column.holdsWords ? .fullText : .general,
            waiting: waitingIntegers[column.leafIndex] ?? boundWaiting(column.leafIndex),
            defers: defers(column)
        ) { [unowned self] key throws(RealmError) in
            try self.value(key, column)?.indexed
        }
        indexes[column.leafIndex] = editor
        return editor
    }

    /// The index of the primary key is read for each new object.
    private func defers(_ column: ColumnInfo) -> Bool { column.key != primaryKey }

    private func boundWaiting(_ leafIndex: Int) -> WaitingIntegers? {
        let place = IntegerBounds.Place(table: key, leafIndex: leafIndex)
        return context.bounds[place].map { WaitingIntegers(largest: $0) }
    }

    /// What no integer of each index goes beyond, as far as that is known.
    func bounds() -> [(IntegerBounds.Place, Int64)] {
        indexes.compactMap { (leafIndex, editor) in
            editor.waiting.largest.map { (.init(table: key, leafIndex: leafIndex), $0) }
        }
    }

    /// The index entries of an object's column follow its value; `old` is nil for a new object,
    /// `new` for one that goes.
    func changeIndex(
        _ column: ColumnInfo, _ key: ObjectKey, from old: Value?, to new: Value?
    ) throws(RealmError) {
        guard let index = try index(column) else { return }
        if column.collection != nil {
            for word in try old.map(words) ?? [] { try index.remove(word: word, key) }
            for word in try new.map(words) ?? [] { try index.insert(word: word, key) }
            return
        }
        switch (old?.indexed, new?.indexed) {
        case (let old?, let new?): try index.change(from: old, to: new, key)
        case (nil, let new?): try index.insert(new, key)
        case (let old?, nil): try index.remove(old, key)
        case (nil, nil): break
        }
    }

    /// An object that goes leaves all indexes.
    ///
    /// - Parameter later: others follow, with which it may leave them in the order of each index.
    func removeFromIndexes(
        _ key: ObjectKey, _ shape: RowShape, later: Bool
    ) throws(RealmError) {
        for index in shape.indexes {
            let value = try value(key, index.leafIndex)!.indexed
            if later {
                try index.editor.removeLater(value, key)
            } else {
                try index.editor.remove(value, key)
            }
        }
        for i in shape.indexedCollections { try removeFromIndex(of: columns[i], key) }
    }

    @inline(never)
    private func removeFromIndex(
        of column: ColumnInfo, _ key: ObjectKey
    ) throws(RealmError) {
        try changeIndex(column, key, from: value(key, column), to: nil)
    }

    /// The distinct strings of an indexed list.
    private func words(_ list: Value) throws(RealmError) -> [ByteView] {
        guard case .list(let view) = list else { return [] }
        var cursor = ElementCursor(context.space, view)
        var words: [ByteView] = []
        while let element = try cursor.nextStored() {
            if case .string(let word) = element { words.append(word) }
        }
        words.sort { ByteView.compare($0, $1) < 0 }
        var distinct: [ByteView] = []
        for word in words where distinct.last.map({ !($0 == word) }) ?? true {
            distinct.append(word)
        }
        return distinct
    }

    /// Replaces what a column's index holds by the values of all objects: for a new index, and when
    /// an entry was not where the values say (object format 13, defects 5 and 6).
    func fillIndex(_ column: ColumnInfo) throws(RealmError) {
        guard let editor = try index(column) else { return }
        let builder = IndexBuilder(context, kind: column.holdsWords ? .fullText : .general)
        try forEachValue(column) { (key, value) throws(RealmError) in
            if column.collection != nil {
                for word in try self.words(value) { builder.add(word: word, key) }
            } else {
                try builder.add(value.indexed, key)
            }
        }
        try editor.rebuild(builder)
    }

    /// Empties a column's index, to which the objects are added one by one.
    func beginIndex(_ column: ColumnInfo) throws(RealmError) {
        try index(column)?.clear()
        try index(column)?.defersWords()
    }

    /// Adds an object to a new index.
    func addToIndex(_ column: ColumnInfo, _ key: ObjectKey) throws(RealmError) {
        markDirty()
        try changeIndex(column, key, from: nil, to: value(key, column))
    }

    /// Removes all objects, with all nodes that their cells refer to, and empties the indexes.
    func removeAll() throws(RealmError) {
        try settleBacklinks()
        try context.freeDeep(try clusters().finish())
        loadedClusters = nil
        root = .none
        _ = try clusters()
        for column in columns where column.index != .none { try index(column)?.clear() }
        markDirty()
    }

    /// Forgets a column's index and lets go of its nodes.
    func dropIndex(_ leafIndex: Int) throws(RealmError) {
        waitingIntegers[leafIndex] = nil
        context.bounds[.init(table: key, leafIndex: leafIndex)] = nil
        if let editor = indexes.removeValue(forKey: leafIndex) {
            try context.freeDeep(editor.root)
        } else if let ref = indexRoots[leafIndex] {
            try context.freeDeep(ref)
        }
        indexRoots[leafIndex] = nil
    }

    /// Adds a part of what waits for an index where that is much; false when there is nothing left.
    ///
    /// - Parameters:
    ///   - onlyMost: what takes little memory goes on waiting.
    ///   - changes: changes that wait do so no longer.
    func settleSomeWaiting(onlyMost: Bool, changes: Bool) throws(RealmError) -> Bool {
        for column in columns where column.index != .none {
            guard
                let waiting = indexes[column.leafIndex]?.waiting
                    ?? waitingIntegers[column.leafIndex]
            else { continue }
            let isMuch = onlyMost ? waiting.isLarge : waiting.count > IndexEditor.portion
            guard isMuch || (changes && waiting.hasChanges), let editor = try index(column) else {
                continue
            }
            if isMuch {
                try editor.settleSome(of: try clusters().objectCount())
            } else {
                try editor.settleSomeChanges()
            }
            markDirty()
            return true
        }
        return false
    }

    // MARK: Reading

    /// Stores what waits, so that the trees hold all there is.
    ///
    /// - Parameter isComplete: false when the transaction goes on and nobody reads the indexes.
    func flushPending(isComplete: Bool) throws(RealmError) {
        if hasQueuedBacklinks || !backlinkLists.isEmpty { try settleBacklinks() }
        if isEnumerated { settleDistinct() }
        if isComplete, !waitingIntegers.isEmpty {
            for column in columns where waitingIntegers[column.leafIndex] != nil {
                _ = try index(column)
            }
            waitingIntegers = [:]
            if indexes.values.contains(where: { $0.isWaiting }) { isDirty = true }
        }
        guard isDirty || isSpecDirty else { return }
        if top.isNone { _ = try clusters() }
        if let loadedClusters { root = try loadedClusters.finish() }
        if let loadedTombstones { tombstoneRoot = try loadedTombstones.finish() }
        for (leafIndex, editor) in indexes {
            if isComplete { try editor.settleWaiting() }
            if editor.isStale, let column = columns.first(where: { $0.leafIndex == leafIndex }) {
                try fillIndex(column)
            }
            indexRoots[leafIndex] = try editor.finish(keepsWaiting: !isComplete)
        }
    }

    /// The table as it is now, once everything is settled: the same object as before if nothing of it
    /// is elsewhere.
    func info() throws(RealmError) -> TableInfo {
        let known =
            knownInfo
            ?? TableInfo(
                key: key, name: name, columns: columns, backlinks: backlinks,
                primaryKey: primaryKeyIndex,
                origin: TableInfo.Origin(spec: .none, targets: .none, targetColumns: .none), state)
        let isSame =
            knownInfo != nil && known.root == root && known.tombstones == tombstoneRoot
            && known.name == name && known.nextSequenceNumber == nextSequenceNumber
            && known.contentVersion == contentVersion
            && known.columns.allSatisfy {
                $0.index == .none || $0.indexRoot == indexRoots[$0.leafIndex] ?? .none
            }
        if isSame { return known }
        let fresh = TableInfo(known, name: name, state) { self.indexRoots[$0] ?? .none }
        knownInfo = fresh
        return fresh
    }

    private var state: TableInfo.State {
        TableInfo.State(
            kind: kind, contentVersion: contentVersion, nextSequenceNumber: nextSequenceNumber,
            columnCounter: columnCounter, collisions: collisions, root: root,
            tombstones: tombstoneRoot, top: top)
    }

    // MARK: Writing

    /// Writes what changed and returns the ref of the table's top.
    ///
    /// - Parameter isComplete: false when the transaction goes on and nobody reads the indexes.
    func flush(isComplete: Bool = true) throws(RealmError) -> Ref {
        try flushPending(isComplete: isComplete)
        guard isDirty || isSpecDirty else { return top }
        if isComplete, let loadedClusters {
            try loadedClusters.divideScattered()
            root = try loadedClusters.finish()
        }
        let old = top.isNone ? nil : try context.space.node(top)
        if let old { try freeParts(old) }
        top = try TableTopWriter(
            table: self, root: root, tombstones: tombstoneRoot, indexRoots: indexRoots,
            oldSpec: isSpecDirty ? nil : old.map { $0.slot(0).ref },
            oldTargets: isSpecDirty ? nil : old.map { ($0.slot(7).ref, $0.slot(8).ref) }
        ).write()
        isDirty = false
        isSpecDirty = false
        return top
    }

    /// Lets go of the old top, its index array and, when it changed, its spec.
    private func freeParts(_ old: NodeView) throws(RealmError) {
        if let indexes = old.slot(4).child { try context.free(indexes) }
        if isSpecDirty {
            if let spec = old.slot(0).child { try freeSpec(spec) }
            for slot in [7, 8] { if let ref = old.slot(slot).child { try context.free(ref) } }
        }
        try context.free(top)
    }

    private func freeSpec(_ spec: Ref) throws(RealmError) {
        let node = try context.space.node(spec)
        for i in [0, 1, 2, 4, 5] {
            if let child = node.slot(i).child { try context.free(child) }
        }
        try context.free(spec)
    }
}
