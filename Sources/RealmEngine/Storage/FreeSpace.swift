/// The free list of one version: chunks of the file no reachable version uses, and chunks some
/// older version may still use (storage format 5.3).
struct FreeSpace {
    /// A chunk released by the commit that made `version`; 0 is free for everybody.
    struct Chunk: Equatable {
        var start: UInt64
        var count: UInt64
        var version: UInt64
        var end: UInt64 { start + count }
    }

    /// Reusable now, in ascending order, neighbours merged.
    private(set) var free: [Extent] = []
    /// Still visible to a reader of an older version, in ascending order.
    private(set) var locked: [Chunk] = []
    /// End of the space the version manages.
    private(set) var logicalSize: UInt64

    /// An empty file's free space.
    init(logicalSize: UInt64) { self.logicalSize = logicalSize }

    /// Reads the free list of the version with root `top`; chunks stamped above `oldestReachable`
    /// are locked, unless `older` versions prove them free.
    init(
        _ space: NodeSpace, _ top: TopArray, oldestReachable: UInt64, _ older: OlderLists = .none
    ) throws(RealmError) {
        logicalSize = top.logicalSize
        var previousEnd: UInt64 = 24
        try Self.forEachChunk(space, top) { (chunk, count) throws(RealmError) in
            guard chunk.start >= previousEnd, chunk.end <= logicalSize else {
                throw .corrupt("free chunks overlap or leave the file", at: Ref(chunk.start))
            }
            if previousEnd == 24 { free.reserveCapacity(count) }
            previousEnd = chunk.end
            var chunk = chunk
            if chunk.version > oldestReachable { chunk.version = older.stamp(of: chunk) }
            if chunk.version > oldestReachable { locked.append(chunk) } else { release(chunk) }
        }
    }

    private mutating func release(_ chunk: Chunk) {
        free.appendJoined(Extent(start: chunk.start, count: chunk.count))
    }

    /// The free list as stored.
    static func chunks(_ space: NodeSpace, _ top: TopArray) throws(RealmError) -> [Chunk] {
        var chunks: [Chunk] = []
        try forEachChunk(space, top) { (chunk, count) throws(RealmError) in
            if chunks.isEmpty { chunks.reserveCapacity(count) }
            chunks.append(chunk)
        }
        return chunks
    }

