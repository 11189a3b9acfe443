/// Changes of single elements in collections. A change accesses only the path to the element,
/// unless the property has an index; then the whole collection is read.
///
/// All functions throw `data` if a value does not fit, and `misuse` if the object, the collection
/// or the index does not exist. Positions of elements do not count links to tombstones.
/// Backlinks are updated, and embedded objects that are removed from a collection are deleted.
extension WriteTransaction {
    /// Returns an edit of the collection at `location`. Returns `openCollection`, the edit used
    /// last, if it edits this collection and the transaction has changed nothing else since;
    /// otherwise makes one.
    func collection(at location: CollectionLocation) throws(RealmError) -> CollectionEdit {
        try checkOpen()
        if let openCollection, openCollection.isCurrent(at: location) { return openCollection }
        openCollection = nil
        let edit = try CollectionEdit(self, location)
        openCollection = edit
        return edit
    }

    // MARK: Lists

    /// Appends a value to a list.
    public func appendElement(
        _ value: Value, to location: CollectionLocation
    ) throws(RealmError) {
        try collection(at: location).append(value)
    }

    /// Inserts a value before the element at index `position`; appends it if `position` is the
    /// number of elements.
    public func insertElement(
        _ value: Value, at position: Int, in location: CollectionLocation
    ) throws(RealmError) {
        let edit = try collection(at: location)
        let list = try edit.list()
        let index = try edit.index(position, of: list, orEnd: true)
        try edit.check(value)
        try list.insert(try edit.putting(value), at: index)
        try edit.finish(.insert(index))
    }

    /// Replaces the element at index `position`.
    public func setElement(
        _ value: Value, at position: Int, in location: CollectionLocation
    ) throws(RealmError) {
        try collection(at: location).set(value, at: position)
    }

    public func removeElement(
        at position: Int, from location: CollectionLocation
    ) throws(RealmError) {
        let edit = try collection(at: location)
        let list = try edit.list()
        let index = try edit.index(position, of: list)
        try edit.taking(index, of: list)
        try list.remove(at: index)
        try edit.finish(.erase(index))
    }

    /// Moves the element at index `position` to index `target`, its index after the move.
    public func moveElement(
        from position: Int, to target: Int, in location: CollectionLocation
    ) throws(RealmError) {
        let edit = try collection(at: location)
        let list = try edit.list()
        let from = try edit.index(position, of: list)
        let to = try edit.index(target, of: list)
        if from == to { return }
        try edit.begin()
        try move(from, to, list)
        try edit.finish(.move(from, to))
    }

    private func move(_ from: Int, _ to: Int, _ list: SequenceEditor) throws(RealmError) {
        let value = copyToArena(try list.value(at: from))
        try list.remove(at: from)
        try list.insert(value, at: to)
    }

    /// Swaps the elements at indexes `a` and `b`.
    public func swapElements(
        _ a: Int, _ b: Int, in location: CollectionLocation
    ) throws(RealmError) {
        let edit = try collection(at: location)
        let list = try edit.list()
        let first = try edit.index(min(a, b), of: list)
        let second = try edit.index(max(a, b), of: list)
        if first == second { return }
        try edit.begin()
        let (x, y) = (
            copyToArena(try list.value(at: first)), copyToArena(try list.value(at: second))
        )
        try list.set(y, at: first)
        try list.set(x, at: second)
        // A swap is logged as two moves: the second element to the first index, then the first
        // element, which has moved up by one, to the second index.
        if first + 1 == second { return try edit.finish(.move(second, first)) }
        try edit.finish(.move(second, first), .move(first + 1, second))
    }

    /// Creates an embedded object before the element at index `position`; appends it if `position`
    /// is the number of elements.
    public func insertEmbedded(
        at position: Int, in location: CollectionLocation
    ) throws(RealmError) -> ObjectKey {
        let edit = try collection(at: location)
        let list = try edit.list()
        let index = try edit.index(position, of: list, orEnd: true)
        let link = try makeEmbedded(edit.column, of: edit.owner)
        try list.insert(try edit.putting(.link(link)), at: index)
        try edit.finish(.insert(index))
        return link.key
    }

    /// Replaces the embedded object at index `position` by a new one; deletes the old one.
    public func setEmbedded(
        at position: Int, in location: CollectionLocation
    ) throws(RealmError) -> ObjectKey {
        let edit = try collection(at: location)
        let list = try edit.list()
        let index = try edit.index(position, of: list)
        let link = try makeEmbedded(edit.column, of: edit.owner)
        try edit.taking(index, of: list)
        try list.set(try edit.putting(.link(link)), at: index)
        try edit.finish(.set(index))
        return link.key
    }

    // MARK: Sets

    /// Inserts a value into a set. If the set contains an equal value, returns false and changes
    /// nothing.
    @discardableResult
    public func insertMember(
        _ value: Value, into location: CollectionLocation
    ) throws(RealmError) -> Bool {
        let edit = try collection(at: location)
        let set = try edit.set()
        try edit.check(value)
        let found = try Self.find(value, in: set)
        if found.isThere { return false }
        try set.insert(try edit.putting(value), at: found.index)
        try edit.finish(.insert(found.index))
        return true
    }

    /// Removes a value from a set. Returns false if the set contains no equal value.
    @discardableResult
    public func removeMember(
        _ value: Value, from location: CollectionLocation
    ) throws(RealmError) -> Bool {
        let edit = try collection(at: location)
        let set = try edit.set()
        let found = try Self.find(value, in: set)
        guard found.isThere else { return false }
        try edit.taking(found.index, of: set)
        try set.remove(at: found.index)
        try edit.finish(.erase(found.index))
        return true
    }

    private static func find(
        _ value: Value, in set: SequenceEditor
    ) throws(RealmError) -> (index: Int, isThere: Bool) {
        try set.find(value, order: SetOrder.compare)
    }

    // MARK: Dictionaries

    /// Stores a value for a key of a dictionary. Returns false if it replaced another value.
    @discardableResult
    public func setEntry(
        _ key: Value, to value: Value, in location: CollectionLocation
    ) throws(RealmError) -> Bool {
        try collection(at: location).set(value, forKey: key)
    }

    /// Creates an embedded object for a key of a dictionary; deletes the previous one.
    public func setEmbeddedEntry(
        _ key: Value, in location: CollectionLocation
    ) throws(RealmError) -> ObjectKey {
        let edit = try collection(at: location)
        try edit.check(key: key)
        let link = try makeEmbedded(edit.column, of: edit.owner)
        _ = try edit.store(.link(link), forKey: key)
        return link.key
    }

    /// Removes a key and its value from a dictionary. Returns false if the dictionary has no such
    /// key.
    @discardableResult
    public func removeEntry(
        _ key: Value, from location: CollectionLocation
    ) throws(RealmError) -> Bool {
        let edit = try collection(at: location)
        let entries = try edit.dictionary()
        let found = try entries.find(key)
        guard found.isThere else { return false }
        try edit.taking(found.index, of: entries.values)
        try entries.remove(at: found.index)
        try edit.finish(.erase(found.index))
        return true
    }

    // MARK: All kinds

    /// Removes all elements of a collection.
    public func removeAllElements(of location: CollectionLocation) throws(RealmError) {
        try collection(at: location).clear()
    }
}
