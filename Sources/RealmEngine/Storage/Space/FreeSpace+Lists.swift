/// Reserves space for the free lists, separate from the space for nodes (<doc:Commit>).
extension FreeSpace {
    /// Free extents that are reserved for free lists.
    struct ListSpace {
        /// Extent in which this commit writes its free lists.
        var reserve: Extent
        /// All extents that are reserved for the free lists of this commit and of later commits,
        /// including `reserve`. No node is placed in them.
        var all: [Extent]
    }

    /// Returns the size of an extent to reserve for free lists of `bytes`, with some room for
    /// growth. Wherever the newest lists are in the extent, a contiguous third of the extent
    /// remains free.
    private static func room(_ bytes: UInt64) -> UInt64 { (bytes * 7 / 2 + 7) & ~7 }

    /// Reserves space for free lists of at most `bytes`.
    ///
    /// Each commit replaces the free lists of the commit before. The new lists are written to the
    /// free space directly before the newest lists or directly after them, alternately, so that
    /// later commits can use the same space again. Both free spaces are reserved. If neither has
    /// room, an extent elsewhere is reserved; if no extent is large enough, the file grows.
    mutating func takeListSpace(_ bytes: UInt64, page: UInt64) -> ListSpace {
        var taken: [Extent] = []
        if let lists {
            let most = 3 * bytes
            if let i = free.position(endingAt: lists.start) { taken.append(takeLast(most, of: i)) }
            if let i = free.position(startingAt: lists.end) { taken.append(takeFirst(most, of: i)) }
            let fitting = taken.filter { ListWriter.start(in: $0, bytes) != nil }
            if let reserve = fitting.min(by: { $0.count < $1.count }) {
                return ListSpace(reserve: reserve, all: taken)
            }
            addUnused(taken)
        }
        // Even if a boundary of the 64 MiB sections divides an extent of this size, one part has
        // room for the free lists.
        let room = Self.room(bytes)
        if bestFit(room) == nil { extend(by: room, page: page) }
        let reserve = takeFirst(room, of: bestFit(room)!)
        return ListSpace(reserve: reserve, all: [reserve])
    }

    /// If only a part of an extent is needed for free lists, the rest stays available for nodes
    /// only if it has more bytes than this. A smaller rest is reserved, too.
    private static let minimumRest: UInt64 = 4096

    private mutating func takeFirst(_ bytes: UInt64, of i: Int) -> Extent {
        guard free[i].count > bytes + Self.minimumRest else { return take(i) }
        return Extent(start: cut(i, bytes), count: bytes)
    }

    private mutating func takeLast(_ bytes: UInt64, of i: Int) -> Extent {
        let extent = free[i]
        guard extent.count > bytes + Self.minimumRest else { return take(i) }
        setRest(i, Extent(start: extent.start, count: extent.count - bytes))
        return Extent(start: extent.end - bytes, count: bytes)
    }
}

extension [Extent] {
    fileprivate func position(startingAt start: UInt64) -> Int? {
        let i = partitionPoint { $0.start >= start }
        return i < count && self[i].start == start ? i : nil
    }

    fileprivate func position(endingAt end: UInt64) -> Int? {
        let i = partitionPoint { $0.end >= end }
        return i < count && self[i].end == end ? i : nil
    }
}
