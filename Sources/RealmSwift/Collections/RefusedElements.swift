import RealmEngine

/// Elements of an unmanaged collection in stored form. Used if `Element` is a
/// `FailableCustomPersistable` that rejects at least one of the values. Reading a rejected value
/// traps. Adding the collection to a realm stores the values without converting them.
final class RefusedElements<Element> {
    /// Keys of the values of a map; empty for lists and sets.
    let keys: [String]
    let count: Int
    private let read: (Int) -> Element
    private let stored: (Int, _Storing) -> Value

    private init(
        keys: [String], count: Int, read: @escaping (Int) -> Element,
        stored: @escaping (Int, _Storing) -> Value
    ) {
        (self.keys, self.count, self.read, self.stored) = (keys, count, read, stored)
    }

    /// The element at a position. Traps if `Element` rejects the stored value.
    subscript(position: Int) -> Element { read(position) }

    /// All elements. Traps if `Element` rejects a stored value.
    var all: [Element] { (0..<count).map(read) }

    /// Returns the value for a key; nil if there is none. Traps if `Element` rejects the stored
    /// value.
    func value(forKey key: String) -> Element? { keys.firstIndex(of: key).map { read($0) } }

    /// Converts a sequence to stored form. Returns nil if `Element` is not
    /// `FailableCustomPersistable`, or if an element does not have the stored type.
    static func list(_ value: Any) -> RefusedElements? {
        guard let type = Element.self as? any FailableCustomPersistable.Type,
            let elements = value as? any Sequence
        else { return nil }
        return made(type, [], elements.map { $0 as Any })
    }

    /// Converts the entries of a dictionary to stored form. Returns nil if `Element` is not
    /// `FailableCustomPersistable`, or if a value does not have the stored type.
    static func map(_ value: Any) -> RefusedElements? {
        guard let type = Element.self as? any FailableCustomPersistable.Type,
            let entries = Entries.of(value)
        else { return nil }
        return made(type, entries.map(\.key), entries.map(\.value))
    }

    private static func made<C: FailableCustomPersistable>(
        _: C.Type, _ keys: [String], _ elements: [Any]
    ) -> RefusedElements? {
        let raws = elements.compactMap { raw(C.self, $0) }
        guard raws.count == elements.count else { return nil }
        return RefusedElements(
            keys: keys, count: raws.count,
            read: { position in
                if let made = C(persistedValue: raws[position]) as? Element { return made }
                throwRealmException(
                    "Could not convert value '\(raws[position])' to type '\(C.self)'.")
            }, stored: { raws[$0]._rlmStored($1) })
    }

    private static func raw<C: FailableCustomPersistable>(
        _: C.Type, _ value: Any
    ) -> C.PersistedType? {
        guard let given = Converted<Any>.given(value) else { return nil }
        return (given as? C)?.persistableValue ?? Converted<C.PersistedType>.of(given)
    }

    /// Replaces the content of a managed collection by the elements of this collection, in stored
    /// form.
    func replace(_ target: ManagedCollection, isSet: Bool = false) {
        let storing = _Storing(target.realm)
        target.change { (handle) throws(RealmError) in
            try handle.removeAll()
            for position in 0..<count {
                let value = stored(position, storing)
                if position < keys.count {
                    try handle.set(value, forKey: storing.string(keys[position]))
                } else if isSet {
                    _ = try handle.insert(value)
                } else {
                    try handle.append(value)
                }
            }
        }
    }
}
