/// Changes of one commit, according to the history (storage format 7.3).
package struct ChangeSummary: Sendable {
    /// The version created by the commit.
    package let version: UInt64
    /// Length of the changeset in bytes.
    package let bytes: Int
    /// Changed tables, in the order of their first occurrence in the changeset.
    package internal(set) var tables: [Table] = []

    /// Changes in one table.
    package struct Table: Sendable {
        package let key: TableKey
        /// Current stored name of the table; nil for a removed table.
        package internal(set) var name: String?
        package internal(set) var isNew = false
        package internal(set) var isErased = false
        /// Number of columns that the commit added, removed or renamed.
        package internal(set) var columnChanges = 0
        package internal(set) var inserted = 0
        package internal(set) var removed = 0
        /// Number of changed objects, without objects that the same commit inserted.
        package internal(set) var updated = 0
    }
}

extension Inspector {
    /// Returns the newest `count` entries of the history, oldest first. Nil for formats 2 to 9, for
    /// a history of unknown type, and for a file that looks encrypted.
    ///
    /// Throws the errors of `inspect`, and `corrupt`.
    package func changes(last count: Int) throws(RealmError) -> [ChangeSummary]? {
        try retryUntilStable { (reading, raw) throws(RealmError) in
            guard let raw else { return nil }
            let header = try reading.header(raw)
            // The histories of old formats have other instructions, which are not read.
            if FileFormat.legacy.contains(header.format) { return nil }
            guard let (top, memory) = try reading.newest(header) else { return [] }
            defer { withExtendedLifetime(memory) {} }
            guard let history = try ChangeHistory(memory.lookup, top) else { return nil }
            if history.count == 0 { return [] }
            let names = try? reading.tableNames(memory, top, format: header.format)
            return try history.summaries(last: count, names ?? [:])
        }
    }
}

extension FileReading {
    fileprivate func tableNames(
        _ memory: ReadContext, _ top: TopArray, format: Int
    ) throws(RealmError) -> [TableKey: String] {
        let tables = try schema(memory, top, format: format)?.tables ?? []
        return Dictionary(tables.map { ($0.key, $0.name) }, uniquingKeysWith: { a, _ in a })
    }
}

extension ChangeHistory {
    fileprivate func summaries(
        last count: Int, _ names: [TableKey: String]
    ) throws(RealmError) -> [ChangeSummary] {
        var changes: [ChangeSummary] = []
        try forEachLast(count) { (version, bytes) throws(RealmError) in
            changes.append(try summary(version, bytes, names))
        }
        return changes
    }

    private func summary(
        _ version: UInt64, _ bytes: ByteView, _ names: [TableKey: String]
    ) throws(RealmError) -> ChangeSummary {
        var reader = ChangesetReader(names)
        var parser = ChangeLogParser(bytes)
        while let instruction = try parser.next() { reader.add(instruction) }
        return ChangeSummary(version: version, bytes: bytes.count, tables: reader.tables)
    }
}

/// Counts the instructions of a changeset per table.
private struct ChangesetReader {
    private let names: [TableKey: String]
    private(set) var tables: [ChangeSummary.Table] = []
    private var indexes: [TableKey: Int] = [:]
    /// For each element of `tables`, the keys of the changed objects that were already counted.
    private var seen: [Set<ObjectKey>] = []
    private var current = 0

    init(_ names: [TableKey: String]) { self.names = names }

    private mutating func select(_ key: TableKey) {
        if let index = indexes[key] {
            current = index
            return
        }
        current = tables.count
        indexes[key] = current
        tables.append(ChangeSummary.Table(key: key, name: names[key]))
        seen.append([])
    }

    private mutating func update(_ key: ObjectKey) {
        if seen[current].insert(key).inserted { tables[current].updated += 1 }
    }

    mutating func add(_ instruction: ChangeLogParser.Instruction) {
        switch instruction {
        case .insertTable(let key):
            select(key)
            tables[current].isNew = true
        case .eraseTable(let key):
            select(key)
            tables[current].isErased = true
        case .renameTable(let key), .selectTable(let key): select(key)
        case .createObject(let key):
            tables[current].inserted += 1
            seen[current].insert(key)
        case .removeObject(let key):
            tables[current].removed += 1
            seen[current].insert(key)
        case .set(_, let key), .selectCollection(_, let key, _): update(key)
        case .insertColumn, .eraseColumn, .renameColumn: tables[current].columnChanges += 1
        case .collectionInsert, .collectionSet, .collectionMove, .collectionErase,
            .collectionClear, .typedLinkChange:
            break
        }
    }
}
