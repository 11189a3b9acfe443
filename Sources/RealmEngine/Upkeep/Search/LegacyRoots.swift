/// Finds the root of a file of formats 2 to 9 whose header is lost.
///
/// In these formats, a table contains neither a key nor its name. The name is in a separate list,
/// at the index of the table (legacy format 2.3). Without a root, the names are therefore lost.
struct LegacyRoots {
    private let space: NodeSpace
    private let work: SearchWork

    /// Possible numbers of slots of a root in formats 2 to 9.
    private static let sizes = 3...12
    /// Maximum number of tables examined to confirm a root.
    private static let maximumTableCount = 64

    init(_ space: NodeSpace, _ memory: SearchMemoryLimit) {
        self.space = space
        work = SearchWork(bytes: space.limit, memory)
    }

    /// Returns the root with the highest version; nil if there is none. If several roots have that
    /// version, returns the last in the file.
    func newest(_ mapping: Mapping) throws(RealmError) -> TopArray? {
        var newest: TopArray?
        let scan = NodeScan(mapping, limit: space.limit, needsSignature: false)
        try scan.run { (ref, flags, count) throws(RealmError) in
            // Three or more references need at least 16 bits each, so smaller widths are excluded.
            guard flags & ~7 == NodeView.hasRefsFlag, flags & 7 > 4, Self.sizes.contains(count),
                let top = root(ref), top.version >= newest?.version ?? 0
            else { return }
            newest = top
        }
        return newest
    }

    /// Returns the root at `ref` if it has as many names as tables and its first tables are valid.
    private func root(_ ref: Ref) -> TopArray? {
        guard work.spend(0), let node = try? space.node(ref), TopArray.isLike(node),
            let root = FoundRoot(space, ref), root.tables.count > 0
        else { return nil }
        for i in 0..<min(root.tables.count, Self.maximumTableCount) {
            guard let name = root.name(i), let table = root.tables.slot(i).child, work.spend(64),
                (try? LegacyTable.Unlinked(space, table, index: i, name: name)) != nil
            else { return nil }
        }
        return root.top
    }
}
