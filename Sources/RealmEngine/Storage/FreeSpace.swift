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
        for var chunk in try Self.chunks(space, top) {
            guard chunk.start >= previousEnd, chunk.end <= logicalSize else {
                throw .corrupt("free chunks overlap or leave the file", at: Ref(chunk.start))
            }
            previousEnd = chunk.end
            if chunk.version > oldestReachable { chunk.version = older.stamp(of: chunk) }
            if chunk.version > oldestReachable { locked.append(chunk) } else { release(chunk) }
        }
    }

    private mutating func release(_ chunk: Chunk) {
        if let last = free.last, last.end == chunk.start {
            free[free.count - 1].count += chunk.count
        } else {
            free.append(Extent(start: chunk.start, count: chunk.count))
        }
    }

    /// The free list as stored.
    static func chunks(_ space: NodeSpace, _ top: TopArray) throws(RealmError) -> [Chunk] {
        if top.freePositions.isNone { return [] }
        let starts = try space.integers(top.freePositions, "free positions")
        let counts = try space.integers(top.freeLengths, "free lengths")
        let versions = try space.integers(top.freeVersions, "free versions")
        guard starts.count == counts.count, starts.count == versions.count else {
            throw .corrupt("free lists of different lengths", at: top.freePositions)
        }
        var chunks: [Chunk] = []
        chunks.reserveCapacity(starts.count)
        for i in 0..<starts.count {
            let (start, count, version) = (
                starts.integer(i), counts.integer(i), versions.integer(i)
            )
            guard start >= 24, count > 0, version >= 0, start & 7 == 0, count & 7 == 0,
                UInt64(start) <= top.logicalSize, UInt64(count) <= top.logicalSize
            else { throw .corrupt("a malformed free chunk", at: top.freePositions) }
            chunks.append(
                Chunk(start: UInt64(start), count: UInt64(count), version: UInt64(version)))
        }
        return chunks
    }

    /// Grows the space by at least `request` bytes; the new end is a multiple of `page`.
    mutating func grow(by request: UInt64, page: UInt64) {
        let start = logicalSize
        let step: UInt64 = start < 1 << 20 ? start : max(1 << 20, min(start / 16, 64 << 20))
        let end = (start + max(step, request) + page - 1) / page * page
        logicalSize = end
        release(Chunk(start: start, count: end - start, version: 0))
    }

    /// Takes extents of at least `need.bytes`: one chunk where any is large enough, which makes a
    /// commit one write; the largest ones otherwise, as long as that takes few writes or much of the
    /// file is free; new space at the end when all are too small.
    mutating func take(_ need: NodeWriter.Need, page: UInt64) -> [Extent] {
        if let index = bestFit(need) { return [take(index)] }
        if let indexes = several(need) {
            return indexes.sorted(by: >).map { take($0) }.sorted { $0.start < $1.start }
        }
        return [grown(by: need.bytes + need.largest, page: page)]
    }

    /// Grows the space and takes its last free extent.
    mutating func grown(by request: UInt64, page: UInt64) -> Extent {
        grow(by: request, page: page)
        return take(free.count - 1)
    }

    /// Smaller extents are not worth a write of their own.
    private static let smallestUseful: UInt64 = 1024
    private static let fewExtents = 64
    private static let mostExtents = 4096

    private func bestFit(_ need: NodeWriter.Need) -> Int? {
        let section = NodeWriter.section
        var best: Int?
        for (i, extent) in free.enumerated() {
            // Each section boundary inside may cost almost a whole node.
            let boundaries = (extent.end - 1) / section - extent.start / section
            guard extent.count >= need.bytes + boundaries * need.largest else { continue }
            if best == nil || extent.count < free[best!].count { best = i }
        }
        return best
    }

    private func several(_ need: NodeWriter.Need) -> [Int]? {
        let total = free.reduce(0) { $0 + $1.count }
        let limit = total > logicalSize / 2 ? Self.mostExtents : Self.fewExtents
        let candidates = free.indices.filter { free[$0].count >= Self.smallestUseful }
            .sorted { free[$0].count > free[$1].count }.prefix(limit)
        var sum: UInt64 = 0
        var chosen: [Int] = []
        for index in candidates {
            chosen.append(index)
            sum += free[index].count
            if sum >= need.bytes + need.largest { return chosen }
        }
        return nil
    }

    private mutating func take(_ index: Int) -> Extent { free.remove(at: index) }

    /// Gives back what a commit took and did not use.
    mutating func giveBack(_ extents: [Extent]) {
        free = (free + extents.filter { $0.count > 0 }).sorted { $0.start < $1.start }
        var merged: [Extent] = []
        for extent in free {
            if let last = merged.last, last.end == extent.start {
                merged[merged.count - 1].count += extent.count
            } else {
                merged.append(extent)
            }
        }
        free = merged
    }

    /// All chunks of the new version's free list, in ascending order, given what its commit freed.
    ///
    /// Throws `corrupt` when chunks overlap, as they do where a damaged file refers to a node twice:
    /// writing such a list would destroy the file.
    func chunks(freeing freed: [Extent], version: UInt64) throws(RealmError) -> [Chunk] {
        var chunks = free.map { Chunk(start: $0.start, count: $0.count, version: 0) } + locked
        var merged: [Extent] = []
        for extent in freed.sorted(by: { $0.start < $1.start }) {
            if let last = merged.last, last.end == extent.start {
                merged[merged.count - 1].count += extent.count
            } else {
                merged.append(extent)
            }
        }
        chunks += merged.map { Chunk(start: $0.start, count: $0.count, version: version) }
        chunks.sort { $0.start < $1.start }
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
