/// Keys of objects in the order of a query, in memory or, beyond the memory limit, in a temporary
/// file. Consecutive keys are stored as a range. Safe to use from any thread.
public struct RowKeys: RandomAccessCollection, Sendable {
    private enum Storage: Sendable {
        case memory([ObjectKey])
        case spilled(SpilledBytes)
        /// Consecutive keys. The first is `first`; `endIndex` is their number.
        case range(first: Int64)
    }

    private let storage: Storage
    public let startIndex = 0
    public let endIndex: Int

    init(_ keys: [ObjectKey]) {
        storage = .memory(keys)
        endIndex = keys.count
    }

    fileprivate init(_ bytes: SpilledBytes) {
        storage = .spilled(bytes)
        endIndex = bytes.count / 8
    }

    /// The `count` consecutive keys from `first` on.
    fileprivate init(from first: Int64, count: Int) {
        self.init(.range(first: first), count: count)
    }

    private init(_ storage: Storage, count: Int) {
        self.storage = storage
        endIndex = count
    }

    /// All keys, without copying if they are in memory.
    var array: [ObjectKey] {
        if case .memory(let keys) = storage, keys.count == endIndex { return keys }
        return Array(self)
    }

    /// Returns the list of the first `limit` keys.
    func first(_ limit: Int) -> RowKeys { RowKeys(storage, count: Swift.min(limit, endIndex)) }

    @inline(__always)
    public subscript(i: Int) -> ObjectKey {
        precondition(i >= 0 && i < endIndex)
        switch storage {
        case .memory(let keys): return keys[i]
        case .spilled(let bytes):
            return ObjectKey(bytes.number(at: i &* 8))
        case .range(let first): return ObjectKey(first &+ Int64(i))
        }
    }

    /// Address of the keys if they are in memory, the same for all copies of the list; nil if they
    /// are in a temporary file or stored as a range.
    var base: UnsafeRawPointer? {
        guard case .memory(let keys) = storage else { return nil }
        return keys.withUnsafeBytes { $0.baseAddress }
    }

    /// Whether the keys are in a temporary file.
    var isSpilled: Bool {
        if case .spilled = storage { return true }
        return false
    }
}

extension RowKeys {
    /// Returns the longest range of rows of `leaf`, starting at `row`, whose object keys equal the
    /// elements of this list from `position` on. Stops before position `end` of the list.
    func run(
        in leaf: ClusterLeaf, from row: Int, at position: Int, before end: Int
    ) -> Range<Int> {
        let limit = Swift.min(leaf.count - row, end - position)
        var count = 0
        switch storage {
        case .memory(let keys):
            while count < limit, keys[position + count] == leaf.key(row + count) { count += 1 }
        case .range(let first) where leaf.hasConsecutiveKeys:
            if leaf.key(row).raw == first &+ Int64(position) { count = limit }
        case .spilled, .range:
            while count < limit, self[position + count] == leaf.key(row + count) { count += 1 }
        }
        return row..<row + count
    }

    /// Returns the keys rearranged: element `i` of the result is the key at position `order[i]`.
    func reordered(_ order: [UInt32]) -> RowKeys {
        switch storage {
        case .memory(let keys): Self.made(order) { keys[$0] }
        case .spilled: Self.made(order) { self[$0] }
        case .range(let first): Self.made(order) { ObjectKey(first &+ Int64($0)) }
        }
    }

    @inline(__always)
    private static func made(_ order: [UInt32], _ key: (Int) -> ObjectKey) -> RowKeys {
        let count = order.count
        return RowKeys(
            [ObjectKey](unsafeUninitializedCapacity: count) { (keys, used) in
                if let start = keys.baseAddress {
                    LargeMemory.requestHugePages(start, count &* MemoryLayout<ObjectKey>.stride)
                    for i in 0..<count { (start + i).initialize(to: key(Int(order[i]))) }
                }
                used = count
            })
    }

    /// Calls `body` with the position and key of each element in a range of positions.
    @inline(__always)
    func visit(_ range: Range<Int>, _ body: (Int, ObjectKey) -> Void) {
        switch storage {
        case .memory(let keys): for i in range { body(i, keys[i]) }
        case .spilled: for i in range { body(i, self[i]) }
        case .range(let first): for i in range { body(i, ObjectKey(first &+ Int64(i))) }
        }
    }
}

