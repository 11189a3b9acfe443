/// Versions that a leaf can have been a part of.
extension RemnantSearch {
    /// The last version that cannot be read any more, and before it the first after which the file had room
    /// for the leaf at `ref`. A state of that leaf was a part of a version in this range, if of any: a
    /// commit that was not finished leaves leaves, too. Stamps of free space tell nothing, as they may have
    /// been set back.
    func versions(of ref: Ref) -> ClosedRange<UInt64>? {
        // A state may be one of the version that cannot be opened, whose number is not known.
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
