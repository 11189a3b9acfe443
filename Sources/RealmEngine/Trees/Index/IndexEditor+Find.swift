/// Look-up of objects in an index inside a write transaction.
extension IndexEditor {
    /// Returns the first object that has `value` in the indexed column; nil if there is none. The
    /// index must not be a full-text index.
    func find(_ value: Value) throws(RealmError) -> ObjectKey? {
        if waiting.hasChanges { try applyPendingChanges() }
        if case .int(let number) = value {
            if let key = recent.key(of: number) { return ObjectKey(key) }
            if !waiting.isEmpty, let key = waiting.key(of: number) { return ObjectKey(key) }
            if let largest = waiting.largest, number > largest { return nil }
            let found = try search(value)
            if let found { recent.add(number, found.raw) }
            return found
        }
        return try search(value)
    }

    private func search(_ value: Value) throws(RealmError) -> ObjectKey? {
        let string = IndexString(value)
        var (level, slot): (Ref, RefSlot?) = (root, rootSlot)
        var offset = 0
        while true {
            let chunk = string.chunk(at: offset)
            guard let leaf = try self.leaf(of: chunk, below: level, &slot) else { return nil }
            let i = leaf.lowerBound(chunk)
            guard i < leaf.count else { return nil }
            guard leaf.chunks[i] == chunk else {
                if offset == 0, leaf.isOwn { gap = Gap(leaf: slot!, index: i, chunk: chunk) }
                return nil
            }
            let entry = try entry(leaf, i)
            if entry.isTagged { return try verified(entry.object, value) }
            guard try isLevel(entry.ref, offset: offset) else {
                return try first(in: list(entry.ref), value)
            }
            level = entry.ref
            offset &+= 4
        }
    }

    /// Insertion point that an unsuccessful look-up found. When an object is created, its primary
    /// key is looked up and then inserted. The insertion uses the `Gap` and needs no second search.
    struct Gap {
        /// Slot that contains the ref of the leaf in which to insert. The slot has not moved since
        /// the look-up, because each edit discards the `Gap`.
        let leaf: RefSlot
        let index: Int
        let chunk: Int32
    }

    /// Inserts an entry at `gap`, the insertion point that the last look-up found. Returns false if
    /// the entry has another chunk than the value looked up, or if the leaf is full.
    @inline(__always)
    func fill(_ gap: Gap, _ entry: Entry) throws(RealmError) -> Bool {
        if holdsWords || entry.string.chunk(at: 0) != gap.chunk { return false }
        let count = IndexNode(context.slab, Ref(gap.leaf.pointee)).count
        guard count < context.fanout.index else { return false }
        try ensureCapacity(gap.leaf, for: count + 1)
            .insert(gap.chunk, NodeSlot(object: entry.key).raw, at: gap.index)
        return true
    }

    /// Searches one level of the trie for the leaf whose range includes `chunk`; returns nil if all
    /// chunks are smaller.
    ///
    /// - Parameter slot: set to the slot that contains the leaf's ref; nil if the transaction does
    ///   not own the leaf's parent.
    @inline(__always)
    private func leaf(
        of chunk: Int32, below level: Ref, _ slot: inout RefSlot?
    ) throws(RealmError) -> NodeSummary? {
        var node = try look(level)
        var depth = 0
        while node.view.isInner {
            let i = node.lowerBound(chunk)
            guard i < node.count else { return nil }
            let child = try look(try entry(node, i).ref)
            guard child.count > 0, child.chunks[child.count - 1] == node.chunks[i] else {
                throw .corrupt(
                    "an index node whose last key is not its key above", at: child.ref)
            }
            guard depth < Self.maximumDepth else { throw tooDeep(child.ref) }
            slot = node.slot(i)
            node = child
            depth += 1
        }
        guard node.count > 0 || level == root else {
            throw .corrupt("an empty index node", at: level)
        }
        return node
    }

    private func verified(_ key: Int64, _ wanted: Value) throws(RealmError) -> ObjectKey? {
        guard let stored = try value(ObjectKey(key)), ValueOrder.areEqual(stored, wanted) else {
            return nil
        }
        return ObjectKey(key)
    }

    private func first(in list: KeyView, _ wanted: Value) throws(RealmError) -> ObjectKey? {
        // In most lists all objects have the same value, so the first key decides.
        if let key = try verified(try list.key(0), wanted) { return key }
        let i = try list.firstIndex { (key) throws(RealmError) in
            guard let stored = try value(ObjectKey(key)) else { return false }
            return ValueOrder.compare(stored, wanted) < 0
        }
        return i < list.count ? try verified(try list.key(i), wanted) : nil
    }
}

/// Cache of look-ups of integers. Objects that refer to others by an integer value, such as a
/// primary key, often refer to the same few objects.
///
/// Contains only results of `find`. Every edit of the index removes the affected entries.
final class RecentKeys {
    private struct Entry {
        var number: Int64
        var key: Int64
    }

    private static let mask = 1023
    private var entries: UnsafeMutablePointer<Entry>?

    deinit { entries?.deallocate() }

    @inline(__always)
    private static func place(_ number: Int64) -> Int {
        Int(truncatingIfNeeded: number ^ (number >> 10)) & mask
    }

    @inline(__always)
    func key(of number: Int64) -> Int64? {
        guard let entry = entries?[Self.place(number)], entry.number == number, entry.key >= 0
        else { return nil }
        return entry.key
    }

    func add(_ number: Int64, _ key: Int64) {
        if entries == nil {
            entries = .allocate(capacity: Self.mask + 1)
            entries!.initialize(repeating: Entry(number: 0, key: -1), count: Self.mask + 1)
        }
        entries![Self.place(number)] = Entry(number: number, key: key)
    }

    /// Removes cached look-ups that may have found a value equal to `value`. Called before an
    /// object with this value is inserted or removed.
    @inline(__always)
    func invalidate(_ value: Value) {
        guard let entries else { return }
        if case .int(let number) = value {
            entries[Self.place(number)].key = -1
        } else {
            // A number of another type may be equal to any integer.
            removeAll()
        }
    }

    func removeAll() {
        entries?.deallocate()
        entries = nil
    }
}
