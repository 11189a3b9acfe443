import RealmEngine

/// A `--sort` or `--distinct` option: its key paths, as written.
package enum QueryOrder {
    case sort([(path: String, isAscending: Bool)])
    case distinct([String])

    /// Converts the option to a clause of a query on the class.
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

    /// Splits `name[cd]` into the key path and the options for ordering texts. If the class has a
    /// property whose name is the whole text, the text is not split.
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
            // A text with a character of `separators` can only be a key path, so the error is
            // thrown here. For any other text, the query reports the error.
            if path.utf8.contains(where: { separators.contains($0) }) { throw error }
        }
        return .keyPath(
            path.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    }

    /// Characters that occur in a key path only inside quoted names.
    private static let separators = Set(" \t\r\n(){}'\"`,".utf8)
}
