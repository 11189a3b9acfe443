/// Selects the changes of which an observer of an object or collection is notified.
///
/// A filter is made for one class; `ChangeProbe` applies it to two versions. Free to cross threads.
package struct ChangeFilter: Sendable {
    enum Reach: Sendable {
        /// Changes of the object's own properties.
        case own
        /// Changes of the properties of the object, and of objects that it reaches through up to
        /// `depth` links.
        case linked(depth: Int)
        case paths([[Step]])
    }

    /// One step of a key path.
    package enum Step: Hashable, Sendable {
        case property(ColumnKey)
        /// A step from an object to the objects that link to it: their class and the property with
        /// the link.
        case incoming(TableKey, ColumnKey)
    }

    let table: TableKey
    let reach: Reach

    /// Maximum number of links that are followed if the observer has no key paths.
    static let defaultDepth = 4

    /// Filter for the object's own properties: the default for observers of an object.
    static func own(_ table: TableKey) -> ChangeFilter {
        ChangeFilter(table: table, reach: .own)
    }

    /// Filter for the object and for objects up to four links away: the default for observers of a
    /// collection.
    static func linked(_ table: TableKey) -> ChangeFilter {
        ChangeFilter(table: table, reach: .linked(depth: defaultDepth))
    }

    /// Makes a filter of key paths whose names the caller has resolved: a Swift class may name its
    /// properties differently from the file. For a path that ends in a link, a collection or
    /// backlinks, only a change of the references counts, not a change of the objects they refer
    /// to.
    package init(_ paths: [[Step]], in table: TableKey) {
        self.init(table: table, reach: .paths(paths))
    }

    /// Makes a filter of key paths by the names in the file. Examples: `name`, `owner.name`,
    /// `@links.Dog.owner.name` for backlinks, and `*` for all properties.
    ///
    /// Throws `misuse` for an unknown property.
    init(
        _ paths: [String], in table: TableInfo, _ schema: Schema
    ) throws(RealmError) {
        var resolved: [[Step]] = []
        for path in paths {
            let names = path.split(separator: ".", omittingEmptySubsequences: false).map(
                String.init)
            resolved += try Self.resolve(names[...], table, schema)
        }
        self.init(resolved, in: table.key)
    }

    private init(table: TableKey, reach: Reach) {
        self.table = table
        self.reach = reach
    }

    private static func resolve(
        _ names: ArraySlice<String>, _ table: TableInfo, _ schema: Schema
    ) throws(RealmError) -> [[Step]] {
        guard let name = names.first else { return [[]] }
        if name == "@links" { return try resolveIncoming(names, table, schema) }
        let rest = names.dropFirst()
        var columns = table.columns
        if name != "*" { columns = [try column(name, of: table)] }
        var paths: [[Step]] = []
        for column in columns {
            guard !rest.isEmpty else {
                paths.append([.property(column.key)])
                continue
            }
            guard column.type == .link, let target = schema.table(column.target) else {
                if name == "*" { continue }
                throw .misuse(
                    "property '\(name)' of '\(table.className)' leads to no object",
                    code: "InvalidProperty", reason: "unknown-property")
            }
            paths += try resolve(rest, target, schema).map { [.property(column.key)] + $0 }
        }
        return paths
    }

    /// Resolves the rest of a key path that begins with `@links.Dog.owner`: the property `owner` of
    /// class `Dog`, then the names after it.
    private static func resolveIncoming(
        _ names: ArraySlice<String>, _ table: TableInfo, _ schema: Schema
    ) throws(RealmError) -> [[Step]] {
        let words = Array(names.prefix(3))
        guard words.count == 3,
            let origin = schema.objectClass(named: words[1])
        else {
            throw .misuse(
                "'\(words.joined(separator: "."))' names no class and property that link to "
                    + "'\(table.className)'", code: "InvalidProperty", reason: "unknown-property")
        }
        let column = try column(words[2], of: origin)
        guard column.type == .link, column.target == table.key else {
            throw .misuse(
                "property '\(words[2])' of '\(origin.className)' does not lead to "
                    + "'\(table.className)'", code: "InvalidProperty", reason: "unknown-property")
        }
        return try resolve(names.dropFirst(3), origin, schema).map {
            [.incoming(origin.key, column.key)] + $0
        }
    }

    private static func column(
        _ name: String, of table: TableInfo
    ) throws(RealmError) -> ColumnInfo {
        if let index = table.columnIndex(named: name) { return table.columns[index] }
        throw .misuse(
            "property '\(name)' not found in object of type '\(table.className)'",
            code: "InvalidProperty", reason: "unknown-property")
    }
}
