/// Keys of objects in the order of a query, in memory or, beyond the memory limit, in a temporary
/// file. Safe to use from any thread.
public struct RowKeys: RandomAccessCollection, Sendable {
    private enum Storage: Sendable {
        case memory([ObjectKey])
        case spilled(SpilledBytes)
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
        }
    }

    /// Address of the array of keys if it is in memory. Copies of the list share the array and thus
    /// the address. Nil if the keys are in a temporary file.
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
        case .spilled:
            while count < limit, self[position + count] == leaf.key(row + count) { count += 1 }
        }
        return row..<row + count
    }

    /// Returns the keys rearranged: element `i` of the result is the key at position `order[i]`.
    func reordered(_ order: [UInt32]) -> RowKeys {
        switch storage {
        case .memory(let keys): RowKeys(order.map { keys[Int($0)] })
        case .spilled: RowKeys(order.map { self[Int($0)] })
        }
    }

    /// Calls `body` with the position and key of each element in a range of positions.
    @inline(__always)
    func visit(_ range: Range<Int>, _ body: (Int, ObjectKey) -> Void) {
        switch storage {
        case .memory(let keys): for i in range { body(i, keys[i]) }
        case .spilled: for i in range { body(i, self[i]) }
        }
    }
}

/// Collects object keys, in memory up to a limit and then in a temporary file.
struct KeyGatherer {
    private var keys: [ObjectKey] = []
    private var file: SpillFile?
    private let memory: QueryMemoryLimit

    init(_ memory: QueryMemoryLimit) { self.memory = memory }

    var count: Int { (file?.size ?? 0) / 8 + keys.count }

    @inline(__always)
    mutating func append(_ key: ObjectKey) throws(RealmError) {
        keys.append(key)
        if keys.count >= memory.keys { try spill() }
    }

    /// Appends the object keys of the selected rows of a leaf.
    mutating func append(_ leaf: ClusterLeaf, _ rows: Selection) throws(RealmError) {
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
    /// Memory limit in bytes for sorting, without the lists of keys.
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
