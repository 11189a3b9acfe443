/// The free space of a version: extents that no readable version uses, and chunks that an older
/// readable version may still use (storage format 5.3).
struct FreeSpace {
    /// A range of bytes that the commit of `version` released; `version` is 0 if no version uses
    /// it.
    struct Chunk: Equatable {
        var start: UInt64
        var count: UInt64
        var version: UInt64
        var end: UInt64 { start + count }
    }

    /// Extents that can be used now, in ascending order, adjacent ones merged.
    private(set) var free: [Extent] = []
    /// Chunks that a reader of an older version may still use, in ascending order.
    private(set) var locked: [Chunk] = []
    /// End of the bytes that belong to the version, used or free.
    private(set) var logicalSize: UInt64
    /// Range from the start of the version's free lists to the end of its root, which this engine
    /// writes directly after the lists; nil in an empty file.
    private(set) var lists: Extent?

    /// Makes a value without free extents.
    ///
    /// - Parameter lists: range from the start of the version's free lists to the end of its root;
    ///   nil in an empty file.
    init(logicalSize: UInt64, lists: Extent? = nil) {
        (self.logicalSize, self.lists) = (logicalSize, lists)
    }

    /// Makes a value from two ascending lists. No extent in `free` may be empty, and no two extents
    /// may be adjacent.
    init(free: [Extent], locked: [Chunk], logicalSize: UInt64, lists: Extent?) {
        (self.free, self.locked) = (free, locked)
        (self.logicalSize, self.lists) = (logicalSize, lists)
    }

    /// Reads the free list of the version with root `top`. Chunks that a commit after
    /// `oldestReachable` released are locked: a reader of an older version may still use them. Such
    /// a chunk is nevertheless free if it is also free in the free lists of all `older` readable
    /// versions that could use it.
    ///
    /// - Parameters:
    ///   - oldestReachable: oldest readable version.
    ///   - older: free lists of the other readable versions except the newest.
    init(
        _ space: NodeSpace, _ top: TopArray, oldestReachable: UInt64,
        _ older: PreviousFreeLists = .none
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
        let (start, root) = (top.freePositions.raw, top.ref.raw)
        guard start < root else { return }
        let end = root + UInt64(try space.node(top.ref).byteSize)
        lists = Extent(start: start, count: end - start)
    }

    private mutating func release(_ chunk: Chunk) {
        if let last = free.last, last.end == chunk.start {
            free[free.count - 1].count += chunk.count
        } else {
            free.append(Extent(start: chunk.start, count: chunk.count))
        }
    }

    /// Extends the file by at least `request` bytes, which become free space. The new end is a
    /// multiple of `page`.
    ///
    /// Extending a file takes time, and more commits of the same size are likely. So the file grows
    /// by the larger of two steps: a sixteenth of its size, but at most 64 MiB; or twice the
    /// request, but at most an eighth of its size.
    mutating func grow(by request: UInt64, page: UInt64) {
        let size = logicalSize
        let several = max(min(size / 16, 64 << 20), min(2 * request, size / 8))
        // If more than half of the file is free, only the request is added.
        let step = total > size / 2 ? 0 : several
        extend(by: max(step, request), page: page)
    }

    /// Extends the file by at least `bytes`, up to the next multiple of `page`. The new bytes
    /// become free space.
    mutating func extend(by bytes: UInt64, page: UInt64) {
        let start = logicalSize
        logicalSize = (start + bytes + page - 1) / page * page
        release(Chunk(start: start, count: logicalSize - start, version: 0))
    }

    /// Number of bytes in free extents that can be used now.
    var total: UInt64 {
        free.withUnsafeBufferPointer { free in
            var bytes: UInt64 = 0
            for i in 0..<free.count { bytes &+= free[i].count }
            return bytes
        }
    }

    /// Returns the index of the smallest free extent with room for nodes of `bytes` bytes in total;
    /// nil if there is none.
    ///
    /// No node crosses a boundary of the 64 MiB sections of a file. So up to `largest` bytes, the
    /// size of the largest node, may be lost at each boundary inside the extent.
    func bestFit(_ bytes: UInt64, largest: UInt64 = 0) -> Int? {
        let section = NodeWriter.section
        return free.withUnsafeBufferPointer { free in
            var best: Int?
            var least = UInt64.max
            for i in 0..<free.count {
                let count = free[i].count
                guard count >= bytes, count < least else { continue }
                // At each section boundary inside the extent, almost the size of a whole node may
                // be lost.
                let boundaries = (free[i].end - 1) / section - free[i].start / section
                if count >= bytes + boundaries * largest { (best, least) = (i, count) }
            }
            return best
        }
    }