    /// Hands over each chunk of the free list as stored, and how many there are.
    @inline(__always)
    private static func forEachChunk(
        _ space: NodeSpace, _ top: TopArray, _ body: (Chunk, Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        if top.freePositions.isNone { return }
        let starts = try space.integers(top.freePositions, "free positions")
        let counts = try space.integers(top.freeLengths, "free lengths")
        // Files that were never shared have no versions there.
        let versions =
            try top.freeVersions.isNone
            ? nil : space.integers(top.freeVersions, "free versions")
        guard starts.count == counts.count, starts.count == versions?.count ?? starts.count else {
            throw .corrupt("free lists of different lengths", at: top.freePositions)
        }
        let isNarrow = starts.widthCode == 6 && counts.widthCode == 6
        for i in 0..<starts.count {
            // Nearly always they have 32 bits each.
            let (start, count) =
                isNarrow
                ? (starts.narrow(i), counts.narrow(i)) : (starts.integer(i), counts.integer(i))
            let version = versions?.integer(i) ?? 0
            guard start >= 24, count > 0, version >= 0, start & 7 == 0, count & 7 == 0,
                UInt64(start) <= top.logicalSize, UInt64(count) <= top.logicalSize
            else { throw .corrupt("a malformed free chunk", at: top.freePositions) }
            try body(
                Chunk(start: UInt64(start), count: UInt64(count), version: UInt64(version)),
                starts.count)
        }
    }

    /// Grows the space by at least `request` bytes; the new end is a multiple of `page`.
    mutating func grow(by request: UInt64, page: UInt64) {
        let start = logicalSize
        var step: UInt64 = start < 1 << 20 ? start : max(1 << 20, min(start / 16, 64 << 20))
        // Where most of the file is free, no more is needed than what does not fit.
        if total > start / 2 { step = 0 }
        let end = (start + max(step, request) + page - 1) / page * page
        logicalSize = end
        release(Chunk(start: start, count: end - start, version: 0))
    }

    private var total: UInt64 { free.reduce(0) { $0 + $1.count } }

    /// What a commit's nodes go to.
    struct Taken {
        var extents: [Extent]
        /// Kept for the lists where the nodes leave no room for them.
        var reserve: Extent?
    }

    /// Takes extents for `need`: one chunk where any is large enough, with room for `extra` bytes
    /// behind it, which makes a commit one write; several near each other otherwise; new space at the
    /// end where these are too far apart.
    ///
    /// Nodes do not fill extents to the last byte, so that more may have to be taken.
    mutating func take(_ need: NodeWriter.Need, extra: UInt64 = 0, page: UInt64) -> Taken {
        var whole = need
        whole.bytes += extra
        if let index = bestFit(whole) { return Taken(extents: [take(index)]) }
        let total = total
        // For small commits another write costs more than some space.
        let isCheap = whole.bytes <= Self.smallCommit && total < 16 * whole.bytes
        if total > need.bytes, !isCheap {
            let reserve =
                extra == 0 ? nil : bestFit(NodeWriter.Need(bytes: extra)).map { take($0) }
            if let indexes = several(need) {
                return Taken(extents: take(indexes), reserve: reserve)
            }
            if let reserve { giveBack([reserve]) }
        }
        grow(by: whole.bytes + need.largest, page: page)
        return Taken(extents: [take(free.count - 1)])
    }

    private func bestFit(_ need: NodeWriter.Need) -> Int? {
        let section = NodeWriter.section
        var best: Int?
        for (i, extent) in free.enumerated() {
            guard extent.count >= need.bytes, best == nil || extent.count < free[best!].count
            else { continue }
            // Each section boundary inside may cost almost a whole node.
            let boundaries = (extent.end - 1) / section - extent.start / section
            if extent.count >= need.bytes + boundaries * need.largest { best = i }
        }
        return best
    }

    private static let smallCommit: UInt64 = 1 << 16

    /// Extents with room for a commit's nodes, as positions in `free`.
    private struct Stretch {
        let range: Range<Int>
        let span: UInt64
        let cost: UInt64
    }

    /// Less is left to be filled later.
    private static let leastExtent: UInt64 = 1 << 8
    /// Bytes of the file that one more write is worth.
    private static let writeCost: UInt64 = 1 << 9

    /// Indexes of extents with room for `need` that have the least between them, in ascending order.
    ///
    /// So a commit goes to the emptiest part of the file and fills it: its pages are few writes for the
    /// device, and what is free stays in few pieces. Where less than an eighth of that part is free
    /// the file grows instead, unless most of it is free.
    private func several(_ need: NodeWriter.Need) -> [Int]? {
        // Half a node is lost at the end of each.
        let lost = need.bytes / max(1, need.nodes) / 2
        let useful = free.indices.filter { free[$0].count >= max(Self.leastExtent, 2 * lost) }
        guard let best = emptiest(useful, need.bytes, lost) else { return nil }
        if best.span > 8 * need.bytes, total <= logicalSize / 2 { return nil }
        return Array(useful[best.range])
    }

    private func emptiest(_ useful: [Int], _ bytes: UInt64, _ lost: UInt64) -> Stretch? {
        var best: Stretch?
        var (sum, first): (UInt64, Int) = (0, 0)
        for (i, index) in useful.enumerated() {
            sum += free[index].count - lost
            guard sum >= bytes else { continue }
            while sum >= bytes + (free[useful[first]].count - lost) {
                sum -= free[useful[first]].count - lost
                first += 1
            }
            let span = free[index].end - free[useful[first]].start
            let cost = span + UInt64(i + 1 - first) * Self.writeCost
            if cost < best?.cost ?? .max {
                best = Stretch(range: first..<i + 1, span: span, cost: cost)
            }
        }
        return best
    }

    private mutating func take(_ index: Int) -> Extent { free.remove(at: index) }

    /// Takes the extents at `indexes`, which ascend.
    private mutating func take(_ indexes: [Int]) -> [Extent] {
        let taken = indexes.map { free[$0] }
        var next = 0
        var kept: [Extent] = []
        kept.reserveCapacity(free.count - indexes.count)
        for (i, extent) in free.enumerated() {
            if next < indexes.count, indexes[next] == i { next += 1 } else { kept.append(extent) }
        }
        free = kept
        return taken
    }

    /// The part from `start` on of the free extent that has it.
    func extent(from start: UInt64) -> Extent? {
        free.extent(with: start).map { Extent(start: start, count: $0.end - start) }
    }

    /// Gives back what a commit took and did not use.
    mutating func giveBack(_ extents: [Extent]) {
        let unused = extents.filter { $0.count > 0 }.sorted { $0.start < $1.start }
        if unused.isEmpty { return }
        free = Self.merged(free, unused)
    }

    /// Two ascending lists as one, neighbours joined.
    static func merged(_ a: [Extent], _ b: [Extent]) -> [Extent] {
        var all: [Extent] = []
        all.reserveCapacity(a.count + b.count)
        var (i, j) = (0, 0)
        while i < a.count || j < b.count {
            let isFirst = j == b.count || (i < a.count && a[i].start < b[j].start)
            let extent = isFirst ? a[i] : b[j]
            if isFirst { i += 1 } else { j += 1 }
            all.appendJoined(extent)
        }
        return all
    }

    /// What a commit let go of, in ascending order, neighbours joined.
    static func released(_ freed: [Extent]) -> [Extent] {
        // Where a node is and how long it is fits one number, and numbers are sorted several times
        // sooner than extents.
        let isShort = freed.allSatisfy { $0.start >> 40 == 0 && $0.count >> 24 == 0 }
        guard isShort else { return merged(freed.sorted { $0.start < $1.start }, []) }
        var words = freed.map { $0.start << 21 | $0.count >> 3 }
        words.sort()
        var all: [Extent] = []
        for word in words {
            all.appendJoined(Extent(start: (word >> 24) << 3, count: (word & 0xFF_FFFF) << 3))
        }
        return all
    }

    /// The free list of the new version may have as many chunks: two more for each place that the
    /// commit's nodes or lists go to.
    func mostChunks(_ released: [Extent]) -> Int { free.count + locked.count + released.count + 4 }

    /// All chunks of the new version's free list, in ascending order, given what its commit released.
    ///
    /// Throws `corrupt` when chunks overlap, as they do where a damaged file refers to a node twice:
    /// writing such a list would destroy the file.
    func chunks(adding released: [Extent], version: UInt64) throws(RealmError) -> [Chunk] {
        var chunks: [Chunk] = []
        chunks.reserveCapacity(free.count + locked.count + released.count)
        var (i, j, k) = (0, 0, 0)
        while true {
            let next = min(
                i < free.count ? free[i].start : .max, j < locked.count ? locked[j].start : .max,
                k < released.count ? released[k].start : .max)
            if next == .max { break }
            if i < free.count, free[i].start == next {
                chunks.append(Chunk(start: next, count: free[i].count, version: 0))
                i += 1
            } else if j < locked.count, locked[j].start == next {
                chunks.append(locked[j])
                j += 1
            } else {
                chunks.append(Chunk(start: next, count: released[k].count, version: version))
                k += 1
            }
        }
        var end: UInt64 = 24
        for chunk in chunks {
            guard chunk.start >= end, chunk.end <= logicalSize else {
                throw .corrupt(
                    "nodes that are shared or free already; nothing was written",
                    at: Ref(chunk.start))
            }
            end = chunk.end
        }
        return chunks
    }
}

extension [Extent] {
    /// Adds an extent, to the last one if that ends where it begins.
    @inline(__always)
    fileprivate mutating func appendJoined(_ extent: Extent) {
        if let last, last.end == extent.start {
            self[count - 1].count += extent.count
        } else {
            append(extent)
        }
    }
}

extension NodeView {
    /// Element `i` of integers of 32 bits.
    @inline(__always)
    fileprivate func narrow(_ i: Int) -> Int64 {
        Int64(payload.load(fromByteOffset: i &* 4, as: Int32.self))
    }
}
