/// Integers that wait for insertion into an index, each larger than all earlier ones. They are
/// inserted later, sorted in the order of the index. The index sorts integers by their lowest byte
/// first, so consecutive integers belong to different nodes, and immediate insertions would change
/// all nodes.
///
/// The integers stay pending when the transaction is spilled, so a large transaction rewrites its
/// indexes once.
final class PendingIntegers {
    /// Consecutive integers of objects with consecutive keys, such as 5, 6, 7 of the objects 1, 2,
    /// 3.
    struct Run {
        let number: Int64
        let key: Int64
        var count: Int64
    }

    private(set) var runs: [Run] = []
    private(set) var count = 0
    /// The largest integer in the index or among the pending ones, or an upper bound; nil if
    /// unknown.
    private(set) var largest: Int64?
    /// Index of the first zone whose pending integers are not inserted yet. A zone contains all
    /// integers with the same lowest byte; zones are numbered from 0 to 255 in the order of the
    /// index.
    private var firstZone = 0
    /// Pending changes that are no ascending integers; nil if there are none. While there are such
    /// changes, no integers are pending.
    private(set) var changes: IndexChanges?
    /// Whether insertions of words are deferred. True while the index is being created; otherwise
    /// words are inserted at once, and only changes of whole values are deferred.
    var defersWords = false
    /// Number of changes of the index in this transaction; not counted beyond a limit.
    private var changeCount = 0

    /// - Parameter largest: upper bound of the integers in the index; nil if unknown.
    init(largest: Int64? = nil) { self.largest = largest }

    /// Sets `largest` for an index without integers: every integer is larger.
    func beginEmpty() { largest = .min }

    var isEmpty: Bool { count == 0 }
    /// Whether the pending integers take much memory, so that they should be inserted now.
    var isLarge: Bool { runs.count > 1 << 18 }

    /// Adds an integer that is larger than all integers in the index and all pending integers.
    func append(_ number: Int64, _ key: Int64) {
        precondition(firstZone == 0, "the integers were already inserted")
        largest = number
        count += 1
        if let last = runs.last, last.number &+ last.count == number, last.key &+ last.count == key,
            number > last.number
        {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(number: number, key: key, count: 1))
        }
    }

    /// Returns the key of the object with the pending integer `number`; nil if `number` is not
    /// pending.
    func key(of number: Int64) -> Int64? {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let run = runs[low - 1]
        // `run.number` is at most `number`, so the subtraction does not overflow.
        let distance = number &- run.number
        return distance >= 0 && distance < run.count ? run.key &+ distance : nil
    }

    var hasChanges: Bool { changes.map { !$0.isEmpty } ?? false }

    /// Whether the transaction has already made `limit` changes of the index. If not, counts one
    /// more.
    @inline(__always)
    func reaches(_ limit: Int) -> Bool {
        if changeCount >= limit { return true }
        changeCount &+= 1
        return false
    }

    func beginTransaction() { changeCount = 0 }

    /// Returns the pending changes; makes an empty object if there are none.
    func openChanges(_ bytes: ByteCount) -> IndexChanges {
        if let changes { return changes }
        let fresh = IndexChanges(bytes)
        changes = fresh
        return fresh
    }

    /// Updates `largest`, when `value` is inserted in the index directly.
    @inline(__always)
    func note(_ value: Value) {
        guard let known = largest else { return }
        switch value {
        case .int(let number): if number > known { largest = number }
        case .null: return
        // A float, double or decimal may have the same index string as an integer, so the largest
        // integer is unknown.
        default: largest = nil
        }
    }

    func removeAll() {
        runs = []
        count = 0
        firstZone = 0
    }

    /// Returns the zones to insert next. A zone contains the integers with one of the 256 values of
    /// the lowest byte, in the order of the index.
    ///
    /// - Parameter parts: number of about equal parts in which all zones are to be inserted.
    func nextZones(_ parts: Int) -> Range<Int> {
        firstZone..<min(256, firstZone + max(1, 256 / parts))
    }

    /// Records that the pending integers of `zones` have been inserted. A zone contains the
    /// integers with one value of the lowest byte. Frees all pending integers after the last zone.
    func markInserted(_ zones: Range<Int>) {
        firstZone = zones.upperBound
        if firstZone == 256 { removeAll() }
    }

    /// Discards pending integers and changes; the largest integer becomes unknown.
    func invalidate() {
        removeAll()
        changes = nil
        defersWords = false
        largest = nil
    }

    /// Appends the pending integers of `zones` to `pairs`, unsorted: the sort key of each integer,
    /// and the key of its object.
    func collect(_ zones: Range<Int>, into pairs: inout NumberPairs) {
        for run in runs {
            if zones.count == 256 || run.count < 256 {
                for i in 0..<run.count {
                    let number = run.number &+ i
                    if zones.contains(Self.zone(number)) {
                        pairs.append(Self.place(number), run.key &+ i)
                    }
                }
            } else {
                collect(zones, run, into: &pairs)
            }
        }
    }

    private func collect(_ zones: Range<Int>, _ run: Run, into pairs: inout NumberPairs) {
        for zone in zones {
            var i = Int64(((zone ^ 0x80) &- Int(truncatingIfNeeded: run.number)) & 0xFF)
            while i < run.count {
                pairs.append(Self.place(run.number &+ i), run.key &+ i)
                i += 256
            }
        }
    }

    private static func zone(_ number: Int64) -> Int {
        Int(truncatingIfNeeded: number & 0xFF) ^ 0x80
    }

    /// Returns the sort key of an integer. Integers sorted by it are in the order of the trie,
    /// which compares the low four bytes in reversed order, then the high four bytes.
    @inline(__always)
    static func place(_ number: Int64) -> Int64 {
        let chunk = UInt32(truncatingIfNeeded: number).byteSwapped
        return Int64(Int32(bitPattern: chunk)) << 32
            | Int64(UInt32(truncatingIfNeeded: number >> 32))
    }

    /// Returns the integer whose sort key is `place`.
    @inline(__always)
    static func number(_ place: Int64) -> Int64 {
        let low = UInt32(truncatingIfNeeded: place >> 32).byteSwapped
        return place << 32 | Int64(low)
    }
}

