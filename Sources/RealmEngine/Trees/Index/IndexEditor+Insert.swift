/// Insertion into an index (object format 5.5 and 5.6).
extension IndexEditor {
    /// Adds an entry. Descends through the levels of the trie until no value with another index
    /// string has the same chunk.
    func add(_ entry: Entry) throws(RealmError) {
        var level = rootSlot
        var offset = 0
        while let below = try add(entry, level: level, offset: offset) {
            level = below
            offset &+= 4
        }
    }

    /// Adds an entry to one level of the trie. Returns nil if it was added. If it belongs to the
    /// next level, returns the slot with the root of that level.
    @inline(__always)
    private func add(
        _ entry: Entry, level: RefSlot, offset: Int
    ) throws(RealmError) -> RefSlot? {
        let chunk = entry.string.chunk(at: offset)
        path.remove(from: 0)
        let (slot, leaf) = try makePathWritable(chunk, level: level, isNew: true)
        let i = leaf.lowerBound(chunk)
        if i < leaf.count, leaf.chunks[i] == chunk {
            return holdsWords
                ? try placeWord(entry, leaf.slots + i, offset)
                : try place(entry, leaf.slots + i, offset)
        }
        let goesOn = holdsWords && offset + 4 < entry.string.count
        let new = goesOn ? try chain(entry, offset) : NodeSlot(object: entry.key).raw
        let node = try ensureCapacity(slot, for: leaf.count + 1)
        node.insert(chunk, new, at: i)
        if node.count > context.fanout.index { try split(slot, after: i, level: level) }
        return nil
    }

    // MARK: Values

    /// Adds the object of `entry` to the slot at `place`. The path to this slot ends with four
    /// bytes of the entry's index string, the chunk at `offset`. If the slot references a node of
    /// the next level, returns `place`, and the caller must add the entry to that node.
    private func place(
        _ entry: Entry, _ place: RefSlot, _ offset: Int
    ) throws(RealmError) -> RefSlot? {
        let slot = NodeSlot(raw: place.pointee)
        if slot.isTagged { return try join(entry, slot.object, place, offset) }
        if try isLevel(slot.ref, offset: offset) { return place }
        return try enlist(entry, place, offset)
    }

    /// Adds the object of `entry` to the slot at `place`, which contains one object with the key
    /// `key`. Makes a list of both objects if their values have the same index string. Otherwise
    /// moves the object with the key `key` to a new level of the trie and returns `place`, as
    /// `divide` does.
    private func join(
        _ entry: Entry, _ key: Int64, _ place: RefSlot, _ offset: Int
    ) throws(RealmError) -> RefSlot? {
        if key == entry.key { return nil }
        guard let value = try value(ObjectKey(key)) else {
            isStale = true
            return nil
        }
        if let below = try divide(place, value, entry, offset) { return below }
        if isStale { return nil }
        let order = ValueOrder.compare(value, entry.value)
        let isFirst = order != 0 ? order < 0 : key < entry.key
        place.pointee = try newList(isFirst ? (key, entry.key) : (entry.key, key)).raw
        if order == 0 { sharedValues.remember(entry, list: place.pointee) }
        return nil
    }

    /// Makes a new level of the trie if the entry's value and `value` have different index strings.
    /// The objects of the slot at `place`, which have the index string of `value`, move to that
    /// level. Returns `place`, which then refers to the new level; nil if no level was made.
    private func divide(
        _ place: RefSlot, _ value: Value, _ entry: Entry, _ offset: Int
    ) throws(RealmError) -> RefSlot? {
        let string = IndexString(value)
        if string == entry.string { return nil }
        guard string.sharesPath(with: entry.string, through: offset) else {
            isStale = true
            return nil
        }
        guard offset + 4 <= SearchIndex.maximumOffset else { return nil }
        place.pointee = try newLeaf(string.chunk(at: offset + 4), place.pointee).raw
        return place
    }

