import RealmEngine

/// Iterates over a list or set of values as it was when the iterator was created. Reads several
/// elements at a time.
@usableFromInline
final class ElementPieces<Element: RealmCollectionValue> {
    @usableFromInline let elements: UnsafeMutablePointer<Element>
    /// Index in `elements` of the element that is returned next. `count` is the number of elements
    /// that were read into the buffer.
    @exclusivity(unchecked) @usableFromInline var next = 0
    @exclusivity(unchecked) @usableFromInline var count = 0
    private let capacity: Int
    private let realm: RealmInstance
    /// Snapshot that the elements are read from. Keeps its version live.
    private let snapshot: Snapshot
    @exclusivity(unchecked) private var cursor: ElementCursor
    /// Whether `Element` is a 64-bit integer, so that `ElementCursor.integers` can write directly
    /// into `elements`.
    private let isInteger: Bool

    /// Prepares to read the elements of a collection. Returns nil inside a write transaction, whose
    /// changes would affect the iteration. Also returns nil if the elements are objects or may
    /// contain objects.
    init?(_ collection: ManagedCollection) {
        let realm = collection.realm
        if realm.engine.isInWriteTransaction { return nil }
        let view: CollectionView
        switch collection.read({ (handle) throws(RealmError) in try handle.value() }) {
        case .list(let list): view = list
        case .set(let set): view = set
        default: return nil
        }
        let type = view.element.type
        if type == .link || type == .mixed || type == .typedLink { return nil }
        self.realm = realm
        snapshot = realm.engine.snapshot()
        cursor = snapshot.elements(of: view)
        isInteger =
            type == .int && !view.element.isNullable
            && (Element.self == Int.self || Element.self == Int64.self)
        capacity = isInteger ? 1000 : 64
        elements = .allocate(capacity: capacity)
    }

    deinit {
        elements.deinitialize(count: count)
        elements.deallocate()
    }

    /// Returns the next element; nil at the end.
    @inlinable @inline(__always)
    func nextElement() -> Element? {
        if next == count, !refill() { return nil }
        let element = elements[next]
        next &+= 1
        return element
    }

    /// Reads the next elements into the buffer. Returns false if there are no more.
    @usableFromInline @inline(never)
    func refill() -> Bool {
        elements.deinitialize(count: count)
        (next, count) = (0, 0)
        do throws(RealmError) { try readPiece() } catch { throwRealmException(error.message) }
        return count > 0
    }

    private func readPiece() throws(RealmError) {
        if isInteger {
            let integers = UnsafeMutableRawPointer(elements).assumingMemoryBound(to: Int64.self)
            count = try cursor.integers(into: integers, capacity: capacity)
            return
        }
        while count < capacity, let value = try cursor.next() {
            let element = Element._rlmFromStored(_Stored(value: value, realm: realm))
            (elements + count).initialize(to: element)
            count += 1
        }
    }
}
