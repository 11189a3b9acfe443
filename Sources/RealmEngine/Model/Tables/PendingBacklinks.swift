/// Backlinks of a table that are not yet stored in cells.
///
/// A new backlink is first added to a queue. When the queues are stored, it moves to the cell of
/// its target object, or to a list editor that stays open until the table is written.
struct PendingBacklinks {
    /// New backlinks of each backlink column. The index is the column's position in a cluster leaf
    /// (leaf index).
    private var queues: [BacklinkQueue?] = []
    /// Whether any of `queues` may contain a backlink.
    private(set) var hasQueued = false
    /// Editors of long backlink lists, by the backlink cells to which the lists belong.
    private(set) var lists: [BacklinkCell: BacklinkList] = [:]

    /// Whether all backlinks are stored in the nodes of the table.
    var isEmpty: Bool { !hasQueued && lists.isEmpty }

    // MARK: Queues

    /// Returns the queue of a backlink column; makes an empty one if there is none.
    @inline(__always)
    mutating func queue(_ leafIndex: Int) -> BacklinkQueue {
        if leafIndex < queues.count, let queue = queues[leafIndex] { return queue }
        return newQueue(leafIndex)
    }

    private mutating func newQueue(_ leafIndex: Int) -> BacklinkQueue {
        while queues.count <= leafIndex { queues.append(nil) }
        let queue = BacklinkQueue()
        queues[leafIndex] = queue
        return queue
    }

    /// Sets `hasQueued` after a backlink was added to a queue. Returns false if it was already set.
    @inline(__always)
    mutating func recordQueued() -> Bool {
        if hasQueued { return false }
        hasQueued = true
        return true
    }

    /// Clears `hasQueued`. The caller then removes each queue with `takeQueue` and stores its
    /// backlinks. Returns the range of column positions to pass to `takeQueue`.
    mutating func beginStoring() -> Range<Int> {
        hasQueued = false
        return queues.indices
    }

    /// Removes and returns the queue of a column; nil if it contains no backlinks.
    mutating func takeQueue(_ leafIndex: Int) -> BacklinkQueue? {
        guard let queue = queues[leafIndex], queue.count > 0 else { return nil }
        queues[leafIndex] = nil
        return queue
    }

    // MARK: Open lists

    @inline(__always)
    func list(_ cell: BacklinkCell) -> BacklinkList? { lists.isEmpty ? nil : lists[cell] }

    mutating func open(_ list: BacklinkList, _ cell: BacklinkCell) { lists[cell] = list }

    mutating func removeList(_ cell: BacklinkCell) -> BacklinkList? {
        lists.removeValue(forKey: cell)
    }

    mutating func takeLists() -> [BacklinkCell: BacklinkList] {
        defer { lists = [:] }
        return lists
    }
}

/// Identifies the cell of one object in a backlink column.
struct BacklinkCell: Hashable {
    let leafIndex: Int
    let key: ObjectKey
}

/// New backlinks of one backlink column, in the order in which they were added.
final class BacklinkQueue {
    /// The new backlinks. `number` is the key of the object to which a link refers, `payload` the
    /// key of the object that contains the link.
    private var pairs = NumberPairs()

    var count: Int { pairs.count }

    @inline(__always)
    func append(_ target: Int64, _ origin: Int64) { pairs.append(target, origin) }

    /// Calls `body` once for each target, in ascending order, with the origins of its links in the
    /// order in which they were added.
    func visitTargets(
        _ body: (Int64, UnsafeBufferPointer<Int64>) throws(RealmError) -> Void
    ) throws(RealmError) {
        pairs.sort()
        let (pairs, count) = (pairs.base, pairs.count)
        let origins = UnsafeMutablePointer<Int64>.allocate(capacity: max(1, count))
        defer { origins.deallocate() }
        for i in 0..<count { origins[i] = pairs[i].payload }
        var start = 0
        while start < count {
            let target = pairs[start].number
            var end = start + 1
            while end < count, pairs[end].number == target { end += 1 }
            try body(target, UnsafeBufferPointer(start: origins + start, count: end - start))
            start = end
        }
    }
}
