/// Names of tables, collected from roots and from unreferenced lists of names.
struct FoundNames {
    private let space: NodeSpace
    private let roots: [FoundRoot]
    private let lists: [(ref: Ref, node: NodeView)]

    /// Maximum number of lists of table names in `lists`. Further lists are ignored.
    private static let maximumListCount = 1 << 8

    /// - Parameter roots: roots, newest first.
    init(_ space: NodeSpace, roots: [FoundRoot], lists: [Ref]) {
        (self.space, self.roots) = (space, roots)
        self.lists = lists.prefix(Self.maximumListCount).compactMap { ref in
            (try? space.node(ref)).map { (ref, $0) }
        }
    }

    /// Returns the name that a root stores for the table with `key`. If no root does, returns the
    /// name in the unreferenced lists of table names. Nil if there is no name, or if these lists
    /// contradict each other.
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
        // If the lists differ, it is not known which of them is the newest.
        guard let first = names.first, names.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}
