/// A table of a file of formats 2 to 9: its columns and the roots of their trees.
final class LegacyTable: Sendable {
    let index: Int
    let name: String
    let ref: Ref
    let spec: LegacySpec
    /// Roots of all columns, including backlinks.
    let roots: [Ref]
    let rows: Int
    let grid: LegacyGrid
    /// Columns of links to this table, in the order of their leaf slots, which follow the
    /// properties' slots.
    let incoming: [LegacyIncoming]

    init(_ unlinked: Unlinked, incoming: [LegacyIncoming]) {
        (index, name, ref) = (unlinked.index, unlinked.name, unlinked.ref)
        (spec, roots, rows, grid) = (unlinked.spec, unlinked.roots, unlinked.rows, unlinked.grid)
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
    }
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
        if top.count >= TableShape.minimumCount { throw LegacyContent.interrupted }
        guard top.count == TableShape.legacyCount else { throw space.wrongShape(ref, "table") }
        let columns = try space.refNode(top.slot(TableShape.legacyColumns).ref, slots: 0, "columns")
        spec = try LegacySpec(space, top.slot(TableShape.spec).ref, most: columns.count)
        roots = try Self.roots(columns, spec, at: ref)
        (self.index, self.name, self.ref) = (index, name, ref)
        var rows = 0
        var leaf: Int?
        for (i, column) in spec.columns.enumerated() {
            let reader = LegacyColumnReader(space, column, roots[i])
            let count = try reader.count()
            if i == 0 { (rows, leaf) = (count, try reader.evenLeaves()) }
            guard count == rows else {
                throw .corrupt(
                    "column \(i) of '\(name)' has \(count) rows instead of \(rows)", at: roots[i])
            }
        }
        self.rows = rows
        grid = LegacyGrid(rows: rows, leaf: leaf)
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
