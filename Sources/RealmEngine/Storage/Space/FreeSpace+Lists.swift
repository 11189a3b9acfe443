/// Space for the free lists, separate from the space for nodes (<doc:Commit>).
extension FreeSpace {
    /// Free space that is reserved for free lists.
    struct ListSpace {
        /// Extent for the lists of this commit.
        var reserve: Extent
        /// Extents that nodes must not use, including `reserve`.
        var all: [Extent]
    }

    /// Returns how much space to reserve for lists of `bytes`: with the newest lists in the middle,
    /// one contiguous third stays free, and there is some room for growing lists.
    private static func room(_ bytes: UInt64) -> UInt64 { (bytes * 7 / 2 + 7) & ~7 }

    /// Reserves space for lists of at most `bytes`, and the rest of the space around the newest
    /// lists.
    ///
    /// A commit replaces the lists of the one before. Lists are written to the free space adjacent
    /// to the newest lists, alternately before and after these, so that later commits find the same
    /// space again. If it has become too small, new space is reserved; if no extent is large
    /// enough, the file grows.
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
        // Space of this size contains a third of it within one section, wherever it begins.
        let room = Self.room(bytes)
        if bestFit(room) == nil { extend(by: room, page: page) }
        let reserve = takeFirst(room, of: bestFit(room)!)
        return ListSpace(reserve: reserve, all: [reserve])
    }

    /// Minimum size in bytes of an extent that is left to nodes.
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
