/// Cache of the results of checking lists of object keys in a version's search indexes: whether the
/// keys ascend and identify objects. A version never changes, so each list is checked once. Safe to
/// use from any thread.
final class VerifiedPostings: Sendable {
    /// Identifies a list of object keys in a search index, or a part of such a list.
    struct ListID: Hashable {
        let table: TableKey
        let list: Ref
        let part: Range<Int>

        /// Hashes only the ref and the start of the list, because these two identify nearly every
        /// list.
        func hash(into hasher: inout Hasher) {
            hasher.combine(list.raw ^ UInt64(truncatingIfNeeded: part.lowerBound) << 40)
        }
    }

    private let outcomes = LockedValue(Outcomes())

    /// For each list of object keys that was checked, whether its keys ascend and identify objects.
    /// The dictionary is wrapped in a struct: `LockedValue<[ListID: Bool]>` would make the Swift
    /// runtime search for protocol conformances when a program starts.
    private struct Outcomes {
        var all: [ListID: Bool] = [:]
    }

    /// Maximum number of lists whose check result is cached. The cache is emptied when it is full.
    private static let maximumCount = 1 << 16

    /// Whether the keys of a list, or of a part of it, ascend and all identify objects of `table`.
    func isSound(
        _ place: ListID, in table: TableInfo, _ space: NodeSpace
    ) throws(RealmError) -> Bool {
        if let known = outcomes.withLock({ $0.all[place] }) { return known }
        let isSound = try KeyList(space, place.list, place.part)
            .isSound(in: ClusterTree(space: space, root: table.root))
        outcomes.withLock { outcomes in
            if outcomes.all.count >= Self.maximumCount { outcomes.all.removeAll() }
            outcomes.all[place] = isSound
        }
        return isSound
    }
}
