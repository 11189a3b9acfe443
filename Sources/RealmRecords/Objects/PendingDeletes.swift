import RealmEngine

/// Objects of one class that are deleted together, in the order of their keys. In the order of the
/// records, each deletion would rewrite a leaf of objects and leaves of indexes.
struct PendingDeletes {
    private(set) var table = TableKey.none
    private(set) var keys: Set<ObjectKey> = []
    private let maximumCount: Int

    init(_ rules: RecordRules) { maximumCount = max(1 << 12, rules.memoryLimit / 256) }

    var isFull: Bool { keys.count >= maximumCount }

    func contains(_ key: ObjectKey, of table: TableKey) -> Bool {
        table == self.table && keys.contains(key)
    }

    mutating func insert(_ key: ObjectKey) { keys.insert(key) }

    mutating func begin(_ table: TableKey) {
        self.table = table
        keys.removeAll()
    }
}

extension ObjectWriter {
    /// Adds an object to the pending deletes. If the pending objects are of another class, or too
    /// many, deletes them first.
    func delete(_ object: ObjectKey, from table: TableKey) throws(RealmError) {
        if deletes!.table != table || deletes!.isFull {
            try flushDeletes()
            deletes!.begin(table)
        }
        deletes!.insert(object)
    }

    /// Deletes the pending objects.
    func flushDeletes() throws(RealmError) {
        guard let waiting = deletes, !waiting.keys.isEmpty else { return }
        deletes!.begin(waiting.table)
        try transaction.remove(waiting.table, waiting.keys)
    }
}
