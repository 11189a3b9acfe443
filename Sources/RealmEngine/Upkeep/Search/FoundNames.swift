/// Names of tables by the roots and lists of names that are left.
struct FoundNames {
    private let space: NodeSpace
    private let roots: [FoundRoot]
    private let lists: [(ref: Ref, node: NodeView)]

    /// Lists of names that are looked at.
    private static let mostLists = 1 << 8

    /// - Parameter roots: the newest first.
    init(_ space: NodeSpace, roots: [FoundRoot], lists: [Ref]) {
        (self.space, self.roots) = (space, roots)
        self.lists = lists.prefix(Self.mostLists).compactMap { ref in
            (try? space.node(ref)).map { (ref, $0) }
        }
    }

    /// Names of a table in other roots, or in lists of names that no root leads to.
    func name(of key: TableKey) -> String? {
        for root in roots where key.slot < root.tables.count {
            guard let ref = root.tables.slot(key.slot).child,
                TableVersion(space, ref)?.key == key, let name = root.name(key.slot), !name.isEmpty
            else { continue }
            return name
        }
        let names = lists.filter { key.slot < $0.node.count }.map {
            try? $0.node.name(key.slot, at: $0.ref)
        }
        // Nothing says which of two lists is the newer one.
        guard let first = names.first, names.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
