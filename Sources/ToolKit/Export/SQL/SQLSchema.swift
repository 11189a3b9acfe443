import RealmEngine

/// SQL tables for some classes. Each table precedes the tables that reference it.
package struct SQLSchema {
    package internal(set) var tables: [SQLTable]
    let dialect: SQLDialect
    /// Messages for the user about properties that SQL cannot express.
    package internal(set) var notices: [String] = []

    /// - Parameter isWhole: whether `classes` are all classes of the schema. Otherwise links have
    ///   no foreign keys, and embedded objects are JSON.
    package init(
        _ classes: [TableInfo], _ snapshot: Snapshot, _ dialect: SQLDialect, isWhole: Bool
    ) throws(RealmError) {
        self.dialect = dialect
        tables = []
        let maker = SQLTableMaker(snapshot, dialect, isWhole: isWhole)
        for info in classes {
            tables.append(try maker.table(info))
            for (index, column) in info.columns.enumerated() where column.collection != nil {
                tables.append(try maker.relation(info, index))
            }
        }
        try checkNames()
        notices += maker.notices
        if dialect == .duckdb { order() }
    }
}

// MARK: - Names

extension SQLSchema {
    /// Throws an error if the database system would treat two tables, or two columns of a table, as
    /// the same. Names are not changed automatically; that is the user's decision.
    private func checkNames() throws(RealmError) {
        var subjects: [String: String] = [:]
        for table in tables {
            if let objection = dialect.objection(toTable: table.name) {
                throw refusal("\(table.subject) cannot become a table: \(objection)")
            }
            if let other = subjects.updateValue(table.subject, forKey: dialect.identity(table.name))
            {
                throw refusal(
                    "\(other) and \(table.subject) would be the same table of \(dialect.title)")
            }
            try checkColumns(table)
        }
    }

    private func checkColumns(_ table: SQLTable) throws(RealmError) {
        var names: [String: String] = [:]
        for column in table.columns {
            if let objection = dialect.objection(toColumn: column.name) {
                throw refusal("\(table.subject) has a property '\(column.name)': \(objection)")
            }
            if let other = names.updateValue(column.name, forKey: dialect.identity(column.name)) {
                throw refusal(
                    "\(other) and \(column.name) of \(table.subject) would be the same column of "
                        + dialect.title)
            }
        }
    }

    private func refusal(_ message: String) -> RealmError {
        .misuse(
            message, code: "InvalidArgument", reason: "name-collision",
            hint: "`realm-write --rename` on a copy of the file gives one of them another name")
    }
}

// MARK: - Order

extension SQLSchema {
    /// Sorts the tables so that each follows the tables that it references. Removes foreign keys in
    /// cycles, and from a table to itself: with them, no order of insertions would be valid.
    private mutating func order() {
        var cycles: [String] = []
        let reachable = references().closure
        for i in tables.indices {
            for j in tables[i].columns.indices {
                guard let target = tables[i].columns[j].reference?.table,
                    target == tables[i].name || reachable[target]?.contains(tables[i].name) == true
                else { continue }
                tables[i].columns[j].reference = nil
                cycles.append("\(tables[i].name).\(tables[i].columns[j].name)")
            }
        }
        if !cycles.isEmpty {
            notices.append(
                "no foreign keys for links in a cycle: "
                    + cycles.joined(separator: ", "))
        }
        sort()
    }

    /// Names of the tables that each table references.
    private func references() -> [String: Set<String>] {
        Dictionary(
            uniqueKeysWithValues: tables.map { table in
                (table.name, Set(table.columns.compactMap { $0.reference?.table }))
            })
    }

    private mutating func sort() {
        let references = references()
        let byName = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
        var placed: Set<String> = []
        var sorted: [SQLTable] = []
        // An explicit stack, since a long chain of classes would overflow the call stack.
        for table in tables {
            var stack = [table.name]
            while let name = stack.last {
                let missing = (references[name] ?? []).subtracting(placed).ordered(by: <)
                if missing.isEmpty {
                    stack.removeLast()
                    if placed.insert(name).inserted, let table = byName[name] {
                        sorted.append(table)
                    }
                } else {
                    stack += missing
                }
            }
        }
        tables = sorted
    }
}

extension [String: Set<String>] {
    /// For each key, the names in its set, the names in the sets of those names, and so on. For
    /// `[a: {b}, b: {c}]`, the names of `a` are `b` and `c`.
    fileprivate var closure: [String: Set<String>] {
        mapValues { first in
            var found = first
            var open = Array(first)
            while let next = open.popLast() {
                for name in self[next] ?? [] where found.insert(name).inserted {
                    open.append(name)
                }
            }
            return found
        }
    }
}
