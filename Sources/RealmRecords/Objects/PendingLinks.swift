import RealmEngine

/// Property values with links whose targets do not exist yet. Each value is stored when its targets
/// exist, at the latest before the commit. A few MiB are in memory, the rest in a temporary file.
final class PendingLinks {
    struct Item {
        let object: ObjectLink
        let column: Int
        let place: RecordLocation
        /// Number of the item in the order of `add`, from 0.
        fileprivate let index: Int
        /// Offset plus 1 of the previous item in the same bucket; 0 for none.
        fileprivate var older = 0
        /// Offset of the next item in `memory`.
        fileprivate var end = 0
    }

    private let directory: String
    private let isConfidential: Bool
    /// The pending values: for each, an `Item` followed by the encoded `StagedValue`. Nil before
    /// the first item.
    private var memory: SpillBuffer?
    private(set) var count = 0
    /// One bit for each pending value: 1 if it is removed, because its property was overwritten or
    /// its object deleted. Stored apart from the items, which may be in the file.
    private var discarded: [UInt64] = []
    /// Hash table of the pending values by object: for each bucket, the offset plus 1 of the item
    /// added last; 0 for an empty bucket.
    private var buckets: [Int] = []
    /// Number of pending values from which `storeFoundIfWorthwhile` checks whether their targets
    /// exist.
    fileprivate var settleThreshold = 1 << 14

    private static let fewBuckets = 1 << 8
    private static let manyBuckets = 1 << 16

    /// - Parameters:
    ///   - directory: directory of the file to which pending values are spilled.
    ///   - isConfidential: whether that file must be encrypted.
    init(directory: String, isConfidential: Bool) {
        self.directory = directory
        self.isConfidential = isConfidential
    }

    /// Returns an empty instance with the same directory and encryption.
    func emptied() -> PendingLinks {
        PendingLinks(directory: directory, isConfidential: isConfidential)
    }

    /// Adds the value of a property, to be stored when the targets of its links exist. Throws
    /// `output` if the disk is full.
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

    /// Removes the pending value of a property that is overwritten. If `column` is nil, removes all
    /// pending values of an object that is deleted.
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

    /// Calls `body` for each pending value that is not removed, in the order of `add`. `body` may
    /// add more values.
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

    /// Increases the number of buckets. Must be called while all pending values are in memory, none
    /// in the file.
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
    /// Number of property values that are not stored because targets of their links are missing.
    package var pendingCount: Int { pending.count }

    /// Discards all pending values.
    package func discardPending() { pending = pending.emptied() }

    /// Calls `storeFound` if many values are pending: more than 16384, and more than twice as many
    /// as the previous call left.
    package func storeFoundIfWorthwhile() throws(RealmError) {
        if pending.count > pending.settleThreshold { try storeFound() }
    }

    /// Stores each pending value whose link targets exist by now. The other values remain pending.
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

    /// Stores all pending values. Returns an error for each value of which a link target does not
    /// exist, in the order of the input.
    package func storeAll() throws(RealmError) -> [RecordError] {
        try flushDeletes()
        var refused: [RecordError] = []
        try pending.visit { (item, value) throws(RealmError) in
            if try !storeIfResolved(item, value) { refused.append(try dangling(item, value)) }
        }
        return refused
    }

    /// Stores a pending value and returns true. Returns false if the value contains a link to an
    /// object that does not exist yet.
    private func storeIfResolved(
        _ item: PendingLinks.Item, _ value: StagedValue
    ) throws(RealmError) -> Bool {
        try saveMemory()
        guard try isResolved(value) else { return false }
        let table = try plans.plan(item.object.table).table
        try store(table, item.object.key, item.column, value)
        return true
    }

    /// Writes changes of the open transaction to the file if they exceed the transaction's memory
    /// limit.
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
