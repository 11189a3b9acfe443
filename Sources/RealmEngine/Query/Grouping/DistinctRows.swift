/// Finds the first object of each combination of values, leaf by leaf in table order: DISTINCT
/// without a sort.
///
/// Confined to one thread.
struct DistinctRows {
    private let combinations: CombinationNumbers
    private let memoryLimit: Int
    /// Number of different combinations of values found so far.
    private(set) var count = 0

    /// Nil if a key is not supported: a computed key, a key that cannot be compared, or a key
    /// through links, which has no value after a null link.
    init?(
        _ keys: [BoundSortKey], _ evaluator: QueryEvaluator, _ memory: QueryMemoryLimit
    ) throws(RealmError) {
        guard keys.allSatisfy({ $0.hops.isEmpty && $0.operand == nil && $0.failure == nil }) else {
            return nil
        }
        combinations = try CombinationNumbers(keys, evaluator, memory)
        memoryLimit = memory.sorting
    }

    /// Columns of the queried class that the keys of DISTINCT read.
    var columns: [ColumnLeaves] { combinations.readers.compactMap(\.ownColumn) }

    /// Whether the different combinations of key values use more memory than the limit.
    var isFull: Bool { combinations.size > memoryLimit }

    /// Returns the selected rows whose combination of key values occurs for the first time. Later
    /// rows of the table must be passed after earlier ones.
    mutating func firstRows(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) -> Selection
    {
        if try combinations.hasAll(leaf, rows) { return .none }
        try combinations.read(leaf, rows)
        let total = combinations.count
        if total == count { return .none }
        var first = Selection.none
        var next = count
        rows.each { row in
            if Int(combinations.numbers[row]) == next {
                first.insert(row)
                next += 1
            }
        }
        count = total
        return first
    }
}
