import RealmEngine

extension Results where Element: KeypathSortable {
    /// Returns the first `count` objects of the results, as live results. An addition to the SDK.
    ///
    /// ```swift
    /// let oldest = realm.objects(Dog.self).sorted(byKeyPath: "age", ascending: false).first(3)
    /// ```
    ///
    /// Only the first objects are sorted, and no accessor is made before it is read. The results
    /// can be sorted and observed; filtering them traps, as with `LIMIT` in a predicate. `prefix(_:)`
    /// has the same objects as a slice, which follows the results but sorts them all.
    public func first(_ count: Int) -> Results<Element> {
        guard case .objects(let source) = source else {
            throwRealmException("Only results of objects can be limited.")
        }
        if count < 0 { throwRealmException("Cannot pass a negative value for 'count'.") }
        return Results(source.limited(count))
    }
}

extension RealmCollection {
    /// Returns the elements in slices of `size` elements; the last one may be shorter. An addition
    /// to the SDK.
    ///
    /// ```swift
    /// for page in realm.objects(Dog.self).freeze().pages(of: 100) { send(page.map(\.name)) }
    /// ```
    ///
    /// The slices are views: no element is read before it is used. The present count of the
    /// collection determines their number; freeze a collection that changes meanwhile. Traps if
    /// `size` is not positive.
    public func pages(of size: Int) -> LazyMapSequence<StrideTo<Int>, SubSequence> {
        if size <= 0 { throwRealmException("The size of a page must be positive.") }
        let count = count
        return stride(from: 0, to: count, by: size).lazy.map {
            self[$0..<Swift.min($0 + size, count)]
        }
    }
}
