/// The tables of one version of a file of formats 2 to 9 (legacy format 2.3).
final class LegacyContent: Sendable {
    let tables: [LegacyTable]

    /// - Parameter reportLoss: called with the index of each table that cannot be read and the
    ///   error; an empty table takes its place. If nil, the error is thrown.
    init(
        _ space: NodeSpace, names: Ref, tables: Ref,
        reportLoss: ((Int, RealmError) -> Void)? = nil
    ) throws(RealmError) {
        let roots = try space.refNode(tables, slots: 0, "tables")
        let names = try space.names(names, count: roots.count, of: tables)
        var all: [LegacyTable.Unlinked] = []
        var left = LegacyLimits.cells(space)
        var seen = Set<Ref>()
        for i in 0..<roots.count {
            do throws(RealmError) {
                guard let ref = roots.slot(i).child else {
                    throw .corrupt("table \(i) is not there", at: tables)
                }
                let table = try LegacyTable.Unlinked(
                    space, ref, index: i, name: names.name(i, at: tables))
                left -= max(1, table.rows) * table.spec.columns.count
                guard left >= 0 else { throw space.tooMany(table.rows, ref) }
                try Self.checkRoots(of: table, &seen)
                try Self.checkTargets(of: table, roots.count)
                all.append(table)
            } catch {
                guard let reportLoss, error.isDamage else { throw error }
                reportLoss(i, error)
                all.append(LegacyTable.Unlinked(lost: i))
            }
        }
        self.tables = Self.linked(all)
        guard Self.isLegacy(self.tables) else { throw Self.laterFormat(at: tables) }
    }

    /// The error for tables that have the form of format 10 or later although the header names an
    /// older format. An interrupted upgrade cannot have left such tables.
    static func laterFormat(at ref: Ref) -> RealmError {
        .corrupt("tables of a later format than the header names", at: ref)
    }

    /// Name of the table that contains the primary keys of the classes. An upgrade to format 10
    /// removes this table last.
    static let keyTable = "pk"
    /// Name of the table that contains the completed steps of an upgrade to format 10.
    static let progressTable = "!UPDATE_PROGRESS"

    /// Whether an upgrade to format 10 has converted some tables and was interrupted.
    var isPartlyUpgraded: Bool { tables.contains { $0.stage != .none } }

    /// Whether the tables have the form of an old format, or the form that an interrupted upgrade
    /// leaves. If false, the format number in the header is wrong.
    private static func isLegacy(_ tables: [LegacyTable]) -> Bool {
        tables.isEmpty
            || tables.contains {
                $0.stage != .done || $0.name == keyTable || $0.name == progressTable
            }
    }

    /// Throws if two columns use the same tree: together they would then have more values than the
    /// file can store. A column that an upgrade has emptied has no tree.
    private static func checkRoots(
        of table: LegacyTable.Unlinked, _ seen: inout Set<Ref>
    ) throws(RealmError) {
        for root in table.roots where !root.isNone && !seen.insert(root).inserted {
            throw .corrupt("two columns share their values", at: root)
        }
    }

    private static func checkTargets(
        of table: LegacyTable.Unlinked, _ count: Int
    ) throws(RealmError) {
        for column in table.spec.columns where column.target ?? 0 >= count {
            throw .corrupt(
                "the links of '\(table.name).\(column.name)' lead to a table that does not exist",
                at: table.ref)
        }
    }

    @_optimize(size)
    private static func linked(
        _ tables: [LegacyTable.Unlinked]
    ) -> [LegacyTable] {
        var incoming = [[LegacyIncoming]](repeating: [], count: tables.count)
        for table in tables {
            for (i, column) in table.spec.columns.enumerated() {
                guard let target = column.target else { continue }
                incoming[target].append(LegacyIncoming(table: table.index, column: i))
            }
        }
        return tables.map { table in
            LegacyTable(table, incoming: inStoredOrder(incoming[table.index], table.spec))
        }
    }

    /// Sorts the columns that link to a table in the order of the table's backlink columns. Columns
    /// of links without a backlink column are last.
    private static func inStoredOrder(
        _ incoming: [LegacyIncoming], _ spec: LegacySpec
    ) -> [LegacyIncoming] {
        func place(_ link: LegacyIncoming) -> Int {
            spec.columns.firstIndex {
                $0.origin.map { $0 == (link.table, link.column) } ?? false
            } ?? .max
        }
        return incoming.map { ($0, place($0)) }.ordered { $0.1 < $1.1 }.map(\.0)
    }
}
