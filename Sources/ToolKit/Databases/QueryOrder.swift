import RealmEngine

/// Key paths of `--sort` or `--distinct`, as written.
package enum QueryOrder {
    case sort([(path: String, isAscending: Bool)])
    case distinct([String])

    /// Returns the clause of a query on the class.
    ///
    /// - Throws: `misuse` for a path that the class does not have.
    func clause(_ table: TableInfo, _ schema: Schema) throws(RealmError) -> QueryClause {
        switch self {
        case .sort(let keys):
            .sort(
                try keys.map { (key) throws(RealmError) in
                    let (path, collation) = Self.parts(key.path, table)
                    return QuerySortKey(
                        try Self.operand(path, table, schema, "--sort"),
                        isAscending: key.isAscending, collation)
                })
        case .distinct(let paths):
            .distinct(
                try paths.map { (path) throws(RealmError) in
                    let (path, collation) = Self.parts(path, table)
                    return QueryDistinctKey(
                        try Self.operand(path, table, schema, "--distinct"), collation)
                })
        }
    }

    /// A key path and the order of its texts, `name[cd]`. A property of this very name goes first.
    package static func parts(
        _ text: String, _ table: TableInfo
    ) -> (path: String, collation: TextCollation) {
        guard table.columnIndex(named: text) == nil,
            let (path, collation) = TextCollation.suffix(of: text)
        else { return (text, .binary) }
        return (path, collation)
    }

    private static func operand(
        _ path: String, _ table: TableInfo, _ schema: Schema, _ option: String
    ) throws(RealmError) -> QueryOperand {
        if table.columnIndex(named: path) == nil, let function = try QueryOperand.function(path) {
            return function
        }
        do throws(RealmError) {
            let resolved = try PropertyPath(path, in: table, schema, option: option)
            if case .column = resolved.start, let first = resolved.names.first {
                return .path(QueryPath(([first] + resolved.steps).map { .property($0) }))
            }
        } catch {
            // The error is thrown only if the text can be nothing but a key path; else the query
            // reports it.
            if path.utf8.contains(where: { separators.contains($0) }) { throw error }
        }
        return .keyPath(
            path.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    }

    /// Characters that a key path contains only inside of quoted names.
    private static let separators = Set(" \t\r\n(){}'\"`,".utf8)
}
