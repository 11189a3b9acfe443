/// Changes of single elements of the collection.
extension CollectionEdit {
    /// Appends a value to the list.
    func append(_ value: Value) throws(RealmError) {
        let list = try list()
        try check(value)
        let index = list.count
        try list.insert(try putting(value), at: index)
        try finish(.insert(index))
    }

    /// Replaces the element at index `position` of a list; `position` does not count links to
    /// tombstones.
    func set(_ value: Value, at position: Int) throws(RealmError) {
        let list = try list()
        let index = try index(position, of: list)
        // Fast path: an integer has no bytes to copy, contains no links, and fits every integer
        // list.
        if case .int = value, element.type == .int {
            try begin()
            try list.set(value, at: index)
            return try finish(.set(index))
        }
        try check(value)
        try taking(index, of: list)
        try list.set(try putting(value), at: index)
        try finish(.set(index))
    }

    /// Stores a value for a key of a dictionary. Returns false if it replaced another value.
    @discardableResult
    func set(_ value: Value, forKey key: Value) throws(RealmError) -> Bool {
        try check(value)
        return try store(value, forKey: key)
    }

    /// Stores a value like `set(_:forKey:)`, without checking it.
    func store(_ value: Value, forKey key: Value) throws(RealmError) -> Bool {
        let entries = try dictionary()
        try check(key: key)
        let found = try entries.find(key)
        if found.isThere {
            try taking(found.index, of: entries.values)
            try entries.values.set(try putting(value), at: found.index)
            try finish(.set(found.index))
        } else {
            try entries.insert(copy(key), try putting(value), at: found.index)
            try finish(.insert(found.index))
        }
        return !found.isThere
    }

    /// Throws `data` unless `key` has the key type of the dictionary.
    func check(key: Value) throws(RealmError) {
        let isInteger = try dictionary().keys.element.type == .int
        try WriteTransaction.checkKey(key, isInteger, column.name)
    }
}
