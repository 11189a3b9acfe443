extension RandomAccessCollection where Index == Int {
    /// The first index from which on `test` holds, `endIndex` if there is none. It must hold for all
    /// elements behind one it holds for.
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
    /// Where `element` is, or would be, among elements that ascend.
    func place(of element: Element) -> Int { partitionPoint { $0 >= element } }

    /// Where `element` is among elements that ascend; nil when it is not there.
    func position(of element: Element) -> Int? {
        let place = place(of: element)
        return place < endIndex && self[place] == element ? place : nil
    }
}
