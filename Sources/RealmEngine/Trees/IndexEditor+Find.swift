/// Looking up objects inside a write transaction.
extension IndexEditor {
    /// The first object that has `value` in the column, nil when there is none. For general indexes.
    func find(_ value: Value) throws(RealmError) -> ObjectKey? {
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
        var level = Unmanaged.passUnretained(root)
        var offset = 0
        while true {
            let chunk = string.chunk(at: offset)
            guard let leaf = try self.leaf(of: chunk, below: level) else { return nil }
            let i = leaf._withUnsafeGuaranteedRef { $0.lowerBound(chunk) }
            let (hasRoom, isFound) = leaf._withUnsafeGuaranteedRef {
                (i < $0.count, i < $0.count && $0.chunks[i] == chunk)
            }
            guard hasRoom else { return nil }
            guard isFound else {
                if offset == 0 { gap = Gap(leaf: leaf, index: i, chunk: chunk) }
                return nil
            }
            let slot = try resolved(leaf.takeUnretainedValue(), i, offset: offset)
            if slot.isLiteral { return try verified(slot.key, value) }
            if slot.isList { return try first(in: slot.list, value) }
            level = slot.unmanagedNode
            offset += 4
        }
    }

    /// Where a look-up found nothing: creating an object looks its primary key up first and then
    /// adds it, which need not search again.
    struct Gap {
        /// The tree keeps it alive; every edit forgets the gap.
        let leaf: Unmanaged<Node>
        let index: Int
        let chunk: Int32
    }

    /// Adds the entry in the gap the last look-up left; false when that is not its place, or when
    /// more than the leaf would change.
    @inline(__always)
    func fillGap(_ entry: Entry) -> Bool {
        guard let gap else { return false }
        self.gap = nil
        if holdsWords || entry.string.chunk(at: 0) != gap.chunk { return false }
        return gap.leaf._withUnsafeGuaranteedRef { leaf in
            guard leaf.isDirty, leaf.count < context.fanout.index else { return false }
            leaf.insert(gap.chunk, Slot(literal: entry.key), at: gap.index)
            return true
        }
    }

    /// The leaf of one level of the trie that has `chunk` if any has.
    @inline(__always)
    private func leaf(
        of chunk: Int32, below level: Unmanaged<Node>
    ) throws(RealmError) -> Unmanaged<Node>? {
        var node = level
        var depth = 0
        while node._withUnsafeGuaranteedRef({ $0.isInner }) {
            let i = node._withUnsafeGuaranteedRef { $0.lowerBound(chunk) }
            guard i < node._withUnsafeGuaranteedRef({ $0.count }) else { return nil }
            let slot = node._withUnsafeGuaranteedRef { $0.slot(i) }
            if slot.isNode {
                node = slot.unmanagedNode
            } else {
                node = .passUnretained(try child(node.takeUnretainedValue(), i, depth: depth))
            }
            depth += 1
        }
        return node
    }

    private func verified(_ key: Int64, _ wanted: Value) throws(RealmError) -> ObjectKey? {
        guard let stored = try value(ObjectKey(key)), ValueOrder.areEqual(stored, wanted) else {
            return nil
        }
        return ObjectKey(key)
    }

    private func first(in list: KeyList, _ wanted: Value) throws(RealmError) -> ObjectKey? {
        // In most lists all values are equal.
        if let key = try verified(try list.key(0), wanted) { return key }
        let i = try list.firstIndex { (key) throws(RealmError) in
            guard let stored = try value(ObjectKey(key)) else { return false }
            return ValueOrder.compare(stored, wanted) < 0
        }
        return i < list.count ? try verified(try list.key(i), wanted) : nil
    }
}

/// Keys found lately by integers: links of many objects lead to few.
///
/// Only what `find` answered goes in, and editing the index forgets it.
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

    /// Objects with `value` come or go.
    @inline(__always)
    func forget(_ value: Value) {
        guard let entries else { return }
        if case .int(let number) = value {
            entries[Self.place(number)].key = -1
        } else {
            // Numbers of other types can be equal.
            removeAll()
        }
    }

    func removeAll() {
        entries?.deallocate()
        entries = nil
    }
}
