import RealmEngine

extension Results where Element: KeypathSortable {
    /// Returns live results with the first `count` objects of these results. An addition to the
    /// SDK.
    ///
    /// ```swift
    /// let oldest = realm.objects(Dog.self).sorted(byKeyPath: "age", ascending: false).first(3)
    /// ```
    ///
    /// Only as many objects as needed are sorted, and an object is created only when it is read.
    /// The new results can be sorted and observed. Filtering them traps, as with `LIMIT` in a
    /// predicate. By contrast, `prefix(_:)` returns a slice with the same objects and sorts all of
    /// them. Traps for results that are not objects, and for a negative count.
    public func first(_ count: Int) -> Results<Element> {
        guard case .objects(let source) = source else {
            throwRealmException("Only results of objects can be limited.")
        }
        if count < 0 { throwRealmException("Cannot pass a negative value for 'count'.") }
        return Results(source.limited(count))
    }
}

extension RealmCollection {
    /// Returns the elements in slices (pages) of `size` elements. The last page may be shorter. An
    /// addition to the SDK.
    ///
    /// ```swift
    /// for page in realm.objects(Dog.self).freeze().pages(of: 100) { send(page.map(\.name)) }
    /// ```
    ///
    /// A page reads its elements only when they are used. The number of pages is computed from the
    /// current count, so freeze the collection first if it may change. Traps if `size` is not
    /// positive.
    public func pages(of size: Int) -> LazyMapSequence<StrideTo<Int>, SubSequence> {
        if size <= 0 { throwRealmException("The size of a page must be positive.") }
        let count = count
        return stride(from: 0, to: count, by: size).lazy.map {
            self[$0..<Swift.min($0 + size, count)]
        }
    }
}
