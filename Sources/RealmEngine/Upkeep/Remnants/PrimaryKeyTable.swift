/// Finds objects of one class in the newest version by primary key, and returns their object keys.
///
/// Uses the index of the primary key. If the file has no such index, builds a sorted table of
/// digests instead, which takes 16 bytes per object and stops at the memory limit. Confined to one
/// thread.
final class PrimaryKeyTable {
    private let table: Table
    private let column: Int
    private let digest: ContentDigest
    private let work: SearchWork
    private let hasIndex: Bool
    private lazy var entries = sortedEntries()
    /// Whether the table of digests lacks some objects, because the memory limit was reached.
    private(set) var isCutShort = false

    private struct Entry {
        let digest: UInt64
        let key: ObjectKey
    }

    /// Makes an object that finds the objects of `table` by primary key; nil if the class has no
    /// primary key.
    init?(_ table: Table, _ digest: ContentDigest, _ work: SearchWork) {
        guard let column = table.info.primaryKey else { return nil }
        (self.table, self.column, self.digest, self.work) = (table, column, digest, work)
        hasIndex = table.info.columns[column].index == .general
    }

    /// Returns the key of the object with the primary key `value`; nil if there is none.
    func key(of value: Value) -> ObjectKey? {
        guard work.spend(64) else { return nil }
        if hasIndex { return indexed(value) }
        guard let own = try? digest.digest(of: value) else { return nil }
        let i = entries.partitionPoint { $0.digest >= own }
        return i < entries.count && entries[i].digest == own ? entries[i].key : nil
    }

    /// Returns the object key from the index; nil if there is none. Index entries may be wrong, so
    /// the object's own value is compared, too.
    private func indexed(_ value: Value) -> ObjectKey? {
        let root = table.info.columns[column].indexRoot
        let search = SearchIndex(space: table.snapshot.lookup, root: root)
        guard let entry = try? search.entry(for: value), entry.slot.isTagged else { return nil }
        let key = ObjectKey(Int64(bitPattern: entry.slot.value))
        guard let row = try? table.row(key), let own = try? row.value(column),
            ValueOrder.areEqual(own, value)
        else { return nil }
        return key
    }

    private func sortedEntries() -> [Entry] {
        let most = work.memory.maximumKeyCount
        var found: [Entry] = []
        found.reserveCapacity(min(most, (try? table.count()) ?? 0))
        let scan = table.scan(columns: [column])
        while found.count < most, (try? scan.next()) ?? false {
            for row in 0..<scan.count where found.count < most {
                guard let value = try? scan.value(row: row, column: 0),
                    let own = try? digest.digest(of: value)
                else { continue }
                found.append(Entry(digest: own, key: scan.key(row)))
            }
        }
        isCutShort = found.count == most
        found.sort { $0.digest < $1.digest }
        return found
    }
}
