/// Finds the first row of each set of rows with equal DISTINCT keys.
struct DistinctSet {
    private let columns: [SortColumn]
    private let codes: [[UInt64]]
    private let count: Int

    init(_ columns: [SortColumn], count: Int) {
        self.columns = columns
        codes = columns.map { $0.codes() }
        self.count = count
    }

    /// Returns the first row of each set of rows with equal keys, in the order of the rows. Leaves
    /// out rows that have a null link in the path of a key.
    func firstRows() -> [UInt32] {
        var capacity = 1024
        while capacity < count * 2 { capacity *= 2 }
        var slots = [UInt32](repeating: .max, count: capacity)
        var result: [UInt32] = []
        rows: for row in 0..<count {
            for column in columns where column.ranks[row] == SortColumn.missing { continue rows }
            var slot = Int(truncatingIfNeeded: hash(row)) & (capacity - 1)
            while slots[slot] != .max {
                if areEqual(Int(slots[slot]), row) { continue rows }
                slot = (slot + 1) & (capacity - 1)
            }
            slots[slot] = UInt32(row)
            result.append(UInt32(row))
        }
        return result
    }

    private func hash(_ row: Int) -> UInt64 {
        var hash: UInt64 = 0
        for column in codes { hash = (hash ^ column[row]) &* 0x9E37_79B9_7F4A_7C15 }
        return hash ^ hash >> 32
    }

    private func areEqual(_ a: Int, _ b: Int) -> Bool {
        for column in codes where column[a] != column[b] { return false }
        return true
    }
}
