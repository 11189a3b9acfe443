/// Describes a property to create.
public struct PropertySpec: Sendable {
    public var name: String
    public var type: ColumnType
    public var isOptional = false
    public var collection: CollectionKind?
    /// Target table, for properties that contain links.
    public var target: TableKey = .none
    public var isIndexed = false
    public var isFullText = false
    /// Whether a dictionary has integers as keys instead of strings. The SDKs cannot read such
    /// dictionaries.
    var hasIntegerKeys = false

    public init(_ name: String, _ type: ColumnType) {
        self.name = name
        self.type = type
    }

    /// The attribute flags that the reference engine stores for a property of this type (object
    /// format 1.6).
    var attributes: ColumnAttributes {
        var bits: ColumnAttributes = []
        switch collection {
        case .list: bits.insert(.list)
        case .set: bits.insert(.set)
        case .dictionary: bits.insert(.dictionary)
        case nil: break
        }
        switch type {
        case .mixed: bits.insert(.nullable)
        case .link: if collection == nil || collection == .dictionary { bits.insert(.nullable) }
        default: if isOptional { bits.insert(.nullable) }
        }
        return bits
    }
}

extension WriteTransaction {
    /// Creates a class. If it has a primary key, creates that property too.
    public func createClass(
        _ name: String, kind: TableKind = .topLevel, primaryKey: PropertySpec? = nil
    ) throws(RealmError) -> TableKey {
        guard name.utf8.count <= 57, !name.isEmpty else {
            throw .misuse(
                "a class name has 1 to 57 bytes, not \(name.utf8.count)", code: "InvalidName",
                reason: "name-too-long")
        }
        return try createTable(TableInfo.classPrefix + name, kind: kind, primaryKey: primaryKey)
    }

    func createTable(
        _ name: String, kind: TableKind, primaryKey: PropertySpec?
    ) throws(RealmError) -> TableKey {
        try checkOpen()
        guard directory.key(stored: name) == nil else {
            throw .misuse("table \(name) exists already", code: "TableNameInUse", reason: "exists")
        }
        if let primaryKey, primaryKey.isFullText {
            throw .misuse(
                "property \(TableInfo.className(of: name)).\(primaryKey.name): a primary key has "
                    + "no full-text index", code: "SchemaMismatch", reason: "schema")
        }
        if directory.slots.isEmpty, name != "metadata" { try createMetadata() }
        let (slot, tag) = directory.freeSlot()
        let key = TableKey(UInt32(tag) << 16 | UInt32(slot))
        let editor = TableEditor(key, name: name, kind: kind, context)
        directory.place(.open(editor), at: slot)
        editor.markDirty()
        log.pointee.insertTable(key)
        if let primaryKey {
            var spec = primaryKey
            spec.isIndexed = false
            let column = try addColumn(editor, spec, index: .general, isLogged: false)
            try Self.checkMayBeKey(editor, column)
            editor.primaryKey = column.key
            editor.markSpecDirty()
        }
        return key
    }

    /// Throws `misuse` if the column cannot be a primary key.
    static func checkMayBeKey(_ editor: TableEditor, _ column: ColumnInfo) throws(RealmError) {
        guard column.type.mayBePrimaryKey else {
            throw .misuse(
                "a primary key is an int, string, objectId or uuid, not \(column.type.name)",
                reason: "primary-key")
        }
        guard column.collection == nil, editor.kind != .embedded else {
            throw .misuse("\(editor.className) cannot have this primary key", reason: "primary-key")
        }
    }

    /// Adds a property. In existing objects its value is null, zero or an empty collection.
    public func addProperty(_ table: TableKey, _ spec: PropertySpec) throws(RealmError) {
        let editor = try openEditor(table)
        let index: IndexKind = spec.isFullText ? .fullText : spec.isIndexed ? .general : .none
        try inBulk { () throws(RealmError) in
            _ = try addColumn(editor, spec, index: index, isLogged: true)
        }
    }

    private func addColumn(
        _ editor: TableEditor, _ spec: PropertySpec, index: IndexKind, isLogged: Bool
    ) throws(RealmError) -> ColumnInfo {
        try checkSpec(editor, spec, index)
        let key = newColumnKey(editor, spec.type, spec.attributes)
        var column = ColumnInfo(
            key: key, name: spec.name, type: spec.type,
            isNullable: spec.attributes.contains(.nullable), collection: spec.collection,
            target: spec.target, targetColumn: .none, index: index, isIndexed: spec.isIndexed,
            hasIntegerKeys: spec.hasIntegerKeys, indexRoot: .none, distinct: .none)
        try insertColumn(editor, key.leafIndex, column.layout, Defaults.value(column))
        editor.append(column)
        if isLogged { log.pointee.insertColumn(editor.key, key) }
        if spec.type == .link {
            let target = try self.editor(spec.target)
            let backlink = try addBacklinkColumn(
                to: target, origin: editor.key, originColumn: key)
            column = column.withTargetColumn(backlink.key)
            editor.replaceLast(column)
        }
        if index != .none { try buildIndex(editor, column) }
        return column
    }

