/// Cached metadata of one class in an instance, for reading and changing single properties.
///
/// Confined like its instance; the metadata of a frozen instance may be used on any thread. A
/// property is always identified by its index in `properties`, even if its column has another index
/// in the current version.
package final class ObjectClass {
    package let instance: Instance
    package let key: TableKey
    /// Properties that the class had when this `ObjectClass` was made.
    package let properties: [ColumnInfo]
    /// Backlink columns that the class had when this `ObjectClass` was made.
    let backlinks: [BacklinkInfo]
    private let fields: UnsafeMutableBufferPointer<Field>
    /// The table in the version with the number `generation`; nil if the class was removed.
    private var info: TableInfo?
    private var generation: Int
    /// Schema generation of the open write transaction, in which columns may be added and removed.
    private var schemaGeneration = -1

    /// A property's storage in the current version.
    struct Field {
        let key: ColumnKey
        /// Index of the column in the table; nil if the property was removed.
        fileprivate(set) var column: Int?
        fileprivate(set) var layout: LeafLayout
        let leafIndex: Int
        /// Whether the property is a single integer that cannot be null.
        let isInteger: Bool
        /// Whether the property is a single string, optional or required.
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

    /// Nil if `instance` has no table with `key`.
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
        // The generation is 0 in an open write transaction; the columns are then looked up for each
        // access.
        generation = instance.generation
    }

    deinit { fields.deallocate() }

    /// Returns the index of the property with `name`; nil if there is none.
    package func property(named name: String) -> Int? {
        properties.firstIndex { $0.name == name }
    }

    /// Returns a pointer to the cached storage of a property. Copying the `Field` would take longer
    /// than most reads.
    @inline(__always)
    func field(_ property: Int) -> UnsafePointer<Field> {
        precondition(property >= 0 && property < fields.count)
        return UnsafePointer(fields.baseAddress! + property)
    }

    // MARK: Schema changes

    /// Returns the table in the instance's current version; nil if the class was removed.
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

    /// Returns where the open write transaction stores a property: the index and layout of its
    /// column, which schema changes of the transaction may have changed.
    func field(_ property: Int, in transaction: WriteTransaction) throws(RealmError) -> Field {
        if transaction.context.schemaGeneration != schemaGeneration || generation != 0 {
            adapt(to: try transaction.columns(of: key))
            (generation, schemaGeneration) = (0, transaction.context.schemaGeneration)
        }
        return field(property).pointee
    }

    // MARK: Finding

    /// Finds the object with `key` in the current version. Must not be called in a write
    /// transaction.
    func place(of key: ObjectKey) throws(RealmError) -> ObjectLocation {
        guard let info = table() else {
            return ObjectLocation(nil, generation: instance.generation)
        }
        let root = key.isUnresolved ? info.tombstones : info.root
        let found = try ClusterTree(space: instance.space, root: root).find(key)
        return ObjectLocation(found, generation: instance.generation)
    }

    /// Returns the key of the object whose primary key is `value`; nil if there is none.
    func find(primaryKey value: Value) throws(RealmError) -> ObjectKey? {
        instance.check()
        if let transaction = instance.transaction {
            return try transaction.find(in: key, primaryKey: value)
        }
        guard let info = table() else { return nil }
        return try instance.snapshot().table(info).find(primaryKey: value)
    }

    /// Returns a handle of the object whose primary key is `value`; nil if there is none.
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
            self, row.key, ObjectLocation(row.leaf, row.row, generation: instance.generation))
    }
}
