// Sorting with a single specialisation for all types. The compiler specialises `sorted(by:)` for
// each type and each comparison, at 2 to 12 KB each; that is for frequent or large sorts.

extension Sequence {
    /// Returns the elements ordered by `precedes`; the sort is stable.
    package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
        let all = Array(self)
        return Array(all.indices).ordered { precedes(all[$0], all[$1]) }.map { all[$0] }
    }
}

extension Array {
    /// Orders the elements by `precedes`; the sort is stable.
    package mutating func order(by precedes: (Element, Element) -> Bool) {
        self = ordered(by: precedes)
    }
}

extension [Int] {
    @inline(never)
    package func ordered(by precedes: (Int, Int) -> Bool) -> [Int] { sorted(by: precedes) }
}
