import RealmEngine

/// Values with links whose targets do not exist yet. They are stored when the targets exist, at the
/// latest before the commit. A few MiB are kept in memory, the rest in a temporary file.
final class PendingLinks {
    struct Item {
        let object: ObjectLink
        let column: Int
        let place: RecordLocation
        /// Number of the item, from 0.
        fileprivate let index: Int
        /// Offset of the previous item in the same bucket, plus 1; 0 for none.
        fileprivate var older = 0
        /// Offset of the next item.
        fileprivate var end = 0
    }

    private let directory: String
    private let isConfidential: Bool
    /// Items followed by their values; nil before the first item.
    private var memory: SpillBuffer?
    private(set) var count = 0
    /// One bit for each item: whether it is removed, because its property was overwritten or its
    /// object deleted. Stored apart from the items, which may be in the file.
    private var discarded: [UInt64] = []
    /// Hash table by object: for each bucket, the offset of its last item plus 1; 0 if it is empty.
    private var buckets: [Int] = []
    /// Number of items from which it is worthwhile to search for targets that exist by now.
    fileprivate var settleThreshold = 1 << 14

    private static let fewBuckets = 1 << 8
    private static let manyBuckets = 1 << 16

    /// - Parameters:
    ///   - directory: directory of the file to which items are spilled.
    ///   - isConfidential: whether that file must be encrypted.
    init(directory: String, isConfidential: Bool) {
        self.directory = directory
        self.isConfidential = isConfidential
    }

    /// Returns an empty list with the same settings.
    func emptied() -> PendingLinks {
        PendingLinks(directory: directory, isConfidential: isConfidential)
    }

    /// Adds an item. Throws `output` if the disk is full.
    func add(
        _ object: ObjectLink, column: Int, _ value: StagedValue, _ place: RecordLocation
    ) throws(RealmError) {
        let memory: SpillBuffer
        if let begun = self.memory { memory = begun } else { memory = try begin() }
        if count == 2 * Self.fewBuckets { makeManyBuckets(memory) }
        if count & 63 == 0 { discarded.append(0) }
        let head = try memory.add(MemoryLayout<Item>.stride)
        let offset = memory.base.distance(to: head)
        try value.write(to: memory)
        var item = Item(object: object, column: column, place: place, index: count)
        item.end = (memory.count + 7) & ~7
        head.initializeMemory(as: Item.self, to: item)
        link(offset, memory)
        count += 1
    }

    /// Removes the items of a property, because it is overwritten. If `column` is nil, removes all
    /// items of an object, because it is deleted.
    func removeItems(_ object: ObjectLink, column: Int? = nil) {
        guard let memory else { return }
        var next = buckets[bucket(object)]
        while next != 0 {
            let item = Self.item(next - 1, memory)
            if item.pointee.object == object, column == nil || item.pointee.column == column {
                discarded[item.pointee.index >> 6] |= 1 << UInt64(item.pointee.index & 63)
            }
            next = item.pointee.older
        }
    }

    /// Calls `body` for each item that is not removed, in the order in which they were added.
    /// `body` may add items.
    func visit(
        _ body: (Item, StagedValue) throws(RealmError) -> Void
    ) throws(RealmError) {
        guard let memory else { return }
        var offset = 0
        while offset < memory.count {
            let item = Self.item(offset, memory)
            let index = item.pointee.index
            if discarded[index >> 6] & 1 << UInt64(index & 63) == 0 {
                var cursor = StoredCursor(item + 1)
                try body(item.pointee, StagedValue(at: &cursor))
            }
            offset = item.pointee.end
        }
    }

    private func begin() throws(RealmError) -> SpillBuffer {
        let fresh = try SpillBuffer(
            directory: directory, isConfidential: isConfidential)
        memory = fresh
        buckets = Array(repeating: 0, count: Self.fewBuckets)
        return fresh
    }

