/// Assigns ordinals to combinations of values, one value per grouping key. The first combination
/// that occurs has the ordinal 0, the next different one 1, and so on. Without keys there is one
/// combination.
///
/// Confined to one thread.
final class CombinationNumbers {
    let readers: [GroupKeyReader]
    /// Assigns ordinals to combinations of two and more keys, one key after the other; there is one
    /// element for each key except the first. An element assigns an ordinal, from 0 on, to each
    /// pair: the ordinal of the combination of the previous keys, and the ordinal of this key's
    /// value.
    private let pairs: [PairNumbers]
    /// Ordinal of the combination of key values in each row of the leaf that `read` received last.
    let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: ClusterRows.maximum)
    /// Buffer with one number per row, which callers may use between calls of `read`.
    let scratch = UnsafeMutablePointer<UInt32>.allocate(capacity: ClusterRows.maximum)

    init(
        _ keys: [BoundSortKey], _ evaluator: QueryEvaluator, _ memory: QueryMemoryLimit
    ) throws(RealmError) {
        readers = try keys.map { (key) throws(RealmError) in
            try GroupKeyReader(key, evaluator, copiesTexts: memory.copiesTexts)
        }
        pairs = keys.dropFirst().map { _ in PairNumbers() }
        numbers.initialize(repeating: 0, count: ClusterRows.maximum)
    }

    deinit {
        numbers.deallocate()
        scratch.deallocate()
    }

    /// Number of different combinations of key values so far.
    var count: Int { pairs.last?.count ?? readers.first?.values.count ?? 1 }

    /// Memory in bytes used by the hash tables of key values and of combinations of key values.
    var size: Int {
        readers.reduce(0) { $0 + $1.values.size } + pairs.reduce(0) { $0 + $1.size }
    }

    func removeAll() {
        for reader in readers { reader.removeAll() }
        for pair in pairs { pair.removeAll() }
    }

    /// Whether a quick check finds that the key values of all selected rows have occurred before,
    /// so that each has an ordinal. False if a value is new, and also if only a search of the hash
    /// tables could decide.
    func hasAll(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) -> Bool {
        guard readers.count == 1 else { return false }
        return try readers[0].hasAll(leaf, rows)
    }

    /// Stores in `numbers`, for each selected row, the ordinal of the combination of the row's key
    /// values.
    func read(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {
        let (numbers, others) = (numbers, scratch)
        try readers.first?.read(leaf, rows, to: numbers)
        var total = readers.first?.values.count ?? 1
        for (reader, pair) in zip(readers.dropFirst(), pairs) {
            try reader.read(leaf, rows, to: others)
            pair.read(
                numbers, below: total, others, below: reader.values.count, rows, to: numbers)
            total = pair.count
        }
    }

    /// Returns the combination of key values that has the ordinal `combination`: for each key, the
    /// ordinal of its value.
    func parts(of combination: Int) -> [Int] {
        if readers.isEmpty { return [] }
        var parts: [Int] = []
        var number = combination
        for pair in pairs.reversed() {
            parts.append(pair[number].second)
            number = pair[number].first
        }
        parts.append(number)
        return parts.reversed()
    }
}