/// Collects object keys, in memory up to a limit and then in a temporary file. While all keys are
/// consecutive, only the first one and their number are stored.
struct KeyGatherer {
    /// First key and number of the keys, as long as they are consecutive.
    private var first: Int64 = 0
    private var consecutive = 0
    /// Whether all keys so far are consecutive, so that none is in `keys`.
    private var isRange = true
    private var keys: [ObjectKey] = []
    private var file: SpillFile?
    private let memory: QueryMemoryLimit

    init(_ memory: QueryMemoryLimit) { self.memory = memory }

    var count: Int { (file?.size ?? 0) / 8 + keys.count + consecutive }

    @inline(__always)
    mutating func append(_ key: ObjectKey) throws(RealmError) {
        if isRange {
            if extend(key.raw, by: 1) { return }
            try storeRange()
        }
        keys.append(key)
        if keys.count >= memory.keys { try spill() }
    }

    /// Adds consecutive keys to the range; returns false if they do not continue it.
    @inline(__always)
    private mutating func extend(_ key: Int64, by count: Int) -> Bool {
        if consecutive == 0 { first = key }
        guard key == first &+ Int64(consecutive) else { return false }
        consecutive &+= count
        return true
    }

    /// Stores the keys of the range one by one, because the next key does not continue it.
    @inline(never)
    private mutating func storeRange() throws(RealmError) {
        isRange = false
        let count = consecutive
        consecutive = 0
        for i in 0..<count { try append(ObjectKey(first &+ Int64(i))) }
    }

    /// Appends the keys of the selected rows of a leaf.
    mutating func append(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {
        if rows.isEmpty { return }
        if isRange {
            if rows == Selection(first: leaf.count), leaf.hasConsecutiveKeys,
                extend(leaf.key(0).raw, by: leaf.count)
            {
                return
            }
            try storeRange()
        }
        withUnsafeTemporaryAllocation(of: ObjectKey.self, capacity: ClusterRows.maximum) { part in
            let count = leaf.write(rows, to: part.baseAddress!)
            keys.append(contentsOf: UnsafeBufferPointer(rebasing: part[..<count]))
        }
        if keys.count >= memory.keys { try spill() }
    }

    @inline(never)
    private mutating func spill() throws(RealmError) {
        if file == nil {
            file = try SpillFile(
                in: memory.directory, isConfidential: memory.isConfidential)
        }
        guard let file else { return }
        for key in keys { try file.append(key.raw) }
        keys.removeAll(keepingCapacity: true)
    }

    /// Returns all collected keys. The gatherer must not be used afterwards.
    mutating func finish() throws(RealmError) -> RowKeys {
        if isRange { return RowKeys(from: first, count: consecutive) }
        if file == nil { return RowKeys(keys) }
        try spill()
        keys = []
        return RowKeys(try file!.mapped())
    }
}

/// Memory limits of a query and the directory of its temporary files.
struct QueryMemoryLimit: Sendable {
    /// Maximum number of object keys that a list has in memory; longer lists are in a temporary
    /// file.
    let keys: Int
    /// Limit in bytes for the memory of sorting. The lists of object keys are not included.
    let sorting: Int
    let directory: String
    /// Whether temporary files are encrypted.
    let isConfidential: Bool
    /// Whether sorting copies the first bytes of texts. This avoids decrypting their pages again,
    /// and is required if a collation replaces the texts by collation keys.
    let copiesTexts: Bool

    /// Minimum number of rows that are sorted in memory at a time, even if they exceed the memory
    /// limit.
    private static let minimumRowCount = 16

    init(_ options: QueryOptions, _ snapshot: Snapshot, isCollated: Bool = false) {
        isConfidential = snapshot.database.isEncrypted
        copiesTexts = (isConfidential || isCollated) && options.memoryLimit < .max
        directory = options.spillDirectory
        // The input and output lists of keys get 3/8 of the memory limit, sorting gets 5/8.
        keys = Self.keys(options)
        sorting = options.memoryLimit / 8 * 5
    }

    static func keys(_ options: QueryOptions) -> Int {
        Swift.max(minimumRowCount, options.memoryLimit / 16 * 3 / 8)
    }

    /// Returns the number of rows that can be sorted in memory if the sort keys of each take
    /// `rowSize` bytes.
    func rows(of rowSize: Int) -> Int { Swift.max(Self.minimumRowCount, rowMemory / rowSize) }

    /// Limit in bytes of the memory for copies of texts while rows are sorted.
    var texts: Int { copiesTexts ? Swift.max(1 << 12, sorting - rowMemory) : .max }

    private var rowMemory: Int { copiesTexts ? sorting / 2 : sorting }
}
