/// Builds a whole search index at once: for a new index on a column with data, or to replace an
/// index that contradicts its column (object format 5.8).
///
/// Add every object with `add`, then call `finish`. The bytes of the values must stay valid until
/// then. Confined to the writer.
final class IndexBuilder {
    private let context: EditContext
    private let holdsWords: Bool
    private let arena = ByteArena()
    private var values: ContiguousArray<Value> = []
    private var keys: ContiguousArray<Int64> = []
    /// Entries in the order of the trie's level that `finish` is writing. The upper 32 bits of a
    /// number contain the four bytes (chunk) by which this level sorts the entry. The lower 32 bits
    /// contain the entry's index in `values` and `keys`.
    private var order: UnsafeMutableBufferPointer<UInt64>

    init(_ context: EditContext, kind: IndexKind) {
        self.context = context
        holdsWords = kind == .fullText
        order = .allocate(capacity: 0)
    }

    deinit { order.deallocate() }

    /// Adds an object with its value or, in a full-text index, with each distinct word of its text.
    func add(_ value: Value, _ key: ObjectKey) throws(RealmError) {
        guard holdsWords else {
            values.append(value)
            keys.append(key.raw)
            return
        }
        try WordSet(value).visit { (word) in add(word: arena.copy(word), key) }
    }

    /// Adds one string of an object's indexed list.
    func add(word: ByteView, _ key: ObjectKey) {
        values.append(.string(word))
        keys.append(key.raw)
    }

    /// Writes the index, empties the builder and returns the index's root.
    func finish() throws(RealmError) -> Ref {
        guard values.count < UInt32.max else {
            throw .misuse("an index of \(values.count) entries", reason: "too-large")
        }
        order.deallocate()
        order = .allocate(capacity: values.count)
        for i in order.indices { order[i] = UInt64(i) }
        let root = try level(order.indices, offset: 0)
        values = []
        keys = []
        arena.reset()
        return root
    }

    // MARK: One level

    /// Writes one level of the trie for the entries of `range`, whose first `offset` bytes are
    /// equal.
    private func level(_ range: Range<Int>, offset: Int) throws(RealmError) -> Ref {
        sort(range, offset)
        var tree = LevelWriter(context)
        var start = range.lowerBound
        while start < range.upperBound {
            let chunk = order[start] >> 32
            var end = start + 1
            while end < range.upperBound, order[end] >> 32 == chunk { end += 1 }
            // Entries with the same chunk form a group; the next level sorts only within the group.
            let slot = try slot(start..<end, offset)
            try tree.append(Self.chunk(chunk), slot)
            start = end
        }
        return try tree.finish()
    }

    /// Sorts entries by their chunk at `offset`. Entries with equal chunks stay in the order in
    /// which they were added.
    private func sort(_ range: Range<Int>, _ offset: Int) {
        var isSorted = true
        var previous: UInt64 = 0
        for i in range {
            let position = position(i)
            let chunk = IndexString(values[position]).chunk(at: offset)
            order[i] = UInt64(UInt32(bitPattern: chunk) ^ 1 << 31) << 32 | UInt64(position)
            isSorted = isSorted && order[i] >= previous
            previous = order[i]
        }
        if isSorted { return }
        var group = UnsafeMutableBufferPointer(rebasing: order[range])
        group.sort()
    }

    private static func chunk(_ ordered: UInt64) -> Int32 {
        Int32(bitPattern: UInt32(truncatingIfNeeded: ordered) ^ 1 << 31)
    }

    private func position(_ i: Int) -> Int { Int(UInt32(truncatingIfNeeded: order[i])) }

    /// Returns the slot for the entries of `range`, which have the same chunk at `offset`.
    private func slot(_ range: Range<Int>, _ offset: Int) throws(RealmError) -> NodeSlot {
        guard holdsWords else {
            if range.count == 1 { return literal(range.lowerBound) }
            let isList = offset + 4 > SearchIndex.maximumOffset || agrees(range)
            return try isList ? list(range) : below(range, offset)
        }
        let ends = range.allSatisfy { IndexString(values[position($0)]).count <= offset + 4 }
        guard ends else { return try below(range, offset) }
        return try range.count == 1 ? literal(range.lowerBound) : list(range)
    }

