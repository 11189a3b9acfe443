/// Set algebra. Reads both sets in the common order of their members, so that members need not be
/// searched one by one. The sets may belong to different instances of one database.
extension CollectionHandle {
    /// If the larger set has at least this many times as many members as the smaller set, each
    /// member of the smaller set is searched in the larger set.
    private static let searchingRatio = 16

    /// Whether `other` contains each member of this set.
    package func isSubset(of other: CollectionHandle) throws(RealmError) -> Bool {
        let (mine, theirs) = (try count, try other.count)
        if mine > theirs { return false }
        var isSubset = true
        if mine < theirs / Self.searchingRatio {
            try visit { (value) throws(RealmError) in
                isSubset = try other.index(of: value) != nil
                return isSubset
            }
            return isSubset
        }
        try merge(with: other) { (side, _, _) in
            isSubset = side != .left
            return isSubset
        }
        return isSubset
    }

    /// Whether this set and `other` have a common member.
    package func intersects(_ other: CollectionHandle) throws(RealmError) -> Bool {
        var hasCommon = false
        try merge(with: other) { (side, _, _) in
            hasCommon = side == .both
            return !hasCommon
        }
        return hasCommon
    }

    /// Removes the members that `other` does not contain.
    package func formIntersection(_ other: CollectionHandle) throws(RealmError) {
        try removeMembers(on: .left, other)
    }

    /// Removes the members that `other` contains.
    package func subtract(_ other: CollectionHandle) throws(RealmError) {
        try removeMembers(on: .both, other)
    }

    /// Inserts the members of `other`.
    package func formUnion(_ other: CollectionHandle) throws(RealmError) {
        let (transaction, location) = try changing()
        var added: [(index: Int, value: Value)] = []
        try merge(with: other) { (side, index, value) in
            if side == .right { added.append((index + added.count, value)) }
            return true
        }
        try transaction.insertMembers(added, into: location)
    }

    private func removeMembers(
        on wanted: SetMerge.Side, _ other: CollectionHandle
    ) throws(RealmError) {
        let (transaction, location) = try changing()
        var removed: [Int] = []
        try merge(with: other) { (side, index, _) in
            if side == wanted { removed.append(index) }
            return true
        }
        try transaction.removeMembers(at: removed, from: location)
    }

    private func merge(
        with other: CollectionHandle,
        _ body: (SetMerge.Side, Int, Value) throws(RealmError) -> Bool
    ) throws(RealmError) {
        var merge = try SetMerge(try members(), try other.members())
        try merge.visit(body)
    }

    private func members() throws(RealmError) -> ElementCursor {
        guard case .set(let view) = try value() else {
            throw .misuse("the property is no set", reason: "type")
        }
        return ElementCursor(space, view)
    }
}
