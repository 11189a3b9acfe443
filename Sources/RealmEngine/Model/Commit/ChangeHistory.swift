/// The change log that a version's root leads to: one changeset for each of the last commits (storage
/// format 7.2). Confined as its space is.
struct ChangeHistory {
    /// Changesets kept.
    let count: Int
    private let newest: UInt64
    private let tree: BPlusTree
    private static let inRealm: UInt64 = 2

    /// Nil where the log is of a type that is not known. Throws `corrupt`.
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

    /// Calls `body` with the changesets of the last `wanted` commits that are kept, oldest first, and
    /// with the version each commit made. Throws `corrupt`, and what `body` throws.
    func forLast(
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
