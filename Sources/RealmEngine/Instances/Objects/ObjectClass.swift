/// The objects of one class as an instance shows them: what reading and changing single properties has
/// to know, worked out once.
///
/// Confined as its instance is; that of a frozen instance may be used anywhere. Properties are told by
/// their place in `properties`, whatever other versions have before or behind them.
package final class ObjectClass {
    package let instance: Instance
    package let key: TableKey
    /// As they were when this was made.
    package let properties: [ColumnInfo]
    /// Incoming ends of links, as they were when this was made.
    let backlinks: [BacklinkInfo]
    private let fields: UnsafeMutableBufferPointer<Field>
    /// The table in the version of `generation`; nil when it is gone.
    private var info: TableInfo?
    private var generation: Int
    /// Of the open write transaction: its columns may change.
    private var schemaGeneration = -1

    /// A property as it is stored in the version at hand.
    struct Field {
        let key: ColumnKey
        /// Where the column is among the table's; nil when it is gone.
        fileprivate(set) var column: Int?
        fileprivate(set) var layout: LeafLayout
        let leafIndex: Int
        /// The cells are plain integers that are never null.
        let isInteger: Bool
        /// The cells are text.
        let isText: Bool

        fileprivate init(_ info: ColumnInfo, at column: Int) {
            key = info.key
            self.column = column
            layout = info.layout
            leafIndex = info.leafIndex
            isInteger = info.type == .int && !info.isNullable && info.collection == nil
            isText = info.type == .string && info.collection == nil
        }
    }

    /// Nil when there is no such table.
    package init?(_ instance: Instance, _ key: TableKey) {
        guard let info = instance.schema.table(key) else { return nil }
        self.instance = instance
        self.key = key
        self.info = info
        properties = info.columns
        backlinks = info.backlinks
        fields = .allocate(capacity: properties.count)
        _ = fields.initialize(
            from: properties.enumerated().map { Field($0.element, at: $0.offset) })
        // What an open write transaction shows is looked at again each time.
        generation = instance.generation
    }

    deinit { fields.deallocate() }

    /// The property called `name`; nil when there is none.
    package func property(named name: String) -> Int? {
        properties.firstIndex { $0.name == name }
    }

    /// Where it is told how the property is stored: to copy that takes longer than most reads.
    @inline(__always)
    func field(_ property: Int) -> UnsafePointer<Field> {
        precondition(property >= 0 && property < fields.count)
        return UnsafePointer(fields.baseAddress! + property)
    }

    // MARK: Following the instance

    /// The table as the instance shows it now; nil when it is gone.
    func table() -> TableInfo? {
        if instance.isFrozen || generation != 0 && generation == instance.generation { return info }
        let now = instance.schema.table(key)
        if let now, now !== info { adapt(to: now.columns) }
        (info, generation) = (now, instance.generation)
        return now
    }

    private func adapt(to columns: [ColumnInfo]) {
        for i in fields.indices {
            let field = fields[i]
            let near = field.column.flatMap { $0 < columns.count ? $0 : nil } ?? 0
            fields[i].column =
                near < columns.count && columns[near].key == field.key
                ? near : columns.firstIndex { $0.key == field.key }
            if let column = fields[i].column { fields[i].layout = columns[column].layout }
        }
    }

    /// The property as the open write transaction has it.
    func field(_ property: Int, in transaction: WriteTransaction) throws(RealmError) -> Field {
        if transaction.context.schemaGeneration != schemaGeneration || generation != 0 {
            adapt(to: try transaction.columns(of: key))
            (generation, schemaGeneration) = (0, transaction.context.schemaGeneration)
        }
        return field(property).pointee
    }

    // MARK: Finding

    /// Where the object with `key` is in the version shown. Not for an open write transaction.
    func place(of key: ObjectKey) throws(RealmError) -> ObjectPlace {
        guard let info = table() else {
            return ObjectPlace(nil, generation: instance.generation)
        }
        let root = key.isUnresolved ? info.tombstones : info.root
        let found = try ClusterTree(space: instance.space, root: root).find(key)
        return ObjectPlace(found, generation: instance.generation)
    }

    /// Key of the object with the given primary key; nil when there is none.
    func find(primaryKey value: Value) throws(RealmError) -> ObjectKey? {
        instance.check()
        if let transaction = instance.transaction {
            return try transaction.find(in: key, primaryKey: value)
        }
        guard let info = table() else { return nil }
        return try instance.snapshot().table(info).find(primaryKey: value)
    }

    /// The object with the given primary key, where it was found; nil when there is none.
    package func object(primaryKey value: Value) throws(RealmError) -> ObjectHandle? {
        if instance.isFrozen || instance.transaction != nil {
            guard let key = try find(primaryKey: value) else { return nil }
            return try ObjectHandle(self, key)
        }
        instance.check()
        let snapshot = instance.snapshot()
        guard let info = table(), let row = try snapshot.table(info).row(primaryKey: value)
        else { return nil }
        return ObjectHandle(
            self, row.key, ObjectPlace(row.leaf, row.row, generation: instance.generation))
    }
}
