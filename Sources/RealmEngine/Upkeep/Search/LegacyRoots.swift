/// The root of a file of formats 2 to 9 whose header is lost, found by what it leads to.
///
/// Without a root nothing says what a table of these formats is called: it holds no key, and its name is
/// the one with its number in another list (legacy format 2.3).
struct LegacyRoots {
    private let space: NodeSpace
    private let work: SearchWork

    /// Slots a root of that time may have.
    private static let sizes = 3...10
    /// Tables that are looked at as a proof.
    private static let mostTables = 64

    init(_ space: NodeSpace, _ memory: SearchMemory) {
        self.space = space
        work = SearchWork(bytes: space.limit, memory)
    }

    /// The root with the highest version, of several the last in the file; nil where there is none.
    func newest(_ mapping: Mapping) throws(RealmError) -> TopArray? {
        var newest: TopArray?
        let scan = NodeScan(mapping, limit: space.limit, needsSignature: false)
        try scan.run { (ref, flags, count) throws(RealmError) in
            // Three references and more need 16 bits each.
            guard flags & ~7 == NodeView.hasRefsFlag, flags & 7 > 4, Self.sizes.contains(count),
                let top = root(ref), top.version >= newest?.version ?? 0
            else { return }
            newest = top
        }
        return newest
    }

    /// The root at `ref` if its names are as many as its tables, and all of the first tables are such.
    private func root(_ ref: Ref) -> TopArray? {
        guard work.spend(0), let node = try? space.node(ref), TopArray.isLike(node),
            let root = FoundRoot(space, ref), root.tables.count > 0
        else { return nil }
        for i in 0..<min(root.tables.count, Self.mostTables) {
            guard let name = root.name(i), let table = root.tables.slot(i).child, work.spend(64),
                (try? LegacyTable.Unlinked(space, table, index: i, name: name)) != nil
            else { return nil }
        }
        return root.top
    }
}
