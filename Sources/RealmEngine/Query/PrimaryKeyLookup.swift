extension Table {
    /// Key of the object whose primary key is `value`, nil when there is none or the class has no
    /// primary key.
    public func find(primaryKey value: Value) throws(RealmError) -> ObjectKey? {
        guard let index = info.primaryKey else { return nil }
        let column = info.columns[index]
        guard column.index == .general else { return try scan(for: value, index) }
        var keys: [ObjectKey] = []
        try SearchIndex(space: snapshot.lookup, root: column.indexRoot)
            .candidates(for: value, into: &keys)
        for key in keys {
            guard let row = try row(key) else { continue }
            if ValueOrder.areEqual(try row.value(index), value) { return key }
        }
        return nil
    }

    /// The way without an index.
    private func scan(for value: Value, _ column: Int) throws(RealmError) -> ObjectKey? {
        let scan = scan(columns: [column])
        while try scan.next() {
            for row in 0..<scan.count
            where ValueOrder.areEqual(try scan.value(row: row, column: 0), value) {
                return scan.key(row)
            }
        }
        return nil
    }
}
