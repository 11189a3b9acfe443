/// Records for each byte of a damaged file to which category of `SpaceMap.Owner` it belongs, such
/// as copied, free or lost. A byte that several nodes contain belongs to the category assigned
/// first.
///
/// Uses memory for the resulting map. Also uses one bit per eight bytes of the file, in memory or
/// in a temporary file, as the `SearchMemoryLimit` of the source decides. Confined to one thread;
/// used once.
final class SalvageTrace {
    private let source: DamagedFile
    private let space: NodeSpace
    private let marked: ExtentMap
    private let work: SearchWork
    private var builder: SpaceMapBuilder

    /// Maximum file size that the map accepts, as a multiple of the real file size. The map covers
    /// the logical size stored in the root, which may be any number if the root was overwritten.
    private static let maximumSizeFactor: UInt64 = 16

    /// - Parameter cells: maximum number of cells of the map. A cell is one of the equal ranges of
    ///   bytes into which the map divides the file.
    init(_ source: DamagedFile, cells: Int) {
        self.source = source
        space = source.memory.lookup
        work = SearchWork(bytes: space.limit, source.searchMemory)
        marked = source.searchMemory.extents(of: UInt64(source.fileSize))
        let size = UInt64(source.fileSize)
        let announced = source.top?.logicalSize ?? 0
        let isLikely = announced / Self.maximumSizeFactor <= size
        builder = SpaceMapBuilder(
            bytes: isLikely ? max(size, announced) : size, cells: cells, version: source.version)
    }

    /// Assigns the bytes of the node at `root` and of all nodes below it to the category `owner`.
    /// Nodes that already have a category keep it.
    func take(_ root: Ref, as owner: SpaceMap.Owner) {
        let index = builder.index(of: owner)
        var open = root.isNone ? [] : [root]
        while let ref = open.popLast() {
            guard let node = take(node: ref, index), node.hasRefs, node.widthType == 0,
                work.spend(node.count)
            else { continue }
            for i in 0..<node.count {
                if let child = node.slot(i).child { open.append(child) }
            }
        }
    }

    /// Assigns the bytes of a leaf, without its columns, to the category `owner`.
    func take(_ leaf: ClusterLeaf, as owner: SpaceMap.Owner) {
        let index = builder.index(of: owner)
        _ = take(node: leaf.ref, index)
        if let keys = leaf.node.slot(ClusterLeafShape.keys).child { _ = take(node: keys, index) }
    }

    /// Assigns the bytes of a leaf, with the columns of `info`, to the category `owner`.
    func take(_ leaf: ClusterLeaf, _ info: TableInfo, as owner: SpaceMap.Owner) {
        if marked.isMarked(leaf.ref.raw) { return }
        take(leaf, as: owner)
        for column in info.columns {
            if let ref = try? leaf.columnRef(column.leafIndex) { take(ref, as: owner) }
        }
    }

    /// Assigns the bytes of the node at `ref` to the category `owner`, and returns the node. Nil if
    /// the node is unreadable or already has a category.
    private func take(node ref: Ref, _ owner: Int) -> NodeView? {
        guard work.spend(0), !marked.isMarked(ref.raw), let node = try? space.node(ref) else {
            return nil
        }
        assignUnowned(ref.raw..<ref.raw + UInt64(node.byteSize), owner)
        return node
    }

    /// Adds those bytes of `range` that have no use yet to the use with the index `owner` in the
    /// file map.
    private func assignUnowned(_ range: Range<UInt64>, _ owner: Int) {
        let end = min(range.upperBound, UInt64(source.fileSize) & ~7)
        var position = range.lowerBound
        while position < end,
            let start = marked.first(marked: false, from: position, before: end)
        {
            position = marked.first(marked: true, from: start, before: end) ?? end
            builder.add(start, position - start, to: owner)
            _ = marked.mark(start, position)
        }
    }

    // MARK: Space map

    /// Returns the map of the file. Call it after all content of `tables` has been copied.
    func map(_ tables: [TableInfo]) throws(RealmError) -> SpaceMap {
        addBookkeeping(tables)
        let free = builder.index(of: .free)
        if let top = source.top, let chunks = try? FreeSpace.chunks(space, top) {
            for chunk in chunks where chunk.end > chunk.start {
                assignUnowned(chunk.start..<chunk.end, free)
            }
        }
        let unused = builder.index(of: .unused)
        try source.scan { (ref, flags, count) throws(RealmError) in
            if marked.isMarked(ref.raw) { return }
            let size = NodeView.headerSize + NodeView.payloadSize(flags: flags, count: count)
            assignUnowned(ref.raw..<ref.raw + ((UInt64(size) + 7) & ~7), unused)
        }
        return builder.map(rest: .lost)
    }

    private func addBookkeeping(_ tables: [TableInfo]) {
        let bookkeeping = builder.index(of: .bookkeeping)
        for range in source.headerExtents { assignUnowned(range, bookkeeping) }
        if let top = source.top {
            for ref in [top.ref, top.tables] { _ = take(node: ref, bookkeeping) }
            for ref in [top.names, top.freePositions, top.freeLengths, top.freeVersions] {
                take(ref, as: .bookkeeping)
            }
        }
        for info in tables {
            if let node = take(node: info.top, bookkeeping),
                let spec = node.slot(TableShape.spec).child
            {
                take(spec, as: .bookkeeping)
            }
            addInner(info.root, bookkeeping)
        }
    }

    /// Assigns the bytes of the inner nodes of a tree, but not of its leaves, to the category
    /// `owner`.
    private func addInner(_ root: Ref, _ owner: Int) {
        var open = [root]
        while let ref = open.popLast() {
            guard let node = try? space.node(ref), node.isInner, node.hasRefs,
                work.spend(node.count), take(node: ref, owner) != nil,
                node.count >= InnerClusterShape.minimumCount
            else { continue }
            if let offsets = node.slot(InnerClusterShape.offsets).child {
                _ = take(node: offsets, owner)
            }
            for i in InnerClusterShape.firstChild..<node.count {
                if let child = node.slot(i).child { open.append(child) }
            }
        }
    }
}
