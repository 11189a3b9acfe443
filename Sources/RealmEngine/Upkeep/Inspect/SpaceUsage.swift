/// Space used by one version, by property and by index, and space outside of objects.
///
/// Visits every node once. Confined to the snapshot's thread.
public struct SpaceUsage {
    /// A property and the space it uses.
    public struct Column: Sendable {
        public let className: String
        public let name: String
        /// Kind of the property in one word: `string`, `link`, `list`.
        package let kind: String
        public let objects: Int
        /// Number of bytes of the property's leaves and collections.
        public var bytes: UInt64 = 0
        /// Number of bytes of the property's search index, and of the backlinks of its links.
        public var indexBytes: UInt64 = 0
        package var backlinkBytes: UInt64 = 0
        package var isFullText = false
        package var isEnumerated = false
        /// Minimum number of bytes that would be saved if the property's leaves stored indexes in a
        /// list of its distinct values (`Enumeration`). Nil if that would save none or is
        /// impossible.
        package var enumerationSaves: UInt64?
    }

    /// One of the largest values of the database, with its location.
    package struct LargeValue: Sendable {
        package let className: String
        package let property: String
        package let key: ObjectKey
        package let bytes: UInt64
    }

    public private(set) var columns: [Column] = []
    /// For each class, the space that belongs to no property: object keys, specs and unused slots.
    public private(set) var overhead: [(className: String, objects: Int, bytes: UInt64)] = []
    public private(set) var historyBytes: UInt64 = 0
    package private(set) var historyEntries = 0
    package private(set) var freeListBytes: UInt64 = 0
    package private(set) var freeListEntries = 0
    /// Total size of the free chunks in bytes.
    public private(set) var freeBytes: UInt64 = 0
    /// Number of bytes of the header, the root, the table names, and the array of table roots.
    package private(set) var directoryBytes: UInt64 = 0
    private var largest: [LargeValue] = []
    /// Size in bytes that a value must exceed to be added to `largest`.
    private var smallestKept: UInt64 = 0

    private let snapshot: Snapshot
    private let most: Int
    /// Number of bytes of nodes that may still be counted: the size of the version less the bytes
    /// counted so far. If the next node is larger, the measurement throws, so it ends in a damaged
    /// tree with a cycle.
    private var left: UInt64
    /// Number of bytes of backlinks, by the linking property.
    private var backlinks: [Origin: UInt64] = [:]
    /// For each property, the index of its result in `columns`.
    private var places: [Origin: Int] = [:]

    /// Memory limit in bytes for the distinct values of one column.
    private static let enumerationMemory = 16 << 20

    private struct Origin: Hashable {
        let table: TableKey
        let column: ColumnKey
    }

    /// Measures the version of `snapshot` and finds its `most` largest values. Throws `corrupt`.
    public init(_ snapshot: Snapshot, largest most: Int = 0) throws(RealmError) {
        self.snapshot = snapshot
        self.most = most
        left = snapshot.state.limit
        guard let top = snapshot.state.top else { return }
        if snapshot.state.legacy != nil {
            throw Database.oldFormat(snapshot.state.format, notFor: "measured")
        }
        directoryBytes = UInt64(RawHeader.size) + (try own(top.ref)) + (try tree(top.names))
        directoryBytes += try own(top.tables)
        for info in snapshot.schema.tables { try add(info) }
        assignBacklinks()
        for info in snapshot.schema.tables { try addSavings(info) }
        try addStorage(top)
        largest.order { $0.bytes > $1.bytes }
    }

    private mutating func addStorage(_ top: TopArray) throws(RealmError) {
        historyBytes = try tree(top.history)
        if top.historyType == 2, !top.history.isNone {
            let element = ElementType(type: .binary, isNullable: true)
            historyEntries = try ElementCursor.count(
                snapshot.lookup, CollectionView(root: top.history, element: element))
        }
        for ref in [top.freePositions, top.freeLengths, top.freeVersions] {
            freeListBytes += try tree(ref)
        }
        let chunks = try FreeSpace.chunks(snapshot.lookup, top)
        freeListEntries = chunks.count
        freeBytes = chunks.reduce(0) { $0 + $1.count }
    }

    // MARK: Nodes

    private mutating func charge(_ node: NodeView, _ ref: Ref) throws(RealmError) -> UInt64 {
        let size = UInt64(node.byteSize)
        guard size <= left else { throw snapshot.lookup.exhausted(ref) }
        left -= size
        return size
    }

    /// Returns the size of one node in bytes, and charges it to the read budget.
    private mutating func own(_ ref: Ref) throws(RealmError) -> UInt64 {
        ref.isNone ? 0 : try charge(try snapshot.lookup.node(ref), ref)
    }

    /// Returns the total size in bytes of a node and of all nodes below it.
    private mutating func tree(_ ref: Ref) throws(RealmError) -> UInt64 {
        if ref.isNone { return 0 }
        var total: UInt64 = 0
        var pending = [ref]
        while let ref = pending.popLast() {
            let node = try snapshot.lookup.node(ref)
            total += try charge(node, ref)
            guard node.hasRefs else { continue }
            for i in 0..<node.count {
                if let child = node.slot(i).child { pending.append(child) }
            }
        }
        return total
    }

    // MARK: Tables