    private static func item(
        _ offset: Int, _ memory: SpillBuffer
    ) -> UnsafeMutablePointer<Item> {
        (memory.base + offset).assumingMemoryBound(to: Item.self)
    }

    private func bucket(_ object: ObjectLink) -> Int { object.hashValue & (buckets.count - 1) }

    private func link(_ offset: Int, _ memory: SpillBuffer) {
        let item = Self.item(offset, memory)
        let bucket = self.bucket(item.pointee.object)
        item.pointee.older = buckets[bucket]
        buckets[bucket] = offset + 1
    }

    /// Increases the number of buckets. Must be called while all items are in memory.
    private func makeManyBuckets(_ memory: SpillBuffer) {
        buckets = Array(repeating: 0, count: Self.manyBuckets)
        var offset = 0
        while offset < memory.count {
            link(offset, memory)
            offset = Self.item(offset, memory).pointee.end
        }
    }
}

extension ObjectWriter {
    /// Number of properties whose links wait for their targets.
    package var pendingCount: Int { pending.count }

    /// Discards the properties whose links wait for their targets.
    package func discardPending() { pending = pending.emptied() }

    /// Stores items whose targets exist by now, if there are enough items to make that worthwhile.
    package func storeFoundIfWorthwhile() throws(RealmError) {
        if pending.count > pending.settleThreshold { try storeFound() }
    }

    /// Stores items whose targets exist by now.
    package func storeFound() throws(RealmError) {
        let old = pending
        pending = old.emptied()
        try old.visit { (item, value) throws(RealmError) in
            if try !storeIfResolved(item, value) {
                try pending.add(item.object, column: item.column, value, item.place)
            }
        }
        pending.settleThreshold = max(1 << 14, 2 * pending.count)
    }

    /// Stores all items. Returns errors, in the order of the input, for those whose targets do not
    /// exist.
    package func storeAll() throws(RealmError) -> [RecordError] {
        try flushDeletes()
        var refused: [RecordError] = []
        try pending.visit { (item, value) throws(RealmError) in
            if try !storeIfResolved(item, value) { refused.append(try dangling(item, value)) }
        }
        return refused
    }

    /// Stores the value of an item. Returns false if a target does not exist yet.
    private func storeIfResolved(
        _ item: PendingLinks.Item, _ value: StagedValue
    ) throws(RealmError) -> Bool {
        try saveMemory()
        guard try isResolved(value) else { return false }
        let table = try plans.plan(item.object.table).table
        try store(table, item.object.key, item.column, value)
        return true
    }

    /// Spills the transaction if its memory limit requires it.
    package func saveMemory() throws(RealmError) {
        if transaction.isSpillDue { try transaction.spill() }
    }

    private func dangling(
        _ item: PendingLinks.Item, _ value: StagedValue
    ) throws(RealmError) -> RecordError {
        let table = try plans.plan(item.object.table).table
        var missing: ObjectReference?
        try value.forEachReference { (reference) throws(RealmError) in
            if missing == nil, try !self.isResolved(.reference(reference)) { missing = reference }
        }
        var expected = "an object that exists"
        var got = "none"
        if let missing {
            let target = try plans.plan(missing.table).table
            expected = "an object of \(target.className)"
            got = "no object with the key \(missing.name.text)"
        }
        return RecordError(
            .noSuchObject, record: item.place.record,
            position: TextPosition(line: item.place.line),
            property: table.columns[item.column].name, expected: expected, got: got)
    }
}

extension ObjectReference.Name {
    /// The primary key or object key as text for messages.
    fileprivate var text: String {
        switch self {
        case .objectKey(let key): return "\(key.raw)"
        case .primaryKey(let value):
            var buffer = ByteBuffer(capacity: 64)
            switch value {
            case .int(let number): buffer.append(number: number)
            case .string(let text): buffer.append(json: text)
            case .objectID(let id): buffer.append(id)
            case .uuid(let id): buffer.append(id)
            default: buffer.append("null")
            }
            return buffer.string
        }
    }
}
