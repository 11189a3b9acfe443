/// Counts the objects for each pair of a group and a value of one property. Used for functions of
/// sorted values, such as the median.
final class GroupValues {
    private let reader: GroupKeyReader
    /// Assigns an ordinal to each pair of a group and a value. A pair consists of the ordinal of
    /// the group and the ordinal of the value. Nil if there is only one group; the ordinal of the
    /// value then serves as the ordinal of the pair.
    private let pairs: PairNumbers?
    /// Number of objects with each group and value; the index is the ordinal of the pair.
    private let counts = ReusedBuffer<Int>()

    /// A group, one of the values that occur in the group, and the number of its occurrences.
    struct Entry {
        let group: Int
        let value: Value
        let count: Int
    }

    init(
        _ column: BoundColumn, _ evaluator: QueryEvaluator, isGrouped: Bool, copiesTexts: Bool
    ) throws(RealmError) {
        let key = BoundSortKey(
            hops: [], column: column, key: nil, isAscending: true, failure: nil, name: "")
        reader = try GroupKeyReader(key, evaluator, copiesTexts: copiesTexts)
        pairs = isGrouped ? PairNumbers() : nil
    }

    /// Column of the property whose values are counted, if the property belongs to the queried
    /// object itself; nil if a path leads to the property.
    var column: ColumnLeaves? { reader.ownColumn }

    /// Memory in bytes of the different values, of the pairs of group and value, and of their
    /// counts.
    var size: Int { reader.values.size + (pairs?.size ?? 0) + counts.count * 8 }

    /// Counts the values in the selected rows of a leaf by group.
    ///
    /// - Parameters:
    ///     - groups: ordinal of each row's group, less than `groupCount`.
    ///     - numbers: buffer for one number per row.
    func add(
        _ leaf: ClusterLeaf, _ rows: Selection, _ groups: UnsafePointer<UInt32>,
        below groupCount: Int, _ numbers: UnsafeMutablePointer<UInt32>
    ) throws(RealmError) {
        try reader.read(leaf, rows, to: numbers)
        if let pairs {
            pairs.read(
                groups, below: groupCount, numbers, below: reader.values.count, rows, to: numbers)
        }
        let total = pairs?.count ?? reader.values.count
        while counts.count < total { counts.append(0) }
        let counts = counts.mutable.baseAddress!
        rows.each { counts[Int(numbers[$0])] &+= 1 }
    }

    func removeAll() {
        reader.removeAll()
        pairs?.removeAll()
        counts.removeAll()
    }

    var count: Int { counts.count }

    subscript(i: Int) -> Entry {
        let (group, number) = parts(i)
        return Entry(group: group, value: reader.values.values.all[number], count: counts.all[i])
    }

    private func parts(_ i: Int) -> (group: Int, number: Int) {
        guard let pairs else { return (0, i) }
        let (group, number) = pairs[i]
        return (group, number)
    }

    /// Returns the indexes of all entries, sorted by group and then by value.
    ///
    /// - Parameter places: position of each group in the sorted output; the index is the group's
    ///   ordinal.
    func sorted(_ places: [Int]) -> [Int] {
        let valuePlaces = reader.values.places
        let keys = (0..<count).map { i in
            let (group, number) = parts(i)
            return places[group] << 32 | valuePlaces[number]
        }
        return Array(keys.indices).ordered { keys[$0] < keys[$1] }
    }
}

extension ValueNumbers {
    /// Position of each value in sorted order; element i belongs to the value with the ordinal i.
    var places: [Int] {
        var places = [Int](repeating: 0, count: count)
        let order = Array(0..<count).ordered { self.order($0, $1) < 0 }
        for (place, number) in order.enumerated() { places[number] = place }
        return places
    }
}
