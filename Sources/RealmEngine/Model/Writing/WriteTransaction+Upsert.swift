/// Conditional updates. If a property already has the new value, it is not written, so there is no
/// notification.
extension WriteTransaction {
    /// Returns the object whose primary key is `primaryKey`; creates it if there is none. `isNew`
    /// is whether it was created.
    package func place(
        in table: TableKey, primaryKey: Value
    ) throws(RealmError) -> (key: ObjectKey, isNew: Bool) {
        if let found = try find(in: table, primaryKey: primaryKey) { return (found, false) }
        return (try create(in: table, primaryKey: primaryKey), true)
    }

    /// Sets a single-valued property like `set`. If it already has the value, returns false and
    /// changes nothing.
    package func update(
        _ table: TableKey, _ object: ObjectKey, _ column: Int, _ value: Value
    ) throws(RealmError) -> Bool {
        if let old = try self.value(table, object, column), old.isIdentical(to: value) {
            return false
        }
        try set(table, object, column, value)
        return true
    }

    /// Sets a property to its default value. If it already has that value, returns false and
    /// changes nothing.
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