    /// Adds the object of `entry` to the list at `place`. If the objects of the list have another
    /// index string than the entry, moves the list to a new level of the trie and returns `place`,
    /// as `divide` does. The caller must then add the entry to that level.
    private func enlist(
        _ entry: Entry, _ place: RefSlot, _ offset: Int
    ) throws(RealmError) -> RefSlot? {
        let list = try list(Ref(place.pointee))
        var isUniform = sharedValues.holds(entry, list: place.pointee)
        if !isUniform {
            guard let value = try value(of: list.key(0), entry),
                let last = try self.value(of: list.key(list.count - 1), entry)
            else {
                isStale = true
                return nil
            }
            if let below = try divide(place, value, entry, offset) { return below }
            if isStale { return nil }
            isUniform =
                ValueOrder.areEqual(value, last) && ValueOrder.areEqual(value, entry.value)
        }
        try insert(entry, list, place, isUniform: isUniform)
        return nil
    }

    private func insert(
        _ entry: Entry, _ list: KeyView, _ place: RefSlot, isUniform: Bool
    ) throws(RealmError) {
        let at = isUniform ? try list.lowerBound(entry.key) : try lowerBound(entry, list)
        if isStale { return }
        if try list.matches(entry.key, at: at) { return }
        try insert(entry.key, at: at, list, place)
        if isUniform {
            sharedValues.remember(entry, list: place.pointee)
        } else {
            sharedValues.invalidate(entry)
        }
    }

    /// Returns the value under which the index contains, or is about to contain, the object with
    /// `key`. It can differ from the column's value: the object of `entry` may not be stored yet,
    /// and objects whose removal is pending have old values.
    func value(of key: Int64, _ entry: Entry) throws(RealmError) -> Value? {
        if key == entry.key { return entry.value }
        if let changes = waiting.changes, changes.isRemoving, let old = changes.oldValue(key) {
            return old
        }
        return try value(ObjectKey(key))
    }

    /// Returns the insertion index of the entry in a list sorted by value, then key.
    func lowerBound(_ entry: Entry, _ list: KeyView) throws(RealmError) -> Int {
        try list.firstIndex { (key) throws(RealmError) in
            guard let value = try value(of: key, entry) else {
                isStale = true
                return false
            }
            let order = ValueOrder.compare(value, entry.value)
            return order != 0 ? order < 0 : key < entry.key
        }
    }

    // MARK: Words

    /// Adds the object of `entry` to the slot at `place`. The path to this slot ends with four
    /// bytes of the entry's word, the chunk at `offset`. If the slot references a node of the next
    /// level, returns `place`, and the caller must add the entry to that node.
    private func placeWord(
        _ entry: Entry, _ place: RefSlot, _ offset: Int
    ) throws(RealmError) -> RefSlot? {
        let slot = NodeSlot(raw: place.pointee)
        if !slot.isTagged, try isLevel(slot.ref, offset: offset) { return place }
        if offset + 4 < entry.string.count {
            // The words in this slot end here, and the entry's word continues. So the slot becomes
            // a level, in which the words that end here have the chunk `IndexString.end`.
            place.pointee = try newLeaf(IndexString.end, slot.raw).raw
            return place
        }
        if slot.isTagged {
            let (a, b) = (slot.object, entry.key)
            if a != b { place.pointee = try newList((min(a, b), max(a, b))).raw }
            return nil
        }
        let list = try list(slot.ref)
        let at = try list.lowerBound(entry.key)
        if try !list.matches(entry.key, at: at) { try insert(entry.key, at: at, list, place) }
        return nil
    }

    /// Makes one level of the trie for each chunk of the entry's word after the chunk at `offset`.
    /// Returns the value for the slot of the chunk at `offset`. It is the ref of the first new
    /// level, or the object's key if the word has no more chunks.
    private func chain(_ entry: Entry, _ offset: Int) throws(RealmError) -> UInt64 {
        var slot = NodeSlot(object: entry.key).raw
        var at = (max(1, entry.string.count) - 1) & ~3
        while at > offset {
            slot = try newLeaf(entry.string.chunk(at: at), slot).raw
            at -= 4
        }
        return slot
    }
}
