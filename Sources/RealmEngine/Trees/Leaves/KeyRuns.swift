/// A set of object keys of one table, optimised for insertion in ascending order.
struct KeyRuns {
    /// Ranges of keys, in ascending order; no two are adjacent.
    private var runs: [ClosedRange<Int64>] = []
    /// Keys that were added out of order, and so are not in `runs`.
    private var others: Set<Int64> = []

    mutating func insert(_ key: Int64) {
        guard let last = runs.last else { return runs.append(key...key) }
        if key == last.upperBound + 1 {
            runs[runs.count - 1] = last.lowerBound...key
        } else if key > last.upperBound {
            runs.append(key...key)
        } else {
            others.insert(key)
        }
    }

    func contains(_ key: Int64) -> Bool {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < key { low = middle + 1 } else { high = middle }
        }
        if low < runs.count, runs[low].contains(key) { return true }
        return !others.isEmpty && others.contains(key)
    }
}
