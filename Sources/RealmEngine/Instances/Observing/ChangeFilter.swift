/// Which changes of an object count as a change of what an observer sees.
///
/// Made for one class and bound to one comparison of versions by `ChangeProbe`. Free to cross
/// threads.
package struct ChangeFilter: Sendable {
    enum Reach: Sendable {
        /// The object's own properties.
        case own
        /// Also objects reached through at most so many links.
        case linked(depth: Int)
        case paths([[Step]])
    }

    /// A link of a key path.
    package enum Step: Hashable, Sendable {
        case property(ColumnKey)
        /// Back to the objects of a class that link here by a property of theirs.
        case incoming(TableKey, ColumnKey)
    }

    let table: TableKey
    let reach: Reach

    /// Links followed where no key paths say otherwise.
    static let defaultDepth = 4

    /// The object's own properties: what an object's observer sees by default.
    static func own(_ table: TableKey) -> ChangeFilter {
        ChangeFilter(table: table, reach: .own)
    }

    /// The object and what it links to, four links far: what a collection's observer sees by default.
    static func linked(_ table: TableKey) -> ChangeFilter {
        ChangeFilter(table: table, reach: .linked(depth: defaultDepth))
    }

    /// What lies along key paths whose names somebody else has resolved, as a class may call its
    /// properties otherwise than the file. A path that ends in a link, a collection or incoming links
    /// sees where it leads change, not what is there.
    package init(_ paths: [[Step]], in table: TableKey) {
        self.init(table: table, reach: .paths(paths))
    }

    /// What lies along key paths by the names of the file: `name`, `owner.name`,
    /// `@links.Dog.owner.name` for incoming links, `*` for every property at its place.
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

    /// `@links.Dog.owner` and what follows.
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