    private mutating func add(_ info: TableInfo) throws(RealmError) {
        let table = snapshot.table(info)
        let objects = try table.count()
        let first = columns.count
        for column in info.columns {
            places[Origin(table: info.key, column: column.key)] = columns.count
            columns.append(
                Column(
                    className: info.className, name: column.name, kind: Self.kind(column),
                    objects: objects, isFullText: column.index == .fullText,
                    isEnumerated: !column.distinct.isNone))
        }
        let before = left
        let linksBefore = backlinks.values.reduce(0, +)
        let top = try snapshot.lookup.refNode(info.top, slots: TableShape.minimumCount, "table")
        _ = try own(info.top)
        for i in 0..<top.count where i != TableShape.objects && i != TableShape.indexes {
            if let child = top.slot(i).child { _ = try tree(child) }
        }
        if let indexes = top.slot(TableShape.indexes).child { try addIndexes(indexes, info, first) }
        try addClusters(info, first)
        let links = backlinks.values.reduce(0, +) - linksBefore
        let counted = columns[first...].reduce(links) { $0 + $1.bytes + $1.indexBytes }
        let all = before - left
        overhead.append((info.className, objects, all > counted ? all - counted : 0))
    }

    private static func kind(_ column: ColumnInfo) -> String {
        column.collection?.rawValue ?? column.type.name
    }

    private mutating func addIndexes(
        _ ref: Ref, _ info: TableInfo, _ first: Int
    ) throws(RealmError) {
        _ = try own(ref)
        let node = try snapshot.lookup.refNode(ref, slots: 0, "indexes")
        for i in 0..<node.count {
            guard let child = node.slot(i).child else { continue }
            let bytes = try tree(child)
            if let column = info.columns.firstIndex(where: { $0.leafIndex == i }) {
                columns[first + column].indexBytes += bytes
            }
        }
    }

    private mutating func addClusters(_ info: TableInfo, _ first: Int) throws(RealmError) {
        var pending = [(ref: info.root, base: UInt64(0), depth: 0)]
        while let (ref, base, depth) = pending.popLast() {
            let node = try snapshot.lookup.treeNode(
                ref, slots: ClusterLeafShape.minimumCount, "cluster")
            guard depth <= ClusterTree.maximumDepth else { throw snapshot.lookup.exhausted(ref) }
            guard node.isInner else {
                try addLeaf(ref, node, base, info, first)
                continue
            }
            _ = try own(ref)
            let inner = try InnerCluster(snapshot.lookup, ref, node: node, base: base)
            if let offsets = node.slot(InnerClusterShape.offsets).child { _ = try tree(offsets) }
            for i in 0..<inner.childCount {
                guard let child = node.slot(InnerClusterShape.child(i)).child else { continue }
                pending.append((child, base &+ inner.offset(i), depth + 1))
            }
        }
    }

    private mutating func addLeaf(
        _ ref: Ref, _ node: NodeView, _ base: UInt64, _ info: TableInfo, _ first: Int
    ) throws(RealmError) {
        _ = try own(ref)
        if let keys = node.slot(ClusterLeafShape.keys).child { _ = try tree(keys) }
        let leaf = try ClusterLeaf(snapshot.lookup, ref, node: node, base: base)
        for (i, column) in info.columns.enumerated() {
            let ref = try leaf.columnRef(column.leafIndex)
            columns[first + i].bytes += try tree(ref)
            if most > 0 { try findLarge(leaf, ref, column, info) }
        }
        for backlink in info.backlinks {
            let bytes = try tree(try leaf.columnRef(backlink.leafIndex))
            backlinks[
                Origin(table: backlink.origin, column: backlink.originColumn), default: 0] += bytes
        }
    }

    private mutating func addSavings(_ info: TableInfo) throws(RealmError) {
        let found = try Enumeration.smaller.values(
            snapshot.table(info), maxMemory: Self.enumerationMemory)
        for (index, values) in found {
            let origin = Origin(table: info.key, column: info.columns[index].key)
            if let place = places[origin] {
                columns[place].enumerationSaves = UInt64(clamping: values.saving)
            }
        }
    }

    private mutating func assignBacklinks() {
        for (origin, bytes) in backlinks {
            if let place = places[origin] { columns[place].backlinkBytes = bytes }
        }
    }

    // MARK: Large values

    private mutating func findLarge(
        _ leaf: ClusterLeaf, _ ref: Ref, _ column: ColumnInfo, _ info: TableInfo
    ) throws(RealmError) {
        guard column.collection == nil else {
            let cells = try snapshot.lookup.refNode(ref, slots: leaf.count, "collections")
            for row in 0..<leaf.count {
                guard let root = cells.slot(row).child else { continue }
                // The nodes below `root` were counted with the leaf, so restore the budget after
                // walking over them again.
                let (budget, bytes) = (left, try recounted(root))
                left = budget
                note(bytes, leaf.key(row), column, info)
            }
            return
        }
        guard [.string, .binary, .mixed].contains(column.type) else { return }
        let values = try ColumnLeaf(snapshot.lookup, ref, column.layout, rows: leaf.count)
        for row in 0..<leaf.count {
            switch try values.value(row) {
            case .string(let view), .binary(let view):
                note(UInt64(view.count), leaf.key(row), column, info)
            default: break
            }
        }
    }

    private mutating func recounted(_ root: Ref) throws(RealmError) -> UInt64 {
        left = snapshot.state.limit
        return try tree(root)
    }

    private mutating func note(
        _ bytes: UInt64, _ key: ObjectKey, _ column: ColumnInfo, _ info: TableInfo
    ) {
        if bytes <= smallestKept { return }
        if largest.count >= 2 * most {
            largest.order { $0.bytes > $1.bytes }
            largest.removeLast(largest.count - most)
            smallestKept = largest[most - 1].bytes
        }
        largest.append(
            LargeValue(
                className: info.className, property: column.name, key: key, bytes: bytes))
    }

    /// Up to `most` largest values, largest first.
    package var largestValues: ArraySlice<LargeValue> { largest.prefix(most) }
}
