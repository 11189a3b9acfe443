/// Conditional updates: a property that already has the wanted value is not written, and causes no
/// notification.
extension WriteTransaction {
    /// Returns the object with a primary key, created if there is none.
    package func place(
        in table: TableKey, primaryKey: Value
    ) throws(RealmError) -> (key: ObjectKey, isNew: Bool) {
        if let found = try find(in: table, primaryKey: primaryKey) { return (found, false) }
        return (try create(in: table, primaryKey: primaryKey), true)
    }

    /// Sets a single-valued property like `set`; returns false if it already has the value.
    package func update(
        _ table: TableKey, _ object: ObjectKey, _ column: Int, _ value: Value
    ) throws(RealmError) -> Bool {
        if let old = try self.value(table, object, column), old.isIdentical(to: value) {
            return false
        }
        try set(table, object, column, value)
        return true
    }

    /// Sets a property to its default; returns false if it already has it.
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
