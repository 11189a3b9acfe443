/// Which lists of a version's search indexes may be read as they are. A version never changes, so
/// each list is looked through once. Free to cross threads.
final class VerifiedPostings: Sendable {
    /// A list, or a part of one.
    struct Place: Hashable {
        let table: TableKey
        let list: Ref
        let part: Range<Int>

        /// Lists differ in where they are, mostly.
        func hash(into hasher: inout Hasher) {
            hasher.combine(list.raw ^ UInt64(truncatingIfNeeded: part.lowerBound) << 40)
        }
    }

    private let outcomes = LockedValue<[Place: Bool]>([:])

    /// More are forgotten.
    private static let maximumCount = 1 << 16

    /// Whether the keys of a part of the list ascend and all belong to objects of `table`.
    func isSound(
        _ place: Place, in table: TableInfo, _ space: NodeSpace
    ) throws(RealmError) -> Bool {
        if let known = outcomes.withLock({ $0[place] }) { return known }
        let isSound = try KeyList(space, place.list, place.part)
            .isSound(in: ClusterTree(space: space, root: table.root))
        outcomes.withLock { outcomes in
            if outcomes.count >= Self.maximumCount { outcomes.removeAll() }
            outcomes[place] = isSound
        }
        return isSound
    }
}
