/// Sorted constants of one type from a long list, searched by bisection.
struct SortedMembers: Sendable {
    private let values: [Value]
    private let type: TypeMask
    private let hasNull: Bool

    /// Minimum length of an IN list for which sorting its constants saves time.
    private static let minimumSortedCount = 16

    /// Nil if `members` has few values or values of several types: for numbers of different types,
    /// no order is consistent with equality (query language 8.3).
    init?(_ members: [Value]) {
        guard members.count >= Self.minimumSortedCount else { return nil }
        var values: [Value] = []
        values.reserveCapacity(members.count)
        for member in members {
            if case .null = member { continue }
            values.append(member)
        }
        guard let first = values.first, values.allSatisfy({ TypeMask($0) == TypeMask(first) })
        else { return nil }
        type = TypeMask(first)
        hasNull = values.count < members.count
        values.order { ValueRules.compare($0, $1) < 0 }
        self.values = values
    }

    /// Whether `value` equals one of the constants; nil if it must be compared with each of them.
    func contains(_ value: Value) -> Bool? {
        if case .null = value { return hasNull }
        guard TypeMask(value) == type else {
            return ValueOrder.rank(value) == ValueOrder.rank(values[0]) ? nil : false
        }
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            let order = ValueRules.compare(values[middle], value)
            if order == 0 { return true }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }
}
