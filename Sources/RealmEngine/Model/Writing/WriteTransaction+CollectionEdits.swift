/// Changes of single elements: only the way to them is read and written, however long the collection is,
/// except for those of properties with an index, which are read as a whole.
///
/// All throw `data` when a value does not fit, `misuse` when the collection, its object or the position is
/// not there. Positions are those that users see. Links keep their other ends, and embedded objects that
/// are taken out are removed.
extension WriteTransaction {
    /// The collection at `place`: the one that was changed last, if nothing else has changed since.
    func collection(at place: CollectionPlace) throws(RealmError) -> CollectionEdit {
        try checkOpen()
        if let openCollection, openCollection.isCurrent(at: place) { return openCollection }
        openCollection = nil
        let edit = try CollectionEdit(self, place)
        openCollection = edit
        return edit
    }

    // MARK: Lists

    /// Adds a value behind the last element of a list.
    public func appendElement(
        _ value: Value, to place: CollectionPlace
    ) throws(RealmError) {
        try collection(at: place).append(value)
    }

    /// Puts a value in front of the element at `position`, or behind the last.
    public func insertElement(
        _ value: Value, at position: Int, in place: CollectionPlace
    ) throws(RealmError) {
        let edit = try collection(at: place)
        let list = try edit.list()
        let index = try edit.index(position, of: list, orEnd: true)
        try edit.check(value)
        try list.insert(try edit.putting(value), at: index)
        try edit.finish(.insert(index))
    }

    /// Replaces the element at `position`.
    public func setElement(
        _ value: Value, at position: Int, in place: CollectionPlace
    ) throws(RealmError) {
        try collection(at: place).set(value, at: position)
    }

    public func removeElement(
        at position: Int, from place: CollectionPlace
    ) throws(RealmError) {
        let edit = try collection(at: place)
        let list = try edit.list()
        let index = try edit.index(position, of: list)
        try edit.taking(index, of: list)
        try list.remove(at: index)
        try edit.finish(.erase(index))
    }

    /// Takes the element at `position` out and puts it back so that it is at `target` afterwards.
    public func moveElement(
        from position: Int, to target: Int, in place: CollectionPlace
    ) throws(RealmError) {
        let edit = try collection(at: place)
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

    /// The elements at two positions change places.
    public func swapElements(
        _ a: Int, _ b: Int, in place: CollectionPlace
    ) throws(RealmError) {
        let edit = try collection(at: place)
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
        // Two moves make a swap: the second forward, then the first to where that was.
        if first + 1 == second { return try edit.finish(.move(second, first)) }
        try edit.finish(.move(second, first), .move(first + 1, second))
    }

    /// A new embedded object in front of the element at `position`, or behind the last.
    public func insertEmbedded(
        at position: Int, in place: CollectionPlace
    ) throws(RealmError) -> ObjectKey {
        let edit = try collection(at: place)
        let list = try edit.list()
        let index = try edit.index(position, of: list, orEnd: true)
        let link = try makeEmbedded(edit.column, of: edit.owner)
        try list.insert(try edit.putting(.link(link)), at: index)
        try edit.finish(.insert(index))
        return link.key
    }

    /// A new embedded object in place of the one at `position`.
    public func setEmbedded(
        at position: Int, in place: CollectionPlace
    ) throws(RealmError) -> ObjectKey {
        let edit = try collection(at: place)
        let list = try edit.list()
        let index = try edit.index(position, of: list)
        let link = try makeEmbedded(edit.column, of: edit.owner)
        try edit.taking(index, of: list)
        try list.set(try edit.putting(.link(link)), at: index)
        try edit.finish(.set(index))
        return link.key
    }

    // MARK: Sets

    /// Adds a value to a set; false when an equal one is there, which stays as it is spelt.
    @discardableResult
    public func insertMember(
        _ value: Value, into place: CollectionPlace
    ) throws(RealmError) -> Bool {
        let edit = try collection(at: place)
        let set = try edit.set()
        try edit.check(value)
        let found = try Self.find(value, in: set)
        if found.isThere { return false }
        try set.insert(try edit.putting(value), at: found.index)
        try edit.finish(.insert(found.index))
        return true
    }

    /// Takes a value out of a set; false when no equal one is there.
    @discardableResult
    public func removeMember(
        _ value: Value, from place: CollectionPlace
    ) throws(RealmError) -> Bool {
        let edit = try collection(at: place)
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

    /// Stores a value under a key; false when it replaced another.
    @discardableResult
    public func setEntry(
        _ key: Value, to value: Value, in place: CollectionPlace
    ) throws(RealmError) -> Bool {
        try collection(at: place).set(value, forKey: key)
    }

    /// A new embedded object under a key, in place of the one that was there.
    public func setEmbeddedEntry(
        _ key: Value, in place: CollectionPlace
    ) throws(RealmError) -> ObjectKey {
        let edit = try collection(at: place)
        try edit.check(key: key)
        let link = try makeEmbedded(edit.column, of: edit.owner)
        _ = try edit.store(.link(link), forKey: key)
        return link.key
    }

    /// Takes a key and its value out of a dictionary; false when there is no such key.
    @discardableResult
    public func removeEntry(
        _ key: Value, from place: CollectionPlace
    ) throws(RealmError) -> Bool {
        let edit = try collection(at: place)
        let entries = try edit.dictionary()
        let found = try entries.find(key)
        guard found.isThere else { return false }
        try edit.taking(found.index, of: entries.values)
        try entries.remove(at: found.index)
        try edit.finish(.erase(found.index))
        return true
    }

    // MARK: All kinds

    /// Takes everything out of a collection.
    public func removeAllElements(of place: CollectionPlace) throws(RealmError) {
        try collection(at: place).clear()
    }
}
