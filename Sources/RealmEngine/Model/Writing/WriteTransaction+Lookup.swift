/// What callers ask of a transaction's own state.
extension WriteTransaction {
    /// The tables as they were when the transaction began. Schema edits do not show.
    package var initialSchema: Schema { base.schema }

    /// Index of a property, as the transaction sees it; nil when there is none.
    public func column(
        named name: String, in table: TableKey
    ) throws(RealmError) -> Int? {
        try openEditor(table).columnIndex(named: name)
    }

    /// The stored value of a property, an index into the columns the transaction began with; nil
    /// when there is no such object. Valid until the next change.
    public func value(
        _ table: TableKey, _ object: ObjectKey, _ column: Int
    ) throws(RealmError) -> Value? {
        let editor = try openEditor(table)
        return try editor.value(object, editor.columns[column])
    }

    /// The columns of a table as they are now.
    func columns(of table: TableKey) throws(RealmError) -> [ColumnInfo] {
        try openEditor(table).columns
    }

    /// The stored value of a column by where it is in each leaf; nil when there is no such object.
    /// Valid until the next change.
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
    /// What the property of a new object holds: null, zero or nothing (object format 1.8).
    package var defaultValue: Value { Defaults.value(self) }
}

extension Value {
    /// Whether storing `other` instead would change nothing: same type, same bits, both without
    /// elements.
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
