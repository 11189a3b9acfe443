import Foundation

/// Operations on several elements of a list.
extension List {
    /// The elements in a range of positions. Setting them replaces that range. Traps if the range
    /// is out of bounds, and when set in a managed list outside of a write transaction.
    public subscript(bounds: Range<Int>) -> Slice<List> {
        get { Slice(base: self, bounds: bounds) }
        set { replaceSubrange(bounds, with: newValue) }
    }

    /// Inserts the elements of a collection before position `i`. Traps under the same conditions as
    /// `insert(_:at:)`.
    public func insert<C: Collection>(contentsOf newElements: C, at i: Int)
    where C.Iterator.Element == Element {
        for (offset, element) in newElements.enumerated() { insert(element, at: i + offset) }
    }

    /// Removes the first `number` elements. Traps if the list has fewer, and for a managed list
    /// outside of a write transaction.
    public func removeFirst(_ number: Int = 1) {
        checkRemoving(number)
        removeSubrange(0..<number)
    }

    /// Removes the last `number` elements. Traps if the list has fewer, and for a managed list
    /// outside of a write transaction.
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

    /// Removes the elements in a range of positions. Traps if the range is out of bounds, and for a
    /// managed list outside of a write transaction.
    public func removeSubrange<R>(_ boundsExpression: R) where R: RangeExpression, R.Bound == Int {
        for index in boundsExpression.relative(to: self).reversed() { remove(at: index) }
    }

    /// Removes the elements at several positions. Traps if a position is out of bounds, and for a
    /// managed list outside of a write transaction.
    public func remove(atOffsets offsets: IndexSet) {
        for index in offsets.reversed() { remove(at: index) }
    }

    /// Replaces the elements in a range of positions by other elements, which may come from this
    /// list. Traps if the range is out of bounds, and for a managed list outside of a write
    /// transaction.
    public func replaceSubrange<C: Collection, R>(_ subrange: R, with newElements: C)
    where C.Iterator.Element == Element, R: RangeExpression, R.Bound == Int {
        let range = subrange.relative(to: self)
        // The new elements are copied first, because they may come from this list.
        let elements = Array(newElements)
        removeSubrange(range)
        insert(contentsOf: elements, at: range.lowerBound)
    }

    /// Moves the elements at `offsets` to a position before the element that has the index
    /// `destination` before the move. The moved elements keep their order.
    ///
    /// Traps if a position is out of bounds, and for a managed list outside of a write transaction.
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
