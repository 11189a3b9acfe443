import RealmEngine
import ToolKit

/// Properties of this transaction whose links lead to objects that do not exist yet. They are
/// stored before the commit. Takes a few MiB of memory however many wait.
final class PendingLinks {
    struct Item {
        let object: ObjectLink
        let column: Int
        let place: RecordPlace
        /// Its number, from 0.
        fileprivate let index: Int
        /// Where the item that came before it for an object of the same bucket is, counted from 1.
        fileprivate var older = 0
        /// Where the next item is.
        fileprivate var end = 0
    }

    /// Items with their values behind them; nil before the first.
    private var memory: SpillMemory?
    private(set) var count = 0
    /// One bit per item: the property has another value by now, or its object is gone. Apart from
    /// the items, which may be in the file.
    private var forgotten: [UInt64] = []
    /// For each hash of an object where its latest item is, counted from 1.
    private var buckets: [Int] = []
    /// With so many it is time to see which links need not wait any more.
    fileprivate var mostItems = 1 << 14

    private static let fewBuckets = 1 << 8
    private static let manyBuckets = 1 << 16

    /// Throws `output` when there is no room on the disk.
    func add(
        _ object: ObjectLink, column: Int, _ value: StagedValue, _ place: RecordPlace
    ) throws(RealmError) {
        let memory: SpillMemory
        if let begun = self.memory { memory = begun } else { memory = try begin() }
        if count == 2 * Self.fewBuckets { makeManyBuckets(memory) }
        if count & 63 == 0 { forgotten.append(0) }
        let head = try memory.add(MemoryLayout<Item>.stride)
        let offset = memory.base.distance(to: head)
        try value.write(to: memory)
        var item = Item(object: object, column: column, place: place, index: count)
        item.end = (memory.count + 7) & ~7
        head.initializeMemory(as: Item.self, to: item)
        link(offset, memory)
        count += 1
    }

    /// The property gets another value, or, without `column`, the object goes.
    func forget(_ object: ObjectLink, column: Int? = nil) {
        guard let memory else { return }
        var next = buckets[bucket(object)]
        while next != 0 {
            let item = Self.item(next - 1, memory)
            if item.pointee.object == object, column == nil || item.pointee.column == column {
                forgotten[item.pointee.index >> 6] |= 1 << UInt64(item.pointee.index & 63)
            }
            next = item.pointee.older
        }
    }

    /// Calls `body` with each item that is not forgotten, in the order they came; `body` may add
    /// others.
    func visit(
        _ body: (Item, StagedValue) throws(RealmError) -> Void
    ) throws(RealmError) {
        guard let memory else { return }
        var offset = 0
        while offset < memory.count {
            let item = Self.item(offset, memory)
            let index = item.pointee.index
            if forgotten[index >> 6] & 1 << UInt64(index & 63) == 0 {
                var cursor = StoredCursor(item + 1)
                try body(item.pointee, StagedValue(at: &cursor))
            }
            offset = item.pointee.end
        }
    }

    private func begin() throws(RealmError) -> SpillMemory {
        let fresh = try SpillMemory(
            directory: Terminal.temporaryDirectory, isConfidential: Secrecy.isOwed)
        memory = fresh
        buckets = Array(repeating: 0, count: Self.fewBuckets)
        return fresh
    }

    private static func item(
        _ offset: Int, _ memory: SpillMemory
    ) -> UnsafeMutablePointer<Item> {
        (memory.base + offset).assumingMemoryBound(to: Item.self)
    }

    private func bucket(_ object: ObjectLink) -> Int { object.hashValue & (buckets.count - 1) }

    private func link(_ offset: Int, _ memory: SpillMemory) {
        let item = Self.item(offset, memory)
        let bucket = self.bucket(item.pointee.object)
        item.pointee.older = buckets[bucket]
        buckets[bucket] = offset + 1
    }

    /// To be called while all items are in memory.
    private func makeManyBuckets(_ memory: SpillMemory) {
        buckets = Array(repeating: 0, count: Self.manyBuckets)
        var offset = 0
        while offset < memory.count {
            link(offset, memory)
            offset = Self.item(offset, memory).pointee.end
        }
    }
}

extension ObjectWriter {
    /// Stores what waited for objects that have come by now, once so much waits that it counts.
    func settleEarly() throws(RealmError) {
        if pending.count > pending.mostItems { try settleFound() }
    }

    /// Stores what waited for objects that have come by now.
    func settleFound() throws(RealmError) {
        let old = pending
        pending = PendingLinks()
        try old.visit { (item, value) throws(RealmError) in
            if try !storeIfResolved(item, value) {
                try pending.add(item.object, column: item.column, value, item.place)
            }
        }
        pending.mostItems = max(1 << 14, 2 * pending.count)
    }

    /// Stores what waited for other objects of the transaction; answers what cannot be, in the
    /// order of the input.
    func settle() throws(RealmError) -> [RecordError] {
        try settleDeletes()
        var refused: [RecordError] = []
        try pending.visit { (item, value) throws(RealmError) in
            if try !storeIfResolved(item, value) { refused.append(try dangling(item, value)) }
        }
        return refused
    }

    /// False when a link of the value still leads nowhere.
    private func storeIfResolved(
        _ item: PendingLinks.Item, _ value: StagedValue
    ) throws(RealmError) -> Bool {
        try saveMemory()
        guard try isResolved(value) else { return false }
        let table = try plans.plan(item.object.table).table
        try store(table, item.object.key, item.column, value)
        return true
    }

    /// Keeps the memory of the transaction within its limit.
    func saveMemory() throws(RealmError) {
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
    /// For messages.
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
