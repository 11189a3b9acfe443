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
        guard let stored = try StoredList(space, top) else { return }
        guard stored.ascends(logicalSize) else {
            throw .corrupt("free chunks overlap or leave the file", at: top.freePositions)
        }
        var locked: [Chunk] = []
        free = [Extent](unsafeUninitializedCapacity: stored.count) { (memory, count) in
            count = stored.divide(oldestReachable, older, memory, &locked)
        }
        self.locked = locked
    }

    private mutating func release(_ chunk: Chunk) {
        if let last = free.last, last.end == chunk.start {
            free[free.count - 1].count += chunk.count
        } else {
            free.append(Extent(start: chunk.start, count: chunk.count))
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
            if let extents = takeSeveral(need) { return Taken(extents: extents, reserve: reserve) }
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

    /// Extents with room for a commit's nodes: those of a range in `free` that are large enough.
    private struct Stretch {
        let range: Range<Int>
        let span: UInt64
        let cost: UInt64
    }

    /// Less is left to be filled later.
    private static let leastExtent: UInt64 = 1 << 8
    /// Bytes of the file that one more write is worth.
    private static let writeCost: UInt64 = 1 << 9

    /// Takes extents with room for `need` that have the least between them.
    ///
    /// So a commit goes to the emptiest part of the file and fills it: its pages are few writes for the
    /// device, and what is free stays in few pieces. Where less than an eighth of that part is free
    /// the file grows instead, unless most of it is free.
    private mutating func takeSeveral(_ need: NodeWriter.Need) -> [Extent]? {
        // Half a node is lost at the end of each.
        let lost = need.bytes / max(1, need.nodes) / 2
        let least = max(Self.leastExtent, 2 * lost)
        guard let best = emptiest(least, need.bytes, lost) else { return nil }
        if best.span > 8 * need.bytes, total <= logicalSize / 2 { return nil }
        return best.range.filter { free[$0].count >= least }.map { take($0) }
    }

    /// - Parameter least: bytes of the smallest extents that are of use.
    private func emptiest(_ least: UInt64, _ bytes: UInt64, _ lost: UInt64) -> Stretch? {
        free.withUnsafeBufferPointer { free in
            var best: Stretch?
            var (first, number) = (0, UInt64(0))
            var sum: UInt64 = 0
            for i in 0..<free.count where free[i].count >= least {
                sum &+= free[i].count &- lost
                number &+= 1
                if sum < bytes { continue }
                while true {
                    let count = free[first].count
                    if count >= least {
                        if sum &- (count &- lost) < bytes { break }
                        sum &-= count &- lost
                        number &-= 1
                    }
                    first &+= 1
                }
                let span = free[i].end &- free[first].start
                let cost = span &+ number &* Self.writeCost
                if cost < best?.cost ?? .max {
                    best = Stretch(range: first..<i &+ 1, span: span, cost: cost)
                }
            }
            return best
        }
    }

    /// Takes one of the extents, whose place in the list stays until something is given back.
    private mutating func take(_ index: Int) -> Extent {
        let extent = free[index]
        free[index].count = 0
        return extent
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
        [Extent](unsafeUninitializedCapacity: a.count + b.count) { (memory, count) in
            count = a.withUnsafeBufferPointer { a in
                b.withUnsafeBufferPointer { b in JoinedExtents.merge(a, b, into: memory) }
            }
        }
    }

    /// What a commit let go of, in ascending order, neighbours joined.
    static func released(_ freed: [Extent]) -> [Extent] {
        // Where a node is and how long it is fits one number, and numbers are sorted several times
        // sooner than extents.
        let isShort = freed.allSatisfy { $0.start >> 40 == 0 && $0.count >> 24 == 0 }
        guard isShort else { return merged(freed.sorted { $0.start < $1.start }, []) }
        var words = freed.map { $0.start << 21 | $0.count >> 3 }
        words.sort()
        return [Extent](unsafeUninitializedCapacity: words.count) { (memory, count) in
            var all = JoinedExtents(memory)
            for word in words { all.append((word >> 24) << 3, (word & 0xFF_FFFF) << 3) }
            count = all.count
        }
    }

    /// The free list of the new version may have as many chunks: two more for each place that the
    /// commit's nodes or lists go to.
    func mostChunks(_ released: [Extent]) -> Int { free.count + locked.count + released.count + 4 }

    /// All chunks of the new version's free list, in ascending order, given what its commit released.
    ///
    /// Throws `corrupt` when chunks overlap, as they do where a damaged file refers to a node twice:
    /// writing such a list would destroy the file.
    func chunks(adding released: [Extent], version: UInt64) throws(RealmError) -> [Chunk] {
        var bad: UInt64?
        let most = free.count + locked.count + released.count
        let chunks = [Chunk](unsafeUninitializedCapacity: most) { (memory, count) in
            var chunks = AscendingChunks(memory, limit: logicalSize)
            free.withUnsafeBufferPointer { free in
                released.withUnsafeBufferPointer { released in
                    chunks.merge(free, locked, released, version)
                }
            }
            (count, bad) = (chunks.count, chunks.bad)
        }
        if let bad {
            throw .corrupt(
                "nodes that are shared or free already; nothing was written", at: Ref(bad))
        }
        return chunks
    }
}

/// The chunks of a new free list, in memory with room for all.
private struct AscendingChunks {
    private let memory: UnsafeMutablePointer<FreeSpace.Chunk>?
    private let limit: UInt64
    private(set) var count = 0
    private var end: UInt64 = 24
    /// Where the first one begins that overlaps another or leaves the version.
    private(set) var bad: UInt64?

    init(_ memory: UnsafeMutableBufferPointer<FreeSpace.Chunk>, limit: UInt64) {
        self.memory = memory.baseAddress
        self.limit = limit
    }

    @inline(__always)
    private mutating func append(_ start: UInt64, _ length: UInt64, _ version: UInt64) {
        if length == 0 { return }
        if start < end || start &+ length > limit, bad == nil { bad = start }
        end = start &+ length
        (memory! + count).initialize(
            to: FreeSpace.Chunk(start: start, count: length, version: version))
        count &+= 1
    }

    /// Adds what is free, what is locked, and what the commit that makes `version` released.
    mutating func merge(
        _ free: UnsafeBufferPointer<Extent>, _ locked: [FreeSpace.Chunk],
        _ released: UnsafeBufferPointer<Extent>, _ version: UInt64
    ) {
        var (i, j, k) = (0, 0, 0)
        while true {
            let nextLocked = j < locked.count ? locked[j].start : .max
            let nextReleased = k < released.count ? released[k].start : .max
            let next = min(nextLocked, nextReleased)
            // Most of the list is free.
            while i < free.count, free[i].start <= next {
                append(free[i].start, free[i].count, 0)
                i &+= 1
            }
            if next == .max { return }
            if nextLocked <= nextReleased {
                append(nextLocked, locked[j].count, locked[j].version)
                j &+= 1
            } else {
                append(nextReleased, released[k].count, version)
                k &+= 1
            }
        }
    }
}
