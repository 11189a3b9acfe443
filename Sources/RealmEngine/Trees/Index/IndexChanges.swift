/// Pending changes of an index, which are applied in the order of the index. In the order of the
/// objects, each change would affect another node, so a large transaction would copy and write all
/// nodes repeatedly.
///
/// Removals are applied before insertions. The changes stay pending when the transaction is
/// spilled. Confined to the writer.
final class IndexChanges {
    private struct Change {
        /// Sort key in the order of the trie. It contains the first eight bytes of the value's
        /// index string, so values that differ only in later bytes have equal sort keys. For an
        /// integer it has all eight bytes, in another order (`PendingIntegers.place`).
        let place: Int64
        let key: Int64
        /// Index of the value in `values`; -1 for an integer. `PendingIntegers.number` computes the
        /// integer from `place`.
        let value: Int32
        let isRemoval: Bool
    }

    private var changes: ContiguousArray<Change> = []
    private var values: ContiguousArray<Value> = []
    private let arena = ByteArena()
    private let bytes: ByteCount
    private var counted = 0
    private var hasRemovals = false
    /// Whether the changes have been sorted into `removals` and `insertions`. After that, no change
    /// can be added. The payloads of both arrays are indexes in `changes`.
    private var isPrepared = false
    private var removals = NumberPairs(capacity: 1)
    private var insertions = NumberPairs(capacity: 1)
    private var removed = 0
    private var inserted = 0
    private var oldValues: [Int64: Value]?

    /// - Parameter bytes: total memory of all pending changes in the transaction, which this object
    ///   updates.
    init(_ bytes: ByteCount) { self.bytes = bytes }

    deinit { bytes.value -= counted }

    var isEmpty: Bool { changes.isEmpty }

    /// Whether removals are being applied. The index then still contains the objects whose removal
    /// is pending, under their old values.
    var isRemoving: Bool { isPrepared && removed < removals.count }

    private static let changeSize = MemoryLayout<Change>.stride
    private static let valueSize = MemoryLayout<Value>.stride

    /// Adds a change. Traps if some changes have already been applied.
    func append(_ value: Value, _ key: Int64, isRemoval: Bool) {
        precondition(!isPrepared, "the changes were already applied")
        hasRemovals = hasRemovals || isRemoval
        var position: Int32 = -1
        let place: Int64
        if case .int(let number) = value {
            place = PendingIntegers.place(number)
        } else {
            let string = IndexString(value)
            let rest = UInt32(bitPattern: string.chunk(at: 4)) ^ 1 << 31
            place = Int64(string.chunk(at: 0)) << 32 | Int64(rest)
            position = Int32(truncatingIfNeeded: values.count)
            values.append(arena.copy(value))
        }
        changes.append(Change(place: place, key: key, value: position, isRemoval: isRemoval))
        let size =
            changes.count * Self.changeSize + values.count * Self.valueSize + arena.used
        bytes.value += size - counted
        counted = size
    }

    /// Frees the memory of the changes. Called after all of them were applied.
    func removeAll() {
        changes = []
        values = []
        arena.reset()
        removals = NumberPairs(capacity: 1)
        insertions = NumberPairs(capacity: 1)
        (removed, inserted, oldValues) = (0, 0, nil)
        (isPrepared, hasRemovals) = (false, false)
        bytes.value -= counted
        counted = 0
    }

    private func value(_ change: Change) -> Value {
        change.value < 0
            ? .int(PendingIntegers.number(change.place)) : values[Int(change.value)]
    }

    // MARK: Application

    /// Returns the next change to apply; nil after the last one.
    func next() -> (entry: IndexEditor.Entry, isRemoval: Bool)? {
        if !isPrepared { prepare() }
        if removed < removals.count {
            removed += 1
            return (entry(Int(removals.base[removed - 1].payload)), true)
        }
        guard inserted < insertions.count else { return nil }
        inserted += 1
        return (entry(Int(insertions.base[inserted - 1].payload)), false)
    }

    private func entry(_ i: Int) -> IndexEditor.Entry {
        let value = value(changes[i])
        return IndexEditor.Entry(string: IndexString(value), value: value, key: changes[i].key)
    }

