/// Looks up objects and values in the transaction's current state.
extension WriteTransaction {
    /// Tables of the version at which the transaction began. Does not include its schema changes.
    package var initialSchema: Schema { base.schema }

    /// Index of a property among the table's current columns; nil if there is none.
    public func column(
        named name: String, in table: TableKey
    ) throws(RealmError) -> Int? {
        try openEditor(table).columnIndex(named: name)
    }

    /// Returns the stored value of the property at index `column` of the table's current columns.
    /// Returns nil if there is no such object. Valid until the next change.
    public func value(
        _ table: TableKey, _ object: ObjectKey, _ column: Int
    ) throws(RealmError) -> Value? {
        let editor = try openEditor(table)
        return try editor.value(object, editor.columns[column])
    }

    /// Returns the columns of a table in the transaction's current state.
    func columns(of table: TableKey) throws(RealmError) -> [ColumnInfo] {
        try openEditor(table).columns
    }

    /// Returns the stored value of the column with the position `leafIndex` in cluster leaves; nil
    /// if there is no such object. Valid until the next change.
    func stored(
        _ table: TableKey, _ object: ObjectKey, leafIndex: Int
    ) throws(RealmError) -> Value? {
        try openEditor(table).value(object, leafIndex)
    }

    /// Whether the object exists.
    public func exists(_ table: TableKey, _ object: ObjectKey) throws(RealmError) -> Bool {
        try openEditor(table).exists(object)
    }
}

extension ColumnInfo {
    /// The value of the property in a new object: null, zero, or an empty collection (object format
    /// 1.8).
    package var defaultValue: Value { Defaults.value(self) }
}

extension Value {
    /// Whether both values have the same type and bits, so that storing `other` would change
    /// nothing. Collections are identical only if neither has ever had an element.
    public func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.int(let a), .int(let b)): a == b
        case (.bool(let a), .bool(let b)): a == b
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)), (.binary(let a), .binary(let b)): a == b
        case (.timestamp(let a), .timestamp(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a.high == b.high && a.low == b.low
        case (.objectID(let a), .objectID(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.link(let a), .link(let b)): a == b
        case (.list(let a), .list(let b)), (.set(let a), .set(let b)),
            (.dictionary(let a), .dictionary(let b)):
            a.root.isNone && b.root.isNone
        default: false
        }
    }
}
