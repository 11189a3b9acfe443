/// Which changes of an object count as a change of what an observer sees.
///
/// Made for one class and bound to one comparison of versions by `ChangeProbe`. Free to cross
/// threads.
public struct ChangeFilter: Sendable {
    enum Reach: Sendable {
        /// The object's own properties.
        case own
        /// Also objects reached through at most so many links.
        case linked(depth: Int)
        case paths([[ColumnKey]])
    }

    let table: TableKey
    let reach: Reach

    /// Links followed where no key paths say otherwise.
    public static let defaultDepth = 4

    /// The object's own properties: what an object's observer sees by default.
    public static func own(_ table: TableKey) -> ChangeFilter {
        ChangeFilter(table: table, reach: .own)
    }

    /// The object and what it links to, four links far: what a collection's observer sees by default.
    public static func linked(_ table: TableKey) -> ChangeFilter {
        ChangeFilter(table: table, reach: .linked(depth: defaultDepth))
    }

    /// What lies along key paths: `name`, `owner.name`, `*` for every property at its place. A path
    /// that ends in a link or collection sees where it leads change, not what is there.
    ///
    /// Throws `misuse` for an unknown property.
    public init(
        _ paths: [String], in table: TableInfo, _ schema: Schema
    ) throws(RealmError) {
        self.table = table.key
        var resolved: [[ColumnKey]] = []
        for path in paths {
            let names = path.split(separator: ".", omittingEmptySubsequences: false).map(
                String.init)
            resolved += try Self.resolve(names[...], table, schema)
        }
        reach = .paths(resolved)
    }

    private init(table: TableKey, reach: Reach) {
        self.table = table
        self.reach = reach
    }

    private static func resolve(
        _ names: ArraySlice<String>, _ table: TableInfo, _ schema: Schema
    ) throws(RealmError) -> [[ColumnKey]] {
        guard let name = names.first else { return [[]] }
        let rest = names.dropFirst()
        var columns = table.columns
        if name != "*" {
            guard let index = table.columnIndex(named: name) else {
                throw .misuse(
                    "property '\(name)' not found in object of type '\(table.className)'",
                    code: "InvalidProperty", reason: "unknown-property")
            }
            columns = [table.columns[index]]
        }
        var paths: [[ColumnKey]] = []
        for column in columns {
            guard !rest.isEmpty else {
                paths.append([column.key])
                continue
            }
            guard column.type == .link, let target = schema.table(column.target) else {
                if name == "*" { continue }
                throw .misuse(
                    "property '\(name)' of '\(table.className)' leads to no object",
                    code: "InvalidProperty", reason: "unknown-property")
            }
            paths += try resolve(rest, target, schema).map { [column.key] + $0 }
        }
        return paths
    }
}

/// Asks whether objects changed for an observer between two versions. Confined to its snapshot's
/// thread.
public final class ChangeProbe {
    private let changes: ChangeSet
    private let new: Snapshot
    private let filter: ChangeFilter
    /// Tables from which a modified object can be reached within so many links.
    private var reachable: [Set<TableKey>] = []
    private var known: [Visit: Bool] = [:]

    private struct Visit: Hashable {
        let object: ObjectLink
        let depth: Int
    }

    /// - Parameter new: the newer of the versions `changes` compares.
    public init(_ changes: ChangeSet, _ filter: ChangeFilter, in new: Snapshot) {
        self.changes = changes
        self.filter = filter
        self.new = new
        guard case .linked(let depth) = filter.reach else { return }
        var tables = Set(changes.tables.filter { !$0.modifications.isEmpty }.map(\.table))
        reachable.append(tables)
        for _ in 0..<depth {
            for info in new.schema.tables
            where info.columns.contains(where: { Self.mayLead($0, to: tables) }) {
                tables.insert(info.key)
            }
            reachable.append(tables)
        }
    }

    private static func mayLead(_ column: ColumnInfo, to tables: Set<TableKey>) -> Bool {
        switch column.type {
        case .link: tables.contains(column.target)
        case .mixed, .typedLink: !tables.isEmpty
        default: false
        }
    }

    /// Whether the object, which both versions have, changed for the observer. Throws `corrupt`.
    public func isModified(_ key: ObjectKey) throws(RealmError) -> Bool {
        let object = ObjectLink(table: filter.table, key: key)
        switch filter.reach {
        case .own: return changes[filter.table]?.modification(of: key) != nil
        case .linked(let depth): return try isModified(object, depth: depth)
        case .paths(let paths):
            for path in paths where try isModified(object, path[...]) { return true }
            return false
        }
    }

    /// Which properties of the object itself changed for the observer, as indexes into its columns;
    /// with key paths those properties through which something changed.
    public func changedColumns(of key: ObjectKey) throws(RealmError) -> [Int] {
        guard case .paths(let paths) = filter.reach else {
            guard let changes = changes[filter.table], let i = changes.modification(of: key)
            else { return [] }
            return changes.changedColumns(i)
        }
        guard let info = new.schema.table(filter.table) else { return [] }
        let object = ObjectLink(table: filter.table, key: key)
        var columns: Set<Int> = []
        for path in paths where try isModified(object, path[...]) {
            if let column = info.columns.firstIndex(where: { $0.key == path[0] }) {
                columns.insert(column)
            }
        }
        return columns.sorted()
    }

    private func isModified(_ object: ObjectLink, depth: Int) throws(RealmError) -> Bool {
        guard reachable[depth].contains(object.table) else { return false }
        if changes[object.table]?.modification(of: object.key) != nil { return true }
        if depth == 0 { return false }
        let visit = Visit(object: object, depth: depth)
        if let answer = known[visit] { return answer }
        known[visit] = false
        guard let row = try new.table(object.table).row(object.key) else { return false }
        let next = reachable[depth - 1]
        for (index, column) in row.table.info.columns.enumerated()
        where Self.mayLead(column, to: next) {
            if try anyLink(
                try row.value(index),
                { (link) throws(RealmError) in
                    try isModified(link, depth: depth - 1)
                })
            {
                known[visit] = true
                return true
            }
        }
        return false
    }

    private func isModified(
        _ object: ObjectLink, _ path: ArraySlice<ColumnKey>
    ) throws(RealmError) -> Bool {
        guard let key = path.first, let info = new.schema.table(object.table),
            let column = info.columns.firstIndex(where: { $0.key == key })
        else { return false }
        if let changes = changes[object.table], let i = changes.modification(of: object.key),
            changes.isChanged(i, column: column)
        {
            return true
        }
        let rest = path.dropFirst()
        guard !rest.isEmpty, let row = try new.table(info).row(object.key) else { return false }
        return try anyLink(try row.value(column)) { (link) throws(RealmError) in
            try isModified(link, rest)
        }
    }

    /// Whether `body` holds for a link in the value.
    private func anyLink(
        _ value: Value, _ body: (ObjectLink) throws(RealmError) -> Bool
    ) throws(RealmError) -> Bool {
        switch value {
        case .link(let link): return try body(link)
        case .list(let view), .set(let view):
            var elements = new.elements(of: view)
            while let element = try elements.next() {
                if try anyLink(element, body) { return true }
            }
        case .dictionary(let view):
            var entries = try new.entries(of: view)
            while let (_, element) = try entries.next() {
                if try anyLink(element, body) { return true }
            }
        default: break
        }
        return false
    }
}
