/// A table of a file of formats 2 to 9: its columns and the roots of their trees.
final class LegacyTable: Sendable {
    let index: Int
    let name: String
    let ref: Ref
    let spec: LegacySpec
    /// Roots of all columns, including backlinks; none for a column whose values an upgrade has
    /// moved into clusters.
    let roots: [Ref]
    let rows: Int
    /// The objects that an upgrade has moved into clusters; nil if all values are in columns.
    let objects: UpgradedObjects?
    let stage: LegacyUpgradeStage
    let grid: LegacyGrid
    /// Columns of links to this table, in the order of their leaf slots, which follow the
    /// properties' slots.
    let incoming: [LegacyIncoming]

    init(_ unlinked: Unlinked, incoming: [LegacyIncoming]) {
        (index, name, ref) = (unlinked.index, unlinked.name, unlinked.ref)
        (spec, roots, rows, grid) = (unlinked.spec, unlinked.roots, unlinked.rows, unlinked.grid)
        (objects, stage) = (unlinked.objects, unlinked.stage)
        self.incoming = incoming
        properties = spec.columns.count { $0.type != .backlink }
    }

    /// Number of columns that are properties; these precede the backlink columns.
    let properties: Int

    /// Number of leaf slots: properties and backlinks.
    var leafSlots: Int { properties + incoming.count }

    /// A table without its incoming links.
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

/// Progress of a table in an upgrade to format 10.
enum LegacyUpgradeStage {
    /// The table has the old form.
    case none
    /// The table has the form of format 10, and still a columns array.
    case begun
    /// The table has the form of format 10.
    case done
}

/// A column of links to a table.
struct LegacyIncoming {
    /// Index of the table with the links.
    let table: Int
    /// Index of the links' column in that table's spec.
    let column: Int
}

extension LegacyTable.Unlinked {
    /// An empty replacement for a table that cannot be read.
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

    /// Returns the number of rows, and of rows of a leaf; nil if no column has a root. Throws if
    /// columns differ in their rows.
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
