/// A root, referenced by the header or found by its shape.
struct FoundRoot {
    let top: TopArray
    let names: NodeView
    let tables: NodeView

    /// Nil if the lists of tables and of names cannot be read.
    init?(_ space: NodeSpace, _ ref: Ref) {
        // If the file was truncated, it is smaller than the logical size in its root.
        guard let top = try? TopArray(space, ref, fileSize: .max >> 1),
            let tables = try? space.refNode(top.tables, slots: 0, "tables"),
            let names = try? space.names(top.names, count: tables.count, of: top.tables)
        else { return nil }
        (self.top, self.names, self.tables) = (top, names, tables)
    }

    func name(_ i: Int) -> String? { try? names.name(i, at: top.names) }

    /// Whether the node is certainly a root: one of its first 64 tables has a table key that names
    /// the table's slot. Another node would hardly reference such a table by chance.
    private func isProven(_ space: NodeSpace) -> Bool {
        (0..<min(tables.count, 64)).contains { i in
            guard let ref = tables.slot(i).child, let table = TableVersion(space, ref) else {
                return false
            }
            return table.key.slot == i
        }
    }

    /// Returns the nodes at `refs` that are certainly roots (`isProven`), newest first.
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

    /// Maximum number of roots that `proven` returns. Older roots are omitted.
    private static let most = 64
}
