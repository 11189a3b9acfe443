extension RandomAccessCollection where Index == Int {
    /// Returns the first index at which `test` is true; `endIndex` if there is none. `test` must be
    /// false before that index and true from it on.
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
    /// Returns the index of the first element that is not less than `element`, in an ascending
    /// collection.
    func place(of element: Element) -> Int { partitionPoint { $0 >= element } }

    /// Returns the index of `element` in an ascending collection; nil if it is missing.
    func position(of element: Element) -> Int? {
        let place = place(of: element)
        return place < endIndex && self[place] == element ? place : nil
    }
}
