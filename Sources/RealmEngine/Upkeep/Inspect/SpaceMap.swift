/// Map of a file, which shows what the bytes are used for. Divides the file into ranges of equal
/// size (*cells*), and shows for each cell the most frequent use of its bytes.
package struct SpaceMap: Sendable {
    /// Use of a range of bytes of the file.
    package enum Owner: Hashable, Sendable {
        /// A table, by its stored name.
        case table(String)
        /// All tables after the first `maximumTableCount`.
        case otherTables
        case history
        /// Header, roots, names and free lists.
        case bookkeeping
        case free
        /// Bytes of an older version that is pinned; the associated value is its number. If several
        /// pinned versions use the bytes, it is the newest of them.
        case pinned(UInt64)
        /// Bytes that are neither used nor free.
        case unaccounted
        /// Nodes copied by a salvage.
        case copied
        /// Nodes copied by a salvage from versions other than the salvaged one.
        case older
        /// Nodes copied by a salvage although they may have been overwritten.
        case doubtful
        /// Nodes not copied by a salvage: indexes, the history, other versions, and unreferenced
        /// nodes.
        case unused
        /// Damaged bytes: neither a node nor free, or after the end of the version.
        case lost
    }

    /// Size of the file in bytes.
    package let bytes: UInt64
    /// Number of bytes of the file in one cell, a power of two.
    package let bytesPerCell: UInt64
    package let version: UInt64
    package let owners: [Owner]
    /// Number of bytes of the file that have the use `owners[i]`, at index `i`.
    package internal(set) var totals: [UInt64]
    /// Most frequent use of the bytes of each cell, as an index in `owners`. A cell is a range of
    /// `bytesPerCell` bytes of the file.
    package internal(set) var cells: [Int]

    package func bytes(of owner: Owner) -> UInt64 {
        owners.firstIndex(of: owner).map { totals[$0] } ?? 0
    }
}

/// Builds a `SpaceMap`: receives ranges of bytes with their use (owner), and adds up the bytes for
/// each cell and each owner.
struct SpaceMapBuilder {
    private let bytes: UInt64
    private let bytesPerCell: UInt64
    private let version: UInt64
    private let cellCount: Int
    private var owners: [SpaceMap.Owner] = []
    private var indexes: [SpaceMap.Owner: Int] = [:]
    private var totals: [UInt64] = []
    /// For each cell, the number of bytes that each owner has in it. Only owners with bytes in the
    /// cell are listed; they are few.
    private var shares: [[Share]]

    private struct Share {
        let owner: Int32
        var bytes: UInt32
    }

    static let maximumTableCount = 200

    init(bytes: UInt64, cells: Int, version: UInt64) {
        self.bytes = bytes
        self.version = version
        var size: UInt64 = 8
        while bytes / size >= UInt64(max(1, cells)), size < 1 << 40 { size *= 2 }
        bytesPerCell = size
        cellCount = Int((bytes + bytesPerCell - 1) / bytesPerCell)
        shares = Array(repeating: [], count: cellCount)
    }

    mutating func index(of owner: SpaceMap.Owner) -> Int {
        if let index = indexes[owner] { return index }
        indexes[owner] = owners.count
        owners.append(owner)
        totals.append(0)
        return owners.count - 1
    }

    mutating func add(_ start: UInt64, _ count: UInt64, to owner: Int) {
        var position = start
        let end = min(bytes, start &+ count)
        guard position < end else { return }
        totals[owner] += end - position
        while position < end {
            let cell = Int(position / bytesPerCell)
            let next = min(end, (UInt64(cell) + 1) * bytesPerCell)
            add(UInt32(clamping: next - position), of: cell, to: Int32(owner))
            position = next
        }
    }

    private mutating func add(_ bytes: UInt32, of cell: Int, to owner: Int32) {
        guard let i = shares[cell].lastIndex(where: { $0.owner == owner }) else {
            return shares[cell].append(Share(owner: owner, bytes: bytes))
        }
        let (sum, overflow) = shares[cell][i].bytes.addingReportingOverflow(bytes)
        shares[cell][i].bytes = overflow ? .max : sum
    }

