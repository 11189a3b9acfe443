/// Backlinks of a table that are not stored in its cells yet.
///
/// A backlink is queued first. Storing the queues moves it to its cell, or to a list that stays
/// open until the table is written.
struct PendingBacklinks {
    /// New backlinks, by leaf index.
    private var queues: [BacklinkQueue?] = []
    /// Whether any queue has backlinks.
    private(set) var hasQueued = false
    /// Lists opened for editing.
    private(set) var lists: [BacklinkCell: BacklinkList] = [:]

    /// Whether all backlinks are stored in the cells.
    var isEmpty: Bool { !hasQueued && lists.isEmpty }

    // MARK: Queues

    /// The queue of a backlink column.
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

    /// Records that a queue has a backlink; returns false if one already had.
    @inline(__always)
    mutating func recordQueued() -> Bool {
        if hasQueued { return false }
        hasQueued = true
        return true
    }

    /// Begins storing the queues; returns their leaf indexes.
    mutating func beginStoring() -> Range<Int> {
        hasQueued = false
        return queues.indices
    }

    /// Removes the queue of a column; nil if it has no backlinks.
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

/// The cell of an object in a backlink column.
struct BacklinkCell: Hashable {
    let leafIndex: Int
    let key: ObjectKey
}

/// New backlinks of one backlink column, in the order in which they were made.
final class BacklinkQueue {
    /// Targets, with the origin of each link as payload.
    private var pairs = NumberPairs()

    var count: Int { pairs.count }

    @inline(__always)
    func append(_ target: Int64, _ origin: Int64) { pairs.append(target, origin) }

    /// Calls `body` with each target and the origins of its links, in order.
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
