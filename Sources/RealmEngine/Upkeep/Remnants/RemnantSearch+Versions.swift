/// Determines the versions to which an old leaf may have belonged.
extension RemnantSearch {
    /// Returns the range of versions to which the leaf at `ref` may have belonged; nil if unknown.
    /// The range ends at the newest version that can no longer be read. It begins after the last
    /// version whose logical size does not include the leaf.
    ///
    /// A leaf may belong to no version at all, because an unfinished commit writes leaves, too. The
    /// version numbers in the free list are not used, because commits may lower them.
    func versions(of ref: Ref) -> ClosedRange<UInt64>? {
        // The leaf may belong to the newest version, which cannot be opened and whose number is
        // unknown.
        if newest.database.isBeforeNewest { return nil }
        let readable = Set(sides.map(\.version))
        var last = newest.version
        while last > 0, readable.contains(last) { last -= 1 }
        var first: UInt64 = 1
        let tops = roots.map(\.top) + sides.compactMap(\.snapshot.state.top)
        for top in tops where top.version <= last && top.logicalSize <= ref.raw {
            first = max(first, top.version + 1)
        }
        return first <= last ? first...last : nil
    }
}
