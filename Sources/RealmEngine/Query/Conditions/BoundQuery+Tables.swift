/// Determines the tables that a bound query reads.
extension BoundQuery {
    /// Adds all tables that the query reads in addition to the table of its class. Returns false if
    /// some of these tables are only known during evaluation.
    func addTables(to tables: inout Set<TableKey>) -> Bool {
        if namesObjects { return false }
        for descriptor in descriptors {
            switch descriptor {
            case .sort(let keys), .distinct(let keys):
                for key in keys where !key.addTables(to: &tables) { return false }
            case .limit: break
            }
        }
        return condition.addTables(to: &tables)
    }

    /// Whether the result for an object depends on this object only: the query follows no links and
    /// has no SORT, DISTINCT or LIMIT.
    var readsOnlyObjects: Bool {
        var others: Set<TableKey> = []
        return descriptors.isEmpty && addTables(to: &others) && others.isEmpty
    }

    /// Whether the results are not in table order.
    var isSorted: Bool {
        descriptors.contains { if case .sort = $0 { true } else { false } }
    }
}

extension BoundSortKey {
    fileprivate func addTables(to tables: inout Set<TableKey>) -> Bool {
        if let operand { return operand.addTables(to: &tables) }
        for hop in hops { tables.insert(hop.target.key) }
        return true
    }
}

extension BoundCondition {
    fileprivate func addTables(to tables: inout Set<TableKey>) -> Bool {
        switch self {
        case .constant, .test: return true
        case .fullText(let search): return search.path.addTables(to: &tables)
        case .and(let children), .or(let children):
            for child in children where !child.addTables(to: &tables) { return false }
            return true
        case .not(let child): return child.addTables(to: &tables)
        case .comparison(let comparison):
            return comparison.left.addTables(to: &tables)
                && comparison.right.addTables(to: &tables)
        case .geoWithin(let geo): return geo.path.addTables(to: &tables)
        }
    }
}

extension BoundOperand {
    fileprivate func addTables(to tables: inout Set<TableKey>) -> Bool {
        switch kind {
        case .constant: return true
        case .path(let path), .count(let path), .size(let path), .typeOf(let path):
            return path.addTables(to: &tables)
        case .aggregate(let aggregate): return aggregate.path.addTables(to: &tables)
        case .subquery(let subquery):
            return subquery.path.addTables(to: &tables)
                && subquery.condition.addTables(to: &tables)
        case .function(_, let operand): return operand.addTables(to: &tables)
        case .arithmetic(let first, let terms):
            guard first.addTables(to: &tables) else { return false }
            return terms.allSatisfy { $0.operand.addTables(to: &tables) }
        }
    }
}

extension BoundPath {
    fileprivate func addTables(to tables: inout Set<TableKey>) -> Bool {
        for hop in hops { tables.insert(hop.target.key) }
        switch end {
        // A mixed value may link to an object of any class, so any table may be read.
        case .nested: return false
        // Backlinks are stored with the object, but depend on the objects that link to it.
        case .incoming: tables.insert(table.key)
        default: break
        }
        return true
    }
}
