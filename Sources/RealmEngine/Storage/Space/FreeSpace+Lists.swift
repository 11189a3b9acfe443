/// Space for the free lists, apart from the nodes' (<doc:Commit>).
extension FreeSpace {
    /// Free space taken for the lists.
    struct ListSpace {
        /// Extent that the lists of this commit go to.
        var reserve: Extent
        /// Extents that nodes stay out of, `reserve` included.
        var all: [Extent]
    }

    /// Bytes of the space for lists for each byte of the lists: with the newest lists in the middle, a
    /// third is still free in one piece, and some bytes more as the lists grow.
    private static func room(_ bytes: UInt64) -> UInt64 { (bytes * 7 / 2 + 7) & ~7 }

    /// Takes space for lists of at most `bytes`, and the rest of the space around the newest lists.
    ///
    /// The lists of a commit die with the next one. They go to free space next to the newest lists, in
    /// turns before and behind them, so the commits that follow find the same space again. Where that has
    /// become too small, there is a new one, which makes the file longer if no extent is large enough.
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
            giveBack(taken)
        }
        // As long as that, it has a third of it in one section wherever it begins.
        let room = Self.room(bytes)
        if bestFit(room) == nil { extend(by: room, page: page) }
        let reserve = takeFirst(room, of: bestFit(room)!)
        return ListSpace(reserve: reserve, all: [reserve])
    }

    /// Extents of fewer bytes are not left to nodes.
    private static let leastRest: UInt64 = 4096

    private mutating func takeFirst(_ bytes: UInt64, of i: Int) -> Extent {
        guard free[i].count > bytes + Self.leastRest else { return take(i) }
        return Extent(start: cut(i, bytes), count: bytes)
    }

    private mutating func takeLast(_ bytes: UInt64, of i: Int) -> Extent {
        let extent = free[i]
        guard extent.count > bytes + Self.leastRest else { return take(i) }
        putBack(i, Extent(start: extent.start, count: extent.count - bytes))
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