    /// Returns the value of the pending removal of the object with `key`: the index still has the
    /// object under this value. Nil if no removal of the object is pending.
    func oldValue(_ key: Int64) -> Value? {
        if let oldValues { return oldValues[key] }
        var all: [Int64: Value] = [:]
        all.reserveCapacity(removals.count)
        for i in 0..<removals.count {
            let change = changes[Int(removals.base[i].payload)]
            all[change.key] = value(change)
        }
        oldValues = all
        return all[key]
    }

    private func prepare() {
        isPrepared = true
        if hasRemovals {
            collapse()
        } else {
            for i in changes.indices { insertions.append(changes[i].place, Int64(i)) }
        }
        removals.sort()
        insertions.sort()
        sortTexts(removals)
        sortTexts(insertions)
    }

    /// Combines all changes of an object into at most one removal and one insertion. The removal
    /// has the value before the first change, the insertion the value after the last change.
    private func collapse() {
        var order = NumberPairs(capacity: changes.count)
        for i in changes.indices { order.append(changes[i].key, Int64(i)) }
        order.sort()
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, order.base[end].number == order.base[start].number { end += 1 }
            let (i, j) = (order.base[start].payload, order.base[end - 1].payload)
            collapse(Int(i), Int(j))
            start = end
        }
    }

    private func collapse(_ i: Int, _ j: Int) {
        let (first, last) = (changes[i], changes[j])
        if first.isRemoval, !last.isRemoval, first.place == last.place {
            let (old, new) = (value(first), value(last))
            if IndexString(old) == IndexString(new), ValueOrder.areEqual(old, new) { return }
        }
        if first.isRemoval { removals.append(first.place, Int64(i)) }
        if !last.isRemoval { insertions.append(last.place, Int64(j)) }
    }

    /// Sorts texts and binaries whose first eight bytes are equal, so that `place` did not sort
    /// them.
    private func sortTexts(_ pairs: borrowing NumberPairs) {
        var start = 0
        while start < pairs.count {
            var end = start + 1
            while end < pairs.count, pairs.base[end].number == pairs.base[start].number { end += 1 }
            if end - start > 32, changes[Int(pairs.base[start].payload)].value >= 0 {
                var group = UnsafeMutableBufferPointer(
                    start: pairs.base + start, count: end - start)
                group.sort { isBefore($0, $1) }
            }
            start = end
        }
    }

    private func isBefore(_ a: NumberPair, _ b: NumberPair) -> Bool {
        switch (value(changes[Int(a.payload)]), value(changes[Int(b.payload)])) {
        case (.string(let x), .string(let y)), (.binary(let x), .binary(let y)):
            let order = ByteView.compare(x, y)
            return order != 0 ? order < 0 : a.payload < b.payload
        default: return a.payload < b.payload
        }
    }
}

// MARK: - Editing

extension IndexEditor {
    /// Number of changes to apply before the caller checks the memory limit again.
    private static let changePortion = 1 << 14

    /// Adds a change of the index to the pending changes.
    func wait(_ value: Value, _ key: ObjectKey, isRemoval: Bool) throws(RealmError) {
        if isStale { return }
        guard key.raw >= 0 else { throw Self.negativeKey() }
        try insertPendingIntegers()
        recent.invalidate(value)
        if !isRemoval { waiting.note(value) }
        waiting.openChanges(context.waitingBytes).append(value, key.raw, isRemoval: isRemoval)
    }

    /// If this is an index of words or of list elements, defers insertions until the index is read.
    /// Does nothing for an index of whole values.
    func defersWords() { waiting.defersWords = holdsWords }

    /// Applies all pending changes to the index.
    func applyPendingChanges() throws(RealmError) {
        while waiting.hasChanges { try applySomePendingChanges() }
        waiting.defersWords = false
    }

    /// Applies the next `changePortion` pending changes.
    func applySomePendingChanges() throws(RealmError) {
        guard let changes = waiting.changes else { return }
        recent.removeAll()
        for _ in 0..<Self.changePortion where !isStale {
            guard let next = changes.next() else { return changes.removeAll() }
            if next.isRemoval { try removeNow(next.entry) } else { try insertNow(next.entry) }
        }
        if isStale { changes.removeAll() }
    }
}
