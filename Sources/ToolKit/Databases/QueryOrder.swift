import RealmEngine

/// An order of matches given by options, which is appended to the predicate.
package enum QueryOrder {
    case sort([(path: String, isAscending: Bool)])
    case distinct([String])

    /// SORT or DISTINCT in the query language, after a blank.
    ///
    /// - Throws: `misuse` for a path that is none of the class and cannot be part of a text.
    func text(_ table: TableInfo, _ schema: Schema) throws(RealmError) -> String {
        switch self {
        case .sort(let keys):
            let items = try keys.map { (key) throws(RealmError) in
                try Self.spelled(key.path, table, schema, "--sort")
                    + (key.isAscending ? " ASC" : " DESC")
            }
            return " SORT(\(items.joined(separator: ", ")))"
        case .distinct(let paths):
            let items = try paths.map { (path) throws(RealmError) in
                try Self.spelled(path, table, schema, "--distinct")
            }
            return " DISTINCT(\(items.joined(separator: ", ")))"
        }
    }

    /// A key path with names quoted where the language cannot read them otherwise.
    private static func spelled(
        _ path: String, _ table: TableInfo, _ schema: Schema, _ option: String
    ) throws(RealmError) -> String {
        let resolved: PropertyPath
        do throws(RealmError) {
            resolved = try PropertyPath(path, in: table, schema, option: option)
        } catch {
            // The query names the place of the mistake, if nothing but a path can be meant.
            if path.utf8.contains(where: { separators.contains($0) }) { throw error }
            return path
        }
        guard case .column = resolved.start, let first = resolved.names.first else { return path }
        let names = [first] + resolved.steps
        let isPlain = names.allSatisfy { QueryName.isPlain($0) && !$0.contains(".") }
        return isPlain ? path : names.map(QueryName.spelled).joined(separator: ".")
    }

    /// Characters that a key path has only inside of names.
    private static let separators = Set(" \t\r\n(){}'\"`,".utf8)
}