extension IndexEditor {
    /// Inserts all pending integers, and applies all pending changes.
    func flushPendingEntries() throws(RealmError) {
        try insertPendingIntegers()
        if waiting.hasChanges { try applyPendingChanges() }
    }

    func insertPendingIntegers() throws(RealmError) {
        while !waiting.isEmpty { try insertSomePendingIntegers(of: waiting.count) }
    }

    /// Whether insertions of integers, or other changes of the index, are pending.
    var isWaiting: Bool { !waiting.isEmpty || waiting.hasChanges }

    /// Number of integers that are inserted at a time, to limit the memory for sorting them.
    static let portion = 1 << 18

    /// Inserts the pending integers of the next zones, about `portion` integers at a time. A zone
    /// contains the integers with the same lowest byte.
    ///
    /// - Parameter total: number of integers in the index and pending, which determines the number
    ///   of zones.
    func insertSomePendingIntegers(of total: Int) throws(RealmError) {
        guard !waiting.isEmpty else { return }
        let zones = waiting.nextZones(max(total, waiting.count) / Self.portion + 1)
        var pairs = NumberPairs(capacity: waiting.count * zones.count / 256 + 1024)
        waiting.collect(zones, into: &pairs)
        pairs.sort()
        try insert(UnsafeBufferPointer(start: pairs.base, count: pairs.count))
        waiting.markInserted(zones)
    }

    /// Inserts integers into the trie. None of them may be in the index.
    ///
    /// - Parameter pairs: sort key of each integer (`PendingIntegers.place`) and key of its object,
    ///   sorted by sort key.
    private func insert(_ pairs: UnsafeBufferPointer<NumberPair>) throws(RealmError) {
        gap = nil
        recent.removeAll()
        var i = 0
        while i < pairs.count, !isStale {
            let merged = try merge(UnsafeBufferPointer(rebasing: pairs[i...]))
            if merged > 0 {
                i += merged
            } else {
                let number = PendingIntegers.number(pairs[i].number)
                try insertNow(
                    Entry(
                        string: IndexString(number), value: .int(number), key: pairs[i].payload))
                i += 1
            }
        }
    }

    /// Inserts as many of the first integers as belong to one leaf, without splitting the leaf.
    /// Returns the number of inserted integers.
    private func merge(_ pairs: UnsafeBufferPointer<NumberPair>) throws(RealmError) -> Int {
        path.remove(from: 0)
        let chunk = Int32(truncatingIfNeeded: pairs[0].number >> 32)
        let (slot, leaf) = try makePathWritable(chunk, level: rootSlot, isNew: false)
        let room = context.fanout.index - leaf.count
        guard room > 0, leaf.count > 0 else { return 0 }
        let isLast = path.steps.allSatisfy {
            $0.child == IndexNode(context.slab, Ref($0.slot.pointee)).count - 1
        }
        let node = try ensureCapacity(slot, for: leaf.count + min(room, pairs.count))
        let merged = node.merge(pairs, room: room, isLast: isLast)
        guard isLast else { return merged }
        for step in path.steps {
            IndexNode(context.slab, Ref(step.slot.pointee)).chunks[step.child] = node.lastChunk
        }
        return merged
    }
}
