/// Combines queries of one class that were bound separately.
extension BoundQuery {
    /// Combines queries with AND. Their SORT, DISTINCT and LIMIT apply in argument order.
    convenience init(all parts: [BoundQuery], _ table: Table) {
        let conditions = parts.map(\.condition).filter(\.asks)
        let condition: BoundCondition =
            switch conditions.count {
            case 0: .constant(true)
            case 1: conditions[0]
            default: .and(conditions)
            }
        self.init(condition, parts.flatMap(\.descriptors), of: parts, table)
    }

    /// Makes a query that combines `parts`. `condition` may use constants whose bytes `parts` own.
    convenience init(
        _ condition: BoundCondition, _ descriptors: [BoundDescriptor] = [],
        of parts: [BoundQuery], _ table: Table
    ) {
        self.init(
            table: table.info, source: QuerySource(text: []), condition: condition,
            descriptors: descriptors, pool: nil, isCached: false, parts: parts)
    }

    /// The query without SORT, DISTINCT and LIMIT.
    var unarranged: BoundQuery {
        if descriptors.isEmpty { return self }
        return BoundQuery(
            table: table, source: source, condition: condition, descriptors: [], pool: nil,
            isCached: false, parts: [self])
    }
}

extension BoundCondition {
    fileprivate var asks: Bool {
        if case .constant(true) = self { return false }
        return true
    }
}
