/// A root: named by the header, or found by its shape.
struct FoundRoot {
    let top: TopArray
    let names: NodeView
    let tables: NodeView

    /// Nil where the lists of tables and their names cannot be read.
    init?(_ space: NodeSpace, _ ref: Ref) {
        // A truncated file is smaller than its root says.
        guard let top = try? TopArray(space, ref, fileSize: .max >> 1),
            let tables = try? space.refNode(top.tables, slots: 0, "tables"),
            let names = try? space.names(top.names, count: tables.count, of: top.tables)
        else { return nil }
        (self.top, self.names, self.tables) = (top, names, tables)
    }

    func name(_ i: Int) -> String? { try? names.name(i, at: top.names) }

    /// One of its tables, of the first ones, is where it says: no other node leads to them by accident.
    private func isProven(_ space: NodeSpace) -> Bool {
        (0..<min(tables.count, 64)).contains { i in
            guard let ref = tables.slot(i).child, let table = TableVersion(space, ref) else {
                return false
            }
            return table.key.slot == i
        }
    }

    /// Those at `refs` that are roots, the newest first.
    static func proven(_ space: NodeSpace, _ refs: [Ref]) -> [FoundRoot] {
        var roots: [FoundRoot] = []
        func keepNewest() {
            roots.order { ($0.top.version, $0.top.ref.raw) > ($1.top.version, $1.top.ref.raw) }
            roots.removeLast(max(0, roots.count - most))
        }
        for ref in refs {
            guard let root = FoundRoot(space, ref), root.isProven(space) else { continue }
            roots.append(root)
            if roots.count == 2 * most { keepNewest() }
        }
        keepNewest()
        return roots
    }

    /// Roots that are kept.
    private static let most = 64
}