    /// Limits of the minimum size of the extents in a stretch, a sequence of neighbouring extents
    /// that one commit fills. Smaller extents are only used for single nodes.
    private static let minimumExtentSizes: ClosedRange<UInt64> = 1 << 8...3 << 9
    /// Divisor for the minimum size of the free extents that a commit fills. The minimum is the
    /// number of bytes to write divided by this, clamped to `minimumExtentSizes`.
    private static let smallestPart: UInt64 = 1 << 8
    /// Cost of filling one more extent, which is one more write to the device, as a number of
    /// bytes. A sequence of n + 1 extents is chosen over a sequence of n extents only if it is
    /// shorter by more than this.
    private static let writeCost: UInt64 = 1 << 9

    /// Maximum length of a sequence of neighbouring extents that a commit fills, as a multiple of
    /// the bytes to write.
    private static let sparsest: UInt64 = 6

    /// Returns the indices of neighbouring extents that together have room for `need`, with as
    /// little space in use between them as possible. Returns nil if the file should grow instead:
    /// the bytes to write would fill less than a sixth of these extents and the space between them,
    /// and most of the file is in use.
    ///
    /// Filling the emptiest part of the file keeps the number of writes to the device low.
    func emptiestStretch(_ need: NodeWriter.SpaceEstimate) -> [Int]? {
        // On average, half the size of a node is lost at the end of each extent.
        let lost = need.bytes / max(1, need.nodes) / 2
        let part = need.bytes / Self.smallestPart
        let limits = Self.minimumExtentSizes
        let least = max(min(max(part, limits.lowerBound), limits.upperBound), 2 * lost)
        guard let (range, span) = emptiest(least, need.bytes, lost) else { return nil }
        if span > Self.sparsest * need.bytes, total <= logicalSize / 2 { return nil }
        return range.filter { free[$0].count >= least }
    }

