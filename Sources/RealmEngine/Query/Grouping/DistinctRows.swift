/// The first object of each combination of values, found leaf by leaf in table order: DISTINCT without
/// a sort.
///
/// Confined to one thread.
struct DistinctRows {
    private let combinations: CombinationNumbers
    private let memoryLimit: Int
    /// Number of combinations.
    private(set) var count = 0

    /// Nil for keys through links, since objects after a null link have no value there, for calculated
    /// keys, and for keys that cannot be compared.
    init?(
        _ keys: [BoundSortKey], _ evaluator: QueryEvaluator, _ memory: QueryMemory
    ) throws(RealmError) {
        guard keys.allSatisfy({ $0.hops.isEmpty && $0.operand == nil && $0.failure == nil }) else {
            return nil
        }
        combinations = try CombinationNumbers(keys, evaluator, memory)
        memoryLimit = memory.sorting
    }

    /// Columns that are read.
    var columns: [ColumnLeaves] { combinations.readers.compactMap(\.ownColumn) }

    /// Whether the combinations take more memory than is allowed.
    var isFull: Bool { combinations.size > memoryLimit }

    /// The chosen rows of a leaf whose combination did not occur before.
    mutating func firstRows(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) -> Selection
    {
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
