/// Converts positions of elements before an edit of a sequence to their positions after the edit.
/// The edit removes the elements at `removed` and inserts the elements at `added`.
struct PositionShift {
    /// Positions of the removed elements in the sequence before the edit, ascending.
    let removed: [Int]
    /// Positions of the inserted elements in the sequence after the edit, ascending.
    let added: [Int]

    /// Converts positions in the sequence before the edit to positions after the edit. `positions`
    /// must be ascending. Positions of elements that the edit removes are left out.
    func shifted(_ positions: [Int]) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(positions.count)
        var (gone, came) = (0, 0)
        for position in positions {
            while gone < removed.count, removed[gone] < position { gone += 1 }
            if gone < removed.count, removed[gone] == position { continue }
            // Rank of the position among the elements that were not removed. An edit does not
            // change the order of these elements.
            let rank = position - gone
            while came < added.count, added[came] <= rank + came { came += 1 }
            result.append(rank + came)
        }
        return result
    }
}

extension FlatChange {
    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// Returns one change with the effect of this change followed by `next`. Elements that this
    /// change inserts and `next` deletes are not listed.
    func followed(by next: FlatChange) -> FlatChange {
        let toOld = PositionShift(removed: insertions, added: deletions)
        let toNew = PositionShift(removed: next.deletions, added: next.insertions)
        let deletions = Self.union(deletions, toOld.shifted(next.deletions))
        let gone = Set(deletions)
        return FlatChange(
            deletions, Self.union(toNew.shifted(insertions), next.insertions),
            Self.union(
                modifications.filter { !gone.contains($0) }, toOld.shifted(next.modifications))
        )
    }

    private static func union(_ a: [Int], _ b: [Int]) -> [Int] {
        if a.isEmpty { return b }
        return b.isEmpty ? a : Set(a).union(b).sorted()
    }
}
