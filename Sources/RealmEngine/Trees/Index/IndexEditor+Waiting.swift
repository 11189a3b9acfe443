/// New integers of an index, each beyond all before, that are added together later in the order of
/// the index: consecutive integers are spread all over it, so that one by one each would reach
/// another node.
///
/// Kept across the writing out of the tree, so that a large transaction rewrites its indexes once.
final class WaitingIntegers {
    /// Numbers and keys that both go up by one.
    struct Run {
        let number: Int64
        let key: Int64
        var count: Int64
    }

    private(set) var runs: [Run] = []
    private(set) var count = 0
    /// No integer of the index, waiting or not, is larger; nil when nobody knows.
    private(set) var largest: Int64?
    /// What is below has been added to the tree.
    private var firstZone = 0
    /// Changes of other values, which wait while no integers do.
    private(set) var changes: IndexChanges?
    /// Whether new words wait too: the index is being made.
    var defersWords = false
    /// Changes of the transaction so far, up to a limit.
    private var changeCount = 0

    /// - Parameter largest: what no integer of the index goes beyond, if that is known.
    init(largest: Int64? = nil) { self.largest = largest }

    /// The index has nothing yet.
    func beginEmpty() { largest = .min }

    var isEmpty: Bool { count == 0 }
    /// So many runs are better added to the tree.
    var isLarge: Bool { runs.count > 1 << 18 }

    /// Adds a number beyond all others.
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

    /// The key that waits with `number`.
    func key(of number: Int64) -> Int64? {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let run = runs[low - 1]
        // Neither is far enough from the other to overflow: runs ascend.
        let distance = number &- run.number
        return distance >= 0 && distance < run.count ? run.key &+ distance : nil
    }

    var hasChanges: Bool { changes.map { !$0.isEmpty } ?? false }

    /// Whether the transaction has made `limit` changes already; if not, it makes one more.
    @inline(__always)
    func reaches(_ limit: Int) -> Bool {
        if changeCount >= limit { return true }
        changeCount &+= 1
        return false
    }

    func beginTransaction() { changeCount = 0 }

    /// The changes that wait, to be added to.
    func openChanges(_ bytes: ByteCount) -> IndexChanges {
        if let changes { return changes }
        let fresh = IndexChanges(bytes)
        changes = fresh
        return fresh
    }

    /// A value joins the tree itself.
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

    /// The next one of so many parts of the index.
    func nextZones(_ parts: Int) -> Range<Int> {
        firstZone..<min(256, firstZone + max(1, 256 / parts))
    }

    /// That part has been added to the tree.
    func settled(_ zones: Range<Int>) {
        firstZone = zones.upperBound
        if firstZone == 256 { removeAll() }
    }

    /// Nothing is known any more.
    func forget() {
        removeAll()
        changes = nil
        defersWords = false
        largest = nil
    }

    /// The waiting integers whose lowest bytes are in `zones`, which are in the order of the index.
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

    /// What sorts a number into the order of the index: its first chunk, then the rest.
    @inline(__always)
    static func place(_ number: Int64) -> Int64 {
        let chunk = UInt32(truncatingIfNeeded: number).byteSwapped
        return Int64(Int32(bitPattern: chunk)) << 32
            | Int64(UInt32(truncatingIfNeeded: number >> 32))
    }

    /// The number at a place.
    @inline(__always)
    static func number(_ place: Int64) -> Int64 {
        let low = UInt32(truncatingIfNeeded: place >> 32).byteSwapped
        return place << 32 | Int64(low)
    }
}

extension IndexEditor {
    /// Adds everything that waits to the tree.
    func settleWaiting() throws(RealmError) {
        try settleIntegers()
        if waiting.hasChanges { try settleChanges() }
    }

    func settleIntegers() throws(RealmError) {
        while !waiting.isEmpty { try settleSome(of: waiting.count) }
    }

    /// Something is in no node yet.
    var isWaiting: Bool { !waiting.isEmpty || waiting.hasChanges }

    /// Integers that are added at a time.
    static let portion = 1 << 18

    /// Adds what waits for one part of the tree: a `portion` of the `total` that it is going to hold.
    func settleSome(of total: Int) throws(RealmError) {
        guard !waiting.isEmpty else { return }
        let zones = waiting.nextZones(max(total, waiting.count) / Self.portion + 1)
        var pairs = NumberPairs(capacity: waiting.count * zones.count / 256 + 1024)
        waiting.collect(zones, into: &pairs)
        pairs.sort()
        try insert(UnsafeBufferPointer(start: pairs.base, count: pairs.count))
        waiting.settled(zones)
    }

    /// Adds integers in the order of the index. None of them is in it yet.
    private func insert(_ pairs: UnsafeBufferPointer<NumberPair>) throws(RealmError) {
        gap = nil
        recent.removeAll()
        var i = 0
        while i < pairs.count, !isStale {
            let merged = try merge(UnsafeBufferPointer(rebasing: pairs[i...]))
            if merged > 0 {
                i += merged
            } else {
                let number = WaitingIntegers.number(pairs[i].number)
                try insertNow(
                    Entry(
                        string: IndexString(number), value: .int(number), key: pairs[i].payload))
                i += 1
            }
        }
    }

    /// Adds the first pairs to the leaf they belong to, as long as no node splits; answers how many.
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