    /// Returns the finished map.
    ///
    /// - Parameter owner: use of all bytes for which `add` recorded no use.
    mutating func map(rest owner: SpaceMap.Owner = .unaccounted) -> SpaceMap {
        let used = totals.reduce(0, &+)
        let rest = index(of: owner)
        totals[rest] = bytes - min(bytes, used)
        let cells = shares.map { shares in
            let most = shares.max {
                $0.bytes != $1.bytes ? $0.bytes < $1.bytes : $0.owner > $1.owner
            }
            return most.map { Int($0.owner) } ?? rest
        }
        return SpaceMap(
            bytes: bytes, bytesPerCell: bytesPerCell, version: version, owners: owners,
            totals: totals, cells: cells)
    }
}

extension Inspector {
    /// Walks the newest version and maps the use of the file in at most `cells` cells. Nil for an
    /// encrypted file.
    ///
    /// Throws the errors of `inspect`, and `corrupt`.
    ///
    /// - Parameter meter: receives the number of bytes of the visited nodes.
    package func map(cells: Int, meter: ProgressCounter? = nil) throws(RealmError) -> SpaceMap? {
        try retryUntilStable { (reading, raw) throws(RealmError) in
            guard let raw else { return nil }
            let header = try reading.header(raw)
            let opened = try reading.newest(header)
            let bytes = UInt64(reading.file.mapping.mapped)
            var builder = SpaceMapBuilder(
                bytes: bytes, cells: cells, version: opened?.top.version ?? 1)
            let bookkeeping = builder.index(of: .bookkeeping)
            builder.add(0, UInt64(RawHeader.size), to: bookkeeping)
            if header.isStreaming { builder.add(bytes - 16, 16, to: bookkeeping) }
            let free = builder.index(of: .free)
            guard let (top, memory) = opened else {
                builder.add(UInt64(RawHeader.size), bytes, to: free)
                return builder.map()
            }
            defer { withExtendedLifetime(memory) {} }
            meter?.begin(.bytes, total: Int(clamping: top.logicalSize))
            try reading.addNodes(memory.walk, top, &builder, meter)
            try reading.addFreeSpace(memory.lookup, top, &builder)
            if !header.isStreaming { builder.add(top.logicalSize, bytes, to: free) }
            return builder.map()
        }
    }
}

extension FileReading {
    fileprivate func addNodes(
        _ space: NodeSpace, _ top: TopArray, _ builder: inout SpaceMapBuilder,
        _ meter: ProgressCounter?
    ) throws(RealmError) {
        let bookkeeping = builder.index(of: .bookkeeping)
        func add(_ ref: Ref, _ owner: Int) throws(RealmError) {
            try NodeTree.visit(space, ref) { ref, node in
                builder.add(ref.raw, UInt64(node.byteSize), to: owner)
                meter?.add(node.byteSize)
            }
        }
        for ref in [
            top.names, top.freePositions, top.freeLengths, top.freeVersions, top.evacuation,
        ] { try add(ref, bookkeeping) }
        for ref in [top.ref, top.tables] {
            builder.add(ref.raw, UInt64(try space.node(ref).byteSize), to: bookkeeping)
        }
        try add(top.history, builder.index(of: .history))
        let tables = try space.refNode(top.tables, slots: 0, "tables")
        let names = try space.names(top.names, count: tables.count, of: top.tables)
        var used = 0
        for slot in 0..<tables.count {
            guard let ref = tables.slot(slot).child else { continue }
            used += 1
            let isFew = used <= SpaceMapBuilder.maximumTableCount
            let name = isFew ? try names.name(slot, at: top.names) : ""
            try add(ref, builder.index(of: isFew ? .table(name) : .otherTables))
        }
    }

    fileprivate func addFreeSpace(
        _ space: NodeSpace, _ top: TopArray, _ builder: inout SpaceMapBuilder
    ) throws(RealmError) {
        let list = try freeList(space, top)
        let free = builder.index(of: .free)
        let pinned = list.older.versions.map { builder.index(of: .pinned($0)) }
        for chunk in list.chunks {
            let owner = list.holder(of: chunk).map { pinned[$0] } ?? free
            builder.add(chunk.start, chunk.count, to: owner)
        }
    }
}
