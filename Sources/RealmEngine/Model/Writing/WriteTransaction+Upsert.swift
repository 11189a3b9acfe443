/// Bringing objects to what somebody wants them to be, and nothing more: what is as wanted already is
/// not written, and nobody hears of it.
extension WriteTransaction {
    /// The object with a primary key, made if there is none.
    package func place(
        in table: TableKey, primaryKey: Value
    ) throws(RealmError) -> (key: ObjectKey, isNew: Bool) {
        if let found = try find(in: table, primaryKey: primaryKey) { return (found, false) }
        return (try create(in: table, primaryKey: primaryKey), true)
    }

    /// Sets a single-valued property as `set` does; false if it has the value already.
    package func update(
        _ table: TableKey, _ object: ObjectKey, _ column: Int, _ value: Value
    ) throws(RealmError) -> Bool {
        if let old = try self.value(table, object, column), old.isIdentical(to: value) {
            return false
        }
        try set(table, object, column, value)
        return true
    }

    /// Makes a property what it is in a new object; false if it is that already.
    package func reset(
        _ table: TableKey, _ object: ObjectKey, _ column: Int
    ) throws(RealmError) -> Bool {
        let info = try openEditor(table).columns[column]
        guard let kind = info.collection else {
            return try update(table, object, column, info.defaultValue)
        }
        if let old = try value(table, object, column), old.isIdentical(to: info.defaultValue) {
            return false
        }
        if kind == .dictionary {
            try setEntries(table, object, column, [])
        } else {
            try setElements(table, object, column, [])
        }
        return true
    }
}
