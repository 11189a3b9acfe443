import RealmEngine

/// Elements of an unmanaged collection in their stored form, because their type refuses at least one
/// of them. Reading that one traps; adding the collection to a realm stores it.
final class RefusedElements<Element> {
    /// Keys of a map; empty for other collections.
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

    /// The element at a position. Traps if its type refuses it.
    subscript(position: Int) -> Element { read(position) }

    /// All elements. Traps if their type refuses one.
    var all: [Element] { (0..<count).map(read) }

    /// The value for a key; nil if there is none. Traps if its type refuses it.
    func value(forKey key: String) -> Element? { keys.firstIndex(of: key).map { read($0) } }

    /// Elements in stored form; nil if `Element` refuses no values, or if an element is not of the
    /// stored type.
    static func list(_ value: Any) -> RefusedElements? {
        guard let type = Element.self as? any FailableCustomPersistable.Type,
            let elements = value as? any Sequence
        else { return nil }
        return made(type, [], elements.map { $0 as Any })
    }

    /// Entries of a dictionary in stored form; nil as for `list`.
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

    /// Replaces the content of a managed collection by these elements.
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
