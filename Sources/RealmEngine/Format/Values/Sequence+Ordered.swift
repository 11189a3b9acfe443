// Sorting with only one specialisation for all types. The compiler specialises `sorted(by:)` for
// each type and each comparison, which takes 2 to 12 KB of code each time. That is worthwhile only
// for frequent or large sorts.

extension Sequence {
    /// Returns the elements in the order that `precedes` defines. The sort is stable.
    package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
        let all = Array(self)
        return Array(all.indices).ordered { precedes(all[$0], all[$1]) }.map { all[$0] }
    }
}

extension Array {
    /// Sorts the elements in the order that `precedes` defines. The sort is stable.
    package mutating func order(by precedes: (Element, Element) -> Bool) {
        self = ordered(by: precedes)
    }
}

extension [Int] {
    @inline(never)
    package func ordered(by precedes: (Int, Int) -> Bool) -> [Int] { sorted(by: precedes) }
}
