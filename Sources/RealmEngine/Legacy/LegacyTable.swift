/// A table of a file of formats 2 to 9: its columns and the roots of their trees.
final class LegacyTable: Sendable {
    let index: Int
    let name: String
    let ref: Ref
    let spec: LegacySpec
    /// Roots of all columns, including backlink columns. `Ref.none` for a column whose values an
    /// upgrade has moved to clusters.
    let roots: [Ref]
    let rows: Int
    /// The objects that an upgrade has moved to clusters; nil if all values are in columns.
    let objects: UpgradedObjects?
    let stage: LegacyUpgradeStage
    let grid: LegacyGrid
    /// Columns of links to this table, in the order of the leaf slots of their backlinks. These
    /// slots follow the slots of the properties.
    let incoming: [LegacyIncoming]

    init(_ unlinked: Unlinked, incoming: [LegacyIncoming]) {
        (index, name, ref) = (unlinked.index, unlinked.name, unlinked.ref)
        (spec, roots, rows, grid) = (unlinked.spec, unlinked.roots, unlinked.rows, unlinked.grid)
        (objects, stage) = (unlinked.objects, unlinked.stage)
        self.incoming = incoming
        properties = spec.columns.count { $0.type != .backlink }
    }

    /// Number of columns that are properties. They are before the backlink columns.
    let properties: Int

    /// Number of slots of a cluster leaf: one per property and one per column that links to the
    /// table.
    var leafSlots: Int { properties + incoming.count }

    /// A table before the other tables are read. The columns of other tables that link to this
    /// table (`LegacyTable.incoming`) are still to be determined.
    struct Unlinked {
        let index: Int
        let name: String
        let ref: Ref
        let spec: LegacySpec
        let roots: [Ref]
        let rows: Int
        let grid: LegacyGrid
        var objects: UpgradedObjects?
        var stage = LegacyUpgradeStage.none
    }
}

/// Progress of an upgrade to format 10, for one table.
enum LegacyUpgradeStage {
    /// The table still has the form of formats 2 to 9.
    case none
    /// The table has the form of format 10, but still has a columns array.
    case begun
    /// The table has the form of format 10.
    case done
}

/// A column of links, as seen from the table to which it links.
struct LegacyIncoming {
    /// Index of the table that has the links.
    let table: Int
    /// Index of the link column in the spec of the table `table`.
    let column: Int
}

extension LegacyTable.Unlinked {
    /// Makes an empty table in place of a table that cannot be read.
    init(lost index: Int) {
        (self.index, name, ref, spec) = (index, "", .none, .empty)
        (roots, rows, grid) = ([], 0, LegacyGrid(rows: 0, leaf: nil))
    }

    /// Reads the table at `ref`.
    init(_ space: NodeSpace, _ ref: Ref, index: Int, name: String) throws(RealmError) {
        let top = try space.refNode(ref, slots: TableShape.legacyCount, "table")
        if top.count >= Self.upgradedSlots {
            self = try Self(upgrading: space, top, ref, index: index, name: name)
            return
        }
        guard top.count == TableShape.legacyCount else { throw space.wrongShape(ref, "table") }
        let columns = try space.refNode(top.slot(TableShape.legacyColumns).ref, slots: 0, "columns")
        spec = try LegacySpec(space, top.slot(TableShape.spec).ref, most: columns.count)
        roots = try Self.roots(columns, spec, at: ref)
        (self.index, self.name, self.ref) = (index, name, ref)
        let size = try Self.size(space, spec, roots, of: name)
        rows = size?.rows ?? 0
        grid = LegacyGrid(rows: rows, leaf: size?.leaf)
    }

    /// Returns the number of rows, and the number of rows in each leaf; nil if no column has a
    /// root. Throws if columns have different numbers of rows.
    static func size(
        _ space: NodeSpace, _ spec: LegacySpec, _ roots: [Ref], of name: String
    ) throws(RealmError) -> (rows: Int, leaf: Int?)? {
        var size: (rows: Int, leaf: Int?)?
        for (i, column) in spec.columns.enumerated() where !roots[i].isNone {
            let reader = LegacyColumnReader(space, column, roots[i])
            let count = try reader.count()
            if size == nil { size = (count, try reader.evenLeaves()) }
            guard count == size!.rows else {
                throw .corrupt(
                    "column \(i) of '\(name)' has \(count) rows instead of \(size!.rows)",
                    at: roots[i])
            }
        }
        return size
    }

    private static func roots(
        _ columns: NodeView, _ spec: LegacySpec, at ref: Ref
    ) throws(RealmError) -> [Ref] {
        guard columns.count == spec.slots else {
            throw .corrupt("\(columns.count) column roots instead of \(spec.slots)", at: ref)
        }
        var roots: [Ref] = []
        roots.reserveCapacity(spec.columns.count)
        for column in spec.columns {
            guard let root = columns.slot(column.slot).child else {
                throw .corrupt("a column without its root", at: ref)
            }
            roots.append(root)
        }
        return roots
    }
}
