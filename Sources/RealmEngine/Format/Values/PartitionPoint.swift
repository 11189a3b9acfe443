extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element for which `test` is true; `endIndex` if there is
    /// none. `test` must be false for all elements before this index and true for all elements from
    /// it on.
    @inline(__always)
    func partitionPoint<E>(_ test: (Element) throws(E) -> Bool) throws(E) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if try test(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension RandomAccessCollection where Index == Int, Element: Comparable {
    /// Returns the index of the first element that is not less than `element`. The collection must
    /// ascend.
    func place(of element: Element) -> Int { partitionPoint { $0 >= element } }

    /// Returns the index of `element`; nil if the collection does not contain it. The collection
    /// must ascend.
    func position(of element: Element) -> Int? {
        let place = place(of: element)
        return place < endIndex && self[place] == element ? place : nil
    }
}
