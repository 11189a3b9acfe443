/// Pending integers of an index, each larger than all earlier ones, which are inserted later in
/// index order. Consecutive integers are spread over the whole index, so that each insertion would
/// reach another node.
///
/// Kept across spills, so that a large transaction rewrites its indexes once.
final class PendingIntegers {
    /// Consecutive numbers with consecutive keys.
    struct Run {
        let number: Int64
        let key: Int64
        var count: Int64
    }

    private(set) var runs: [Run] = []
    private(set) var count = 0
    /// The largest integer in the index or pending; nil if unknown.
    private(set) var largest: Int64?
    /// Zones below this one are already inserted.
    private var firstZone = 0
    /// Pending changes of other values; they and pending integers exclude each other.
    private(set) var changes: IndexChanges?
    /// Whether insertions of words are deferred too, while the index is being created.
    var defersWords = false
    /// Number of changes of the transaction so far, up to a limit.
    private var changeCount = 0

    /// - Parameter largest: upper bound of the integers in the index; nil if unknown.
    init(largest: Int64? = nil) { self.largest = largest }

    /// Marks the index as empty.
    func beginEmpty() { largest = .min }

    var isEmpty: Bool { count == 0 }
    /// Whether there are so many runs that they should be inserted now.
    var isLarge: Bool { runs.count > 1 << 18 }

    /// Adds a number that is larger than all others.
    func append(_ number: Int64, _ key: Int64) {
        precondition(firstZone == 0, "a part of what waits has been settled")
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

    /// Returns the key of a pending number; nil if `number` is not pending.
    func key(of number: Int64) -> Int64? {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let run = runs[low - 1]
        // Runs ascend, so the difference cannot overflow.
        let distance = number &- run.number
        return distance >= 0 && distance < run.count ? run.key &+ distance : nil
    }

    var hasChanges: Bool { changes.map { !$0.isEmpty } ?? false }

    /// Whether the transaction has already made `limit` changes; otherwise counts one more.
    @inline(__always)
    func reaches(_ limit: Int) -> Bool {
        if changeCount >= limit { return true }
        changeCount &+= 1
        return false
    }

    func beginTransaction() { changeCount = 0 }

    /// Returns the pending changes, for an addition.
    func openChanges(_ bytes: ByteCount) -> IndexChanges {
        if let changes { return changes }
        let fresh = IndexChanges(bytes)
        changes = fresh
        return fresh
    }

    /// Updates `largest` for a value that is inserted directly.
    @inline(__always)
    func note(_ value: Value) {
        guard let known = largest else { return }
        switch value {
        case .int(let number): if number > known { largest = number }
        case .null: return
        // Numbers of other types can be equal to integers.
        default: largest = nil
        }
    }

    func removeAll() {
        runs = []
        count = 0
        firstZone = 0
    }

    /// Returns the next of `parts` parts of the index.
    func nextZones(_ parts: Int) -> Range<Int> {
        firstZone..<min(256, firstZone + max(1, 256 / parts))
    }

    /// Marks a part of the index as inserted.
    func markInserted(_ zones: Range<Int>) {
        firstZone = zones.upperBound
        if firstZone == 256 { removeAll() }
    }

    /// Discards pending integers and changes, and the largest integer.
    func invalidate() {
        removeAll()
        changes = nil
        defersWords = false
        largest = nil
    }

    /// Appends the pending integers of `zones`, the values of their lowest byte in index order.
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

    /// Returns the sort key of a number in index order: its first chunk, then its second one.
    @inline(__always)
    static func place(_ number: Int64) -> Int64 {
        let chunk = UInt32(truncatingIfNeeded: number).byteSwapped
        return Int64(Int32(bitPattern: chunk)) << 32
            | Int64(UInt32(truncatingIfNeeded: number >> 32))
    }

    /// Returns the number with a sort key.
    @inline(__always)
    static func number(_ place: Int64) -> Int64 {
        let low = UInt32(truncatingIfNeeded: place >> 32).byteSwapped
        return place << 32 | Int64(low)
    }
}

extension IndexEditor {
    /// Inserts pending integers and applies pending changes.
    func flushPendingEntries() throws(RealmError) {
        try insertPendingIntegers()
        if waiting.hasChanges { try applyPendingChanges() }
    }

    func insertPendingIntegers() throws(RealmError) {
        while !waiting.isEmpty { try insertSomePendingIntegers(of: waiting.count) }
    }

    /// Whether integers or changes are pending.
    var isWaiting: Bool { !waiting.isEmpty || waiting.hasChanges }

    /// Number of integers per part.
    static let portion = 1 << 18

    /// Inserts the pending integers of one part of the index. Parts are sized to contain a
    /// `portion` of the `total` integers.
    func insertSomePendingIntegers(of total: Int) throws(RealmError) {
        guard !waiting.isEmpty else { return }
        let zones = waiting.nextZones(max(total, waiting.count) / Self.portion + 1)
        var pairs = NumberPairs(capacity: waiting.count * zones.count / 256 + 1024)
        waiting.collect(zones, into: &pairs)
        pairs.sort()
        try insert(UnsafeBufferPointer(start: pairs.base, count: pairs.count))
        waiting.markInserted(zones)
    }

    /// Inserts integers in index order. None of them may be in the index.
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

    /// Inserts the first pairs into the leaf they belong to, until a node would split. Returns
    /// their number.
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