    private func emptiest(
        _ least: UInt64, _ bytes: UInt64, _ lost: UInt64
    ) -> (range: Range<Int>, span: UInt64)? {
        free.withUnsafeBufferPointer { free in
            var best: (range: Range<Int>, span: UInt64)?
            var lowest = UInt64.max
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
                if cost < lowest { (best, lowest) = ((first..<i &+ 1, span), cost) }
            }
            return best
        }
    }

    /// Takes the free extent at `index` and leaves an empty one in its place. Indexes stay the same
    /// until `addUnused`.
    mutating func take(_ index: Int) -> Extent {
        let extent = free[index]
        free[index].count = 0
        return extent
    }

    /// Takes `size` bytes from the start of an extent and returns their offset.
    mutating func cut(_ index: Int, _ size: UInt64) -> UInt64 {
        let start = free[index].start
        free[index].start += size
        free[index].count -= size
        return start
    }

    /// Stores `rest`, what remains of an extent after `take` and the placement of nodes, as the
    /// free extent at `index`.
    mutating func setRest(_ index: Int, _ rest: Extent) { free[index] = rest }

    /// Returns the part from `start` on of the free extent that contains `start`; nil if there is
    /// none.
    func extent(from start: UInt64) -> Extent? {
        free.extent(with: start).map { Extent(start: start, count: $0.end - start) }
    }

    /// Returns the index of the free extent that contains all of `extent`; nil if there is none.
    func position(around extent: Extent) -> Int? {
        let i = free.partitionPoint { $0.end > extent.start }
        guard i < free.count, free[i].start <= extent.start, extent.end <= free[i].end else {
            return nil
        }
        return i
    }

    /// Removes `used` from the free extent at index `i`, which contains it. The bytes before and
    /// after `used` stay free.
    mutating func remove(_ used: Extent, of i: Int) {
        let extent = free[i]
        let before = Extent(start: extent.start, count: used.start - extent.start)
        let behind = Extent(start: used.end, count: extent.end - used.end)
        free.replaceSubrange(i...i, with: [before, behind].filter { $0.count > 0 })
    }

    /// Puts the extents that a commit took and did not use back into the list of free extents.
    /// Leaves out empty extents.
    mutating func addUnused(_ extents: [Extent]) {
        let unused = extents.filter { $0.count > 0 }.sorted { $0.start < $1.start }
        free = Self.merged(free, unused)
    }

    /// Merges two ascending arrays of extents, joining adjacent extents.
    static func merged(_ a: [Extent], _ b: [Extent]) -> [Extent] {
        [Extent](unsafeUninitializedCapacity: a.count + b.count) { (memory, count) in
            count = a.withUnsafeBufferPointer { a in
                b.withUnsafeBufferPointer { b in JoinedExtents.merge(a, b, into: memory) }
            }
        }
    }

    /// Sorts the extents that a commit released, and joins adjacent ones.
    static func released(_ freed: [Extent]) -> [Extent] {
        // Packing start and size in one integer makes sorting several times faster.
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

    /// Upper bound of the number of chunks, free ranges of bytes, in the next version's free list.
    /// The number excludes chunks that end at a boundary of the 64 MiB sections of a file, and the
    /// chunk by which this commit extends the file.
    func maximumChunkCount(_ released: [Extent]) -> Int {
        free.count + locked.count + released.count + 4
    }

    /// Removes the smallest free extents, so that fewer than `most` are left in the free list.
    /// Their space is lost until the file is compacted.
    mutating func loseSmallest(_ released: inout [Extent], keeping most: Int) {
        var sizes = free.map(\.count) + locked.map(\.count) + released.map(\.count)
        let most = max(0, most - 8)
        guard sizes.count > most else { return }
        sizes.sort(by: >)
        let least = sizes[most]
        free.removeAll { $0.count <= least }
        locked.removeAll { $0.count <= least }
        released.removeAll { $0.count <= least }
    }

    /// Calls `body` with the start, the size and the releasing version (0 if no version uses the
    /// bytes) of each chunk in the new version's free list, in ascending order. `released` contains
    /// the extents that the new version's commit released.
    ///
    /// Throws `corrupt` if chunks overlap, which happens if a damaged file references a node twice.
    /// Writing such a list would destroy the file.
    @inline(__always)
    func visitChunks(
        adding released: [Extent], version: UInt64, _ body: (UInt64, UInt64, UInt64) -> Void
    ) throws(RealmError) {
        var order = AscendingOrder(limit: logicalSize)
        free.withUnsafeBufferPointer { free in
            released.withUnsafeBufferPointer { released in
                var (i, j, k) = (0, 0, 0)
                while true {
                    let nextLocked = j < locked.count ? locked[j].start : .max
                    let nextReleased = k < released.count ? released[k].start : .max
                    let next = min(nextLocked, nextReleased)
                    // Most chunks of a list can be used at once, so these are visited in an inner
                    // loop.
                    while i < free.count, free[i].start <= next {
                        order.check(free[i].start, free[i].count)
                        body(free[i].start, free[i].count, 0)
                        i &+= 1
                    }
                    if next == .max { return }
                    if nextLocked <= nextReleased {
                        order.check(nextLocked, locked[j].count)
                        body(nextLocked, locked[j].count, locked[j].version)
                        j &+= 1
                    } else {
                        order.check(nextReleased, released[k].count)
                        body(nextReleased, released[k].count, version)
                        k &+= 1
                    }
                }
            }
        }
        if let bad = order.bad {
            throw .corrupt(
                "nodes that are shared or free already; nothing was written", at: Ref(bad))
        }
    }
}

/// Checks that the chunks of a free list ascend without overlaps, and that none ends after `limit`.
private struct AscendingOrder {
    private let limit: UInt64
    private var end = RawHeader.end
    /// Start of the first chunk (free extent) that overlaps the chunk before or ends after `limit`,
    /// the end of the version; nil if there is none.
    private(set) var bad: UInt64?

    init(limit: UInt64) { self.limit = limit }

    @inline(__always)
    mutating func check(_ start: UInt64, _ length: UInt64) {
        if start < end || start &+ length > limit, bad == nil { bad = start }
        end = start &+ length
    }
}