    func checkSpec(
        _ editor: TableEditor, _ spec: PropertySpec, _ index: IndexKind
    ) throws(RealmError) {
        func refuse(_ why: String) -> RealmError { Self.refusal(editor, spec, why) }
        guard !spec.name.isEmpty, spec.name.utf8.count <= 63 else {
            throw refuse("a name has 1 to 63 bytes")
        }
        guard editor.columnIndex(named: spec.name) == nil else { throw refuse("exists already") }
        switch spec.type {
        case .backlink, .typedLink: throw refuse("\(spec.type.name) cannot be stored")
        case .link:
            let target = try self.editor(spec.target)
            guard target.kind != .asymmetric else { throw refuse("its target is asymmetric") }
            guard target.kind != .embedded || spec.collection != .set else {
                throw refuse("a set holds no embedded objects")
            }
        default: break
        }
        try Self.checkIndex(spec, index, of: editor)
    }

    private static func refusal(
        _ editor: TableEditor, _ spec: PropertySpec, _ why: String
    ) -> RealmError {
        .misuse(
            "property \(editor.className).\(spec.name): \(why)", code: "SchemaMismatch",
            reason: "schema")
    }

    /// Throws `misuse` if a property of this type cannot have an index of this kind.
    static func checkIndex(
        _ spec: PropertySpec, _ index: IndexKind, of editor: TableEditor
    ) throws(RealmError) {
        if let why = index.obstacle(spec.type, spec.collection) {
            throw refusal(editor, spec, why)
        }
    }

    func newColumnKey(
        _ editor: TableEditor, _ type: ColumnType, _ attributes: ColumnAttributes
    ) -> ColumnKey {
        ColumnKey(
            leafIndex: editor.freeLeafIndex, type: type, attributes: attributes,
            tag: UInt32(truncatingIfNeeded: editor.counters.columnCounter) ^ editor.key.raw)
    }

    /// Adds a column's cells to all leaves of a table. The caller must then add the column to the
    /// table.
    func insertColumn(
        _ editor: TableEditor, _ leafIndex: Int, _ layout: LeafLayout, _ value: Value
    ) throws(RealmError) {
        let column = ColumnEditor(context, layout)
        try visitLeaves(of: editor) { (tree, place) throws(RealmError) in
            try tree.addColumn(leafIndex, column, value, to: place)
        }
        try visitTombstones(of: editor) { (tree, place) throws(RealmError) in
            try tree.addColumn(leafIndex, column, value, to: place)
        }
        try editor.clusters().setColumn(leafIndex, column)
        try editor.tombstones()?.setColumn(leafIndex, column)
        editor.markSpecDirty()
        editor.markDirty()
    }

    /// Adds a backlink column to `target`, for the links in column `originColumn` of table
    /// `origin`.
    func addBacklinkColumn(
        to target: TableEditor, origin: TableKey, originColumn: ColumnKey
    ) throws(RealmError) -> BacklinkInfo {
        let key = newColumnKey(target, .backlink, [])
        try insertColumn(target, key.leafIndex, TableEditor.backlinkLayout, .int(0))
        let backlink = BacklinkInfo(key: key, origin: origin, originColumn: originColumn)
        target.append(backlink)
        return backlink
    }

    /// Builds the index of a property from the values of all objects.
    func buildIndex(_ editor: TableEditor, _ column: ColumnInfo) throws(RealmError) {
        editor.markDirty()
        guard try editor.clusters().objectCount() > memoryLimit / Self.bytesPerBuiltEntry else {
            return try editor.fillIndex(column)
        }
        try editor.beginIndex(column)
        try visitObjects(keys(editor)) { (key) throws(RealmError) in
            try editor.addToIndex(column, key)
        }
    }

    /// Approximate memory per object, in bytes, for building an index at once.
    static let bytesPerBuiltEntry = 128

    // MARK: Schema version

    /// Creates the table `metadata`, which every file of the object store has (object format 7.2).
    private func createMetadata() throws(RealmError) {
        let key = try createTable("metadata", kind: .topLevel, primaryKey: nil)
        try addProperty(key, PropertySpec("version", .int))
        let object = try create(in: key)
        try set(key, object, 0, .int(-1))
    }

    /// Sets the schema version that the object store reads; nil removes it.
    public func setSchemaVersion(_ version: UInt64?) throws(RealmError) {
        try checkOpen()
        if directory.key(stored: "metadata") == nil { try createMetadata() }
        guard let key = directory.key(stored: "metadata") else { return }
        let editor = try editor(key)
        guard let column = editor.columnIndex(named: "version") else {
            throw .corrupt("the metadata table has no version", in: "metadata")
        }
        var first: ObjectKey?
        try editor.clusters().forEachLeaf { (leaf) in
            if first == nil, leaf.count > 0 { first = leaf.key(0) }
        }
        let object: ObjectKey
        if let first { object = first } else { object = try create(in: key) }
        try set(key, object, column, .int(version.map { Int64(bitPattern: $0) } ?? -1))
    }
}

extension ColumnInfo {
    func withTargetColumn(_ key: ColumnKey) -> ColumnInfo { changed(targetColumn: key) }

    /// Returns a copy of the column with some fields changed; nil keeps a field.
    func changed(
        name: String? = nil, targetColumn: ColumnKey? = nil, index: IndexKind? = nil,
        isIndexed: Bool? = nil, distinct: Ref? = nil
    ) -> ColumnInfo {
        ColumnInfo(
            key: key, name: name ?? self.name, type: type, isNullable: isNullable,
            collection: collection, target: target,
            targetColumn: targetColumn ?? self.targetColumn, index: index ?? self.index,
            isIndexed: isIndexed ?? self.isIndexed, hasIntegerKeys: hasIntegerKeys,
            indexRoot: indexRoot, distinct: distinct ?? self.distinct)
    }
}