    private func below(_ range: Range<Int>, _ offset: Int) throws(RealmError) -> NodeSlot {
        NodeSlot(raw: try level(range, offset: offset + 4).raw)
    }

    private func literal(_ i: Int) -> NodeSlot {
        NodeSlot(object: keys[position(i)])
    }

    private func agrees(_ range: Range<Int>) -> Bool {
        let first = IndexString(values[position(range.lowerBound)])
        return range.dropFirst().allSatisfy { IndexString(values[position($0)]) == first }
    }

    private func list(_ range: Range<Int>) throws(RealmError) -> NodeSlot {
        let first = values[position(range.lowerBound)]
        let isUniform =
            holdsWords
            || range.dropFirst().allSatisfy { ValueOrder.areEqual(values[position($0)], first) }
        let sorted: [Int64]
        if isUniform {
            sorted = distinct(range.map { keys[position($0)] })
            if sorted.count == 1 { return NodeSlot(object: sorted[0]) }
        } else {
            let positions = range.map { position($0) }.ordered { isBefore($0, $1) }
            sorted = positions.map { keys[$0] }
        }
        return NodeSlot(raw: try written(sorted).raw)
    }

    private func written(_ keys: [Int64]) throws(RealmError) -> Ref {
        if keys.count <= context.fanout.tree { return try context.encoder.integers(keys) }
        let element = ElementType(type: .int, isNullable: false)
        let tree = try SequenceEditor(context, root: .none, element: element)
        for key in keys { try tree.append(.int(key)) }
        return try tree.finish()
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool {
        let order = ValueOrder.compare(values[a], values[b])
        return order != 0 ? order < 0 : keys[a] < keys[b]
    }

    /// Returns the keys in ascending order without duplicates. A key can occur twice, because an
    /// object's list may contain a string twice.
    private func distinct(_ keys: [Int64]) -> [Int64] {
        if zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) { return keys }
        var result: [Int64] = []
        for key in keys.sorted() where result.last != key { result.append(key) }
        return result
    }
}

/// Writes the B-tree of one level of the trie. Entries are added in order, and all nodes but the
/// last are full.
private struct LevelWriter {
    private let context: EditContext
    private let isInner: Bool
    private var chunks: ContiguousArray<Int32> = []
    private var slots: ContiguousArray<NodeSlot> = []
    /// Nodes written so far. Each has the chunk and ref that its parent will store.
    private var written: [(chunk: Int32, ref: Ref)] = []

    init(_ context: EditContext, isInner: Bool = false) {
        self.context = context
        self.isInner = isInner
    }

    mutating func append(_ chunk: Int32, _ slot: NodeSlot) throws(RealmError) {
        if chunks.count == context.fanout.index { try close() }
        chunks.append(chunk)
        slots.append(slot)
    }

    private mutating func close() throws(RealmError) {
        let last = chunks[chunks.count - 1]
        written.append((last, try encode()))
        chunks.removeAll(keepingCapacity: true)
        slots.removeAll(keepingCapacity: true)
    }

    private func encode() throws(RealmError) -> Ref {
        let new = try IndexNode.make(context, isInner: isInner, capacity: chunks.count)
        for i in slots.indices { new.node.slots[i] = slots[i].raw }
        chunks.withUnsafeBufferPointer {
            if let base = $0.baseAddress { new.node.fill(base, $0.count) }
        }
        return new.ref
    }

    mutating func finish() throws(RealmError) -> Ref {
        if written.isEmpty { return try encode() }
        try close()
        var above = LevelWriter(context, isInner: true)
        for entry in written { try above.append(entry.chunk, NodeSlot(raw: entry.ref.raw)) }
        return try above.finish()
    }
}
