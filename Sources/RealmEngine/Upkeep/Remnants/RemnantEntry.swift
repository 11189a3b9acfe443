/// One state of an object as it is kept for sorting.
struct RemnantEntry {
    /// `ObjectKey.none` where it is lost.
    let key: ObjectKey
    let digest: UInt64
    /// Version of the state; 0 where no readable version has it.
    let version: UInt64
    /// Byte offset of the leaf.
    let offset: UInt64
    let piece: Int32
    /// Positions in the sets of columns.
    let changed: Int32
    let missing: Int32
    var copies: Int32 = 1
    let row: Int16
    let state: Remnant.State
    let certainty: Remnant.Certainty

    /// Whether this state is newer than another one. States of readable versions are the newest; of the
    /// others, the one at the higher offset was as a rule written later.
    func isNewer(than other: RemnantEntry) -> Bool {
        (version, offset) > (other.version, other.offset)
    }

    /// Those without a key come last.
    private var rank: UInt64 { key == .none ? .max : UInt64(bitPattern: key.raw) }

    /// Negative, zero or positive: by key, then by content, then the best and newest copy first.
    func compare(_ other: RemnantEntry) -> Int {
        if key != other.key { return rank < other.rank ? -1 : 1 }
        if digest != other.digest { return digest < other.digest ? -1 : 1 }
        if certainty != other.certainty { return certainty < other.certainty ? -1 : 1 }
        return isNewer(than: other) ? -1 : other.isNewer(than: self) ? 1 : 0
    }
}

/// Sorts entries. Those that do not fit into memory go to temporary files.
///
/// Confined to one thread.
final class RemnantSorter {
    private var entries: [RemnantEntry] = []
    private let most: Int
    private let memory: QueryMemoryLimit
    private var runs: SortedRuns?

    /// - Parameter most: entries that are kept in memory.
    init(_ memory: QueryMemoryLimit, most: Int) { (self.memory, self.most) = (memory, most) }

    /// Adds an entry. Throws `output` when the disk is full.
    func append(_ entry: RemnantEntry) throws(RealmError) {
        if entries.count == most { try spill() }
        entries.append(entry)
    }

    private func sort() { entries.sort { $0.compare($1) < 0 } }

    private func spill() throws(RealmError) {
        if runs == nil { runs = try SortedRuns(memory) }
        sort()
        for var entry in entries { try runs?.append(&entry, Order.size) }
        try runs?.endRun(Order())
        entries.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with all entries in order until it returns false. Nothing is added afterwards.
    func visit(
        _ body: (RemnantEntry) throws(RealmError) -> Bool
    ) throws(RealmError) {
        guard let runs else {
            sort()
            for entry in entries where try !body(entry) { return }
            return
        }
        try spill()
        entries = []
        let merged = try runs.merged(Order())
        while let record = merged.next() {
            if try !body(record.load(as: RemnantEntry.self)) { return }
        }
    }

    private struct Order: RunOrder {
        static let size = MemoryLayout<RemnantEntry>.stride
        var recordSize: Int { Self.size }

        func compare(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
            a.load(as: RemnantEntry.self).compare(b.load(as: RemnantEntry.self))
        }
    }
}
