/// The stored changesets of the last commits, one for each commit (storage format 7.2). Confined to
/// the thread of its space.
struct ChangeHistory {
    /// Number of stored changesets.
    let count: Int
    private let newest: UInt64
    private let tree: BPlusTree
    private static let inRealm: UInt64 = 2

    /// Returns nil if the file has a history of unknown type. Throws `corrupt`.
    init?(_ space: NodeSpace, _ top: TopArray) throws(RealmError) {
        newest = top.version
        tree = BPlusTree(space: space, root: top.history)
        if top.history.isNone {
            count = 0
            return
        }
        guard top.historyType == Self.inRealm else { return nil }
        count = try tree.count { (leaf) throws(RealmError) in
            try BytesLeaf(binaries: space, leaf).count
        }
        guard UInt64(count) < top.version else {
            throw .corrupt("\(count) changesets before version \(top.version)", at: top.history)
        }
    }

    /// Calls `body` with the version and the changeset of the last `wanted` commits, oldest first.
    /// Throws `corrupt`, and the errors of `body`.
    func forEachLast(
        _ wanted: Int, _ body: (UInt64, ByteView) throws(RealmError) -> Void
    ) throws(RealmError) {
        var index = max(0, count - wanted)
        while index < count {
            let (ref, start) = try tree.leaf(containing: index)
            let leaf = try BytesLeaf(binaries: tree.space, ref)
            guard index - start < leaf.count else {
                throw .corrupt("a change log that ends early", at: ref)
            }
            while index < count, index - start < leaf.count {
                guard let bytes = try leaf.value(index - start) else {
                    throw .corrupt("a changeset that is null", at: ref)
                }
                try body(newest - UInt64(count - index - 1), bytes)
                index += 1
            }
        }
    }
}
