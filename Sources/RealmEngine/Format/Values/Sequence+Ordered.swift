// One code that sorts, for all types. The compiler makes `sorted(by:)` anew for each type and each
// comparison, 2 to 12 KB a time: those are for what sorts much, and often.

extension Sequence {
    /// The elements in the order of `precedes`; equal ones stay as they stood.
    package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
        let all = Array(self)
        return Array(all.indices).ordered { precedes(all[$0], all[$1]) }.map { all[$0] }
    }
}

extension Array {
    /// Puts the elements in the order of `precedes`; equal ones stay as they stood.
    package mutating func order(by precedes: (Element, Element) -> Bool) {
        self = ordered(by: precedes)
    }
}

extension [Int] {
    @inline(never)
    package func ordered(by precedes: (Int, Int) -> Bool) -> [Int] { sorted(by: precedes) }
}
