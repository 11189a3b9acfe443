extension Table {
    /// Returns the key of the object whose primary key is `value`; nil if there is none or the
    /// class has no primary key.
    public func find(primaryKey value: Value) throws(RealmError) -> ObjectKey? {
        try row(primaryKey: value)?.key
    }

    /// Returns the object whose primary key is `value`; nil if there is none or the class has no
    /// primary key.
    func row(primaryKey value: Value) throws(RealmError) -> Row? {
        guard let index = info.primaryKey else { return nil }
        let column = info.columns[index]
        guard column.index == .general else {
            guard let key = try scan(for: value, index) else { return nil }
            return try row(key)
        }
        let search = SearchIndex(space: snapshot.lookup, root: column.indexRoot)
        guard let entry = try search.entry(for: value) else { return nil }
        if entry.slot.isTagged {
            return try row(ObjectKey(Int64(bitPattern: entry.slot.value)), index, holds: value)
        }
        var keys: [ObjectKey] = []
        try KeyList(search.space, entry.slot.ref).append(to: &keys)
        for key in keys { if let row = try row(key, index, holds: value) { return row } }
        return nil
    }

    /// Returns the object with `key` if its property equals `value`; otherwise nil. An index entry
    /// may be damaged, so the value in the object decides.
    private func row(
        _ key: ObjectKey, _ column: Int, holds value: Value
    ) throws(RealmError) -> Row? {
        guard let row = try row(key), ValueOrder.areEqual(try row.value(column), value) else {
            return nil
        }
        return row
    }

    /// Finds the object without an index.
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
