import Foundation

/// Several elements of a list at once.
extension List {
    public subscript(bounds: Range<Int>) -> Slice<List> {
        get { Slice(base: self, bounds: bounds) }
        set { replaceSubrange(bounds, with: newValue) }
    }

    public func insert<C: Collection>(contentsOf newElements: C, at i: Int)
    where C.Iterator.Element == Element {
        for (offset, element) in newElements.enumerated() { insert(element, at: i + offset) }
    }

    public func removeFirst(_ number: Int = 1) {
        checkRemoving(number)
        removeSubrange(0..<number)
    }

    public func removeLast(_ number: Int = 1) {
        checkRemoving(number)
        removeSubrange(count - number..<count)
    }

    private func checkRemoving(_ number: Int) {
        if number < 0 {
            throwRealmException("It is not possible to remove a negative number of objects.")
        }
        if number > count {
            throwRealmException(
                "It is not possible to remove more objects (\(number)) from a list than it already "
                    + "contains (\(count)).")
        }
    }

    public func removeSubrange<R>(_ boundsExpression: R) where R: RangeExpression, R.Bound == Int {
        for index in boundsExpression.relative(to: self).reversed() { remove(at: index) }
    }

    public func remove(atOffsets offsets: IndexSet) {
        for index in offsets.reversed() { remove(at: index) }
    }

    public func replaceSubrange<C: Collection, R>(_ subrange: R, with newElements: C)
    where C.Iterator.Element == Element, R: RangeExpression, R.Bound == Int {
        let range = subrange.relative(to: self)
        // A part of this list changes with it.
        let elements = Array(newElements)
        removeSubrange(range)
        insert(contentsOf: elements, at: range.lowerBound)
    }

    /// The elements at `offsets`, in their order, go in front of the one that is at `destination` now.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        var (before, behind) = (0, 0)
        for offset in offsets {
            if offset < destination {
                move(from: offset - before, to: destination - 1)
                before += 1
            } else {
                move(from: offset, to: destination + behind)
                behind += 1
            }
        }
    }
}
