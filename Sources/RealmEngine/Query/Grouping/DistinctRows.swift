/// The first object of each combination of values, found leaf by leaf in table order: DISTINCT without
/// a sort.
///
/// Confined to one thread.
final class DistinctRows {
    private let readers: [GroupKeyReader]
    /// Numbers of pairs: of a combination of all keys before, and of the value of the next key.
    private let pairs: [ValueNumbers]
    private let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: ClusterRows.maximum)
    private let others = UnsafeMutablePointer<UInt32>.allocate(capacity: ClusterRows.maximum)
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
        readers = try keys.map { (key) throws(RealmError) in
            try GroupKeyReader(key, evaluator, copiesTexts: memory.copiesTexts)
        }
        pairs = keys.dropFirst().map { _ in ValueNumbers() }
        memoryLimit = memory.sorting
    }

    deinit {
        numbers.deallocate()
        others.deallocate()
    }

    /// Whether the combinations take more memory than is allowed.
    var isFull: Bool {
        let size = readers.reduce(0) { $0 + $1.values.size } + pairs.reduce(0) { $0 + $1.size }
        return size > memoryLimit
    }

    /// The chosen rows of a leaf whose combination did not occur before.
    func firstRows(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) -> Selection {
        let (numbers, others) = (numbers, others)
        try readers[0].read(leaf, rows, to: numbers)
        for (reader, pair) in zip(readers.dropFirst(), pairs) {
            try reader.read(leaf, rows, to: others)
            rows.each { row in
                numbers[row] = pair.number(
                    of: Int64(numbers[row]) << 32 | Int64(others[row]))
            }
        }
        let total = (pairs.last ?? readers[0].values).count
        if total == count { return .none }
        // Numbers ascend in the order in which the combinations occur.
        var first = Selection.none
        var next = count
        rows.each { row in
            if Int(numbers[row]) == next {
                first.insert(row)
                next += 1
            }
        }
        count = total
        return first
    }
}
