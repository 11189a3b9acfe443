/// Hash table from a few short texts, each padded to a cell of 16 bytes, to the ordinals that
/// `ValueNumbers` assigned to the texts. The multiplier of the hash is chosen so that each cell has
/// its own slot; a lookup is one comparison.
///
/// Confined to one thread.
final class FewCells {
    struct Entry {
        let low: UInt64
        let high: UInt64
        let number: UInt32
    }

    private let slots: UnsafeMutablePointer<Entry>
    private var entries: [Entry] = []
    private var multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    /// Whether every text that was inserted has a slot of the hash table for itself, so that one
    /// comparison decides a lookup. False before the first insertion.
    private(set) var isComplete = false
    /// Whether inserting has ended, because there are too many cells, or because each multiplier
    /// that was tried maps two cells to the same slot.
    private var isFull = false

    private static let bits = 8
    private static let maximumCount = 24
    private static let attempts = 64
    /// Content of the free slots of the hash table, except the first slot. A lookup of a cell with
    /// these bytes never compares the cell with one of these slots: its hash is 0, so it belongs in
    /// the first slot.
    private static let free = Entry(low: 0, high: 0, number: CellNumbers.unknown)
    /// Content of the first slot of the hash table while it is free. A lookup of a cell with these
    /// bytes never compares the cell with the first slot. Only a cell with the hash 0 belongs in
    /// the first slot, and `place` rejects each multiplier with which this cell has the hash 0.
    private static let first = Entry(low: 1, high: 0, number: CellNumbers.unknown)

    init() {
        slots = .allocate(capacity: 1 << Self.bits)
        slots.initialize(repeating: Self.free, count: 1 << Self.bits)
    }

    deinit { slots.deallocate() }

    @inline(__always)
    private static func slot(_ low: UInt64, _ high: UInt64, _ multiplier: UInt64) -> Int {
        Int(truncatingIfNeeded: ((low ^ high) &* multiplier) &>> UInt64(64 - bits))
    }

    func insert(_ entry: Entry) {
        if isFull || entries.contains(where: { $0.low == entry.low && $0.high == entry.high }) {
            return
        }
        entries.append(entry)
        isComplete = entries.count <= Self.maximumCount && placeAll()
        isFull = !isComplete
    }

    /// Tries multipliers of the hash until every entry has a slot of its own. Returns false if none
    /// is found.
    private func placeAll() -> Bool {
        for _ in 0..<Self.attempts {
            if place() { return true }
            multiplier = multiplier &* 0xD6E8_FEB8_6659_FD93 | 1
        }
        return false
    }

    /// Fills the slots with all entries, at the positions that their hashes with the current
    /// `multiplier` select. Returns false if two entries would need the same slot.
    private func place() -> Bool {
        if Self.slot(Self.first.low, 0, multiplier) == 0 { return false }
        slots.update(repeating: Self.free, count: 1 << Self.bits)
        slots[0] = Self.first
        for entry in entries {
            let slot = slots + Self.slot(entry.low, entry.high, multiplier)
            guard slot.pointee.number == CellNumbers.unknown else { return false }
            slot.pointee = entry
        }
        return true
    }

    /// Looks up the text of each selected row, which the leaf stores as a cell of 16 bytes. Stores
    /// the text's ordinal (its number in `ValueNumbers`) in `numbers`, or `unknown` if the hash
    /// table does not contain the text. Returns whether a text is missing.
    func find(
        _ cells: UnsafeRawPointer, _ rows: Selection, _ numbers: UnsafeMutablePointer<UInt32>
    ) -> Bool {
        let (slots, multiplier) = (slots, multiplier)
        var hasOthers = false
        rows.each { row in
            let low = cells.load(fromByteOffset: row &* 16, as: UInt64.self)
            let high = cells.load(fromByteOffset: row &* 16 &+ 8, as: UInt64.self)
            let entry = slots + Self.slot(low, high, multiplier)
            if (entry.pointee.low ^ low) | (entry.pointee.high ^ high) == 0 {
                numbers[row] = entry.pointee.number
            } else {
                numbers[row] = CellNumbers.unknown
                hasOthers = true
            }
        }
        return hasOthers
    }

    /// Whether the cells of all selected rows, texts padded to 16 bytes, are in the hash table.
    func hasAll(_ cells: UnsafeRawPointer, _ rows: Selection) -> Bool {
        let (slots, multiplier) = (slots, multiplier)
        var difference: UInt64 = 0
        rows.each { row in
            let low = cells.load(fromByteOffset: row &* 16, as: UInt64.self)
            let high = cells.load(fromByteOffset: row &* 16 &+ 8, as: UInt64.self)
            let entry = slots + Self.slot(low, high, multiplier)
            difference |= (entry.pointee.low ^ low) | (entry.pointee.high ^ high)
        }
        return difference == 0
    }
}
