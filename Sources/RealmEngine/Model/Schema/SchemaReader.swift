/// Reads the tables of one version, with their specs and columns (object format section 1).
struct SchemaReader {
    let space: NodeSpace
    let names: Ref
    let tables: Ref
    /// The schema of an earlier version that is still readable. Tables whose refs are unchanged are
    /// taken from this schema.
    var known: Known?

    struct Known {
        let schema: Schema
        let names: Ref

        /// Returns nil for a version without a root, of an older format, or that is not yet in the
        /// file.
        init?(_ state: VersionState) {
            guard let top = state.top, state.nodes == nil, state.legacy == nil else { return nil }
            schema = state.schema
            names = top.names
        }
    }

    /// Returns all tables, and the schema version.
    func schema() throws(RealmError) -> Schema {
        if let known, let later = try schema(after: known) { return later }
        let all = try slots().compactMap { if case .table(let info) = $0 { info } else { nil } }
        let schema = Schema(tables: all, version: try schemaVersion(all))
        try Self.checkDistinct(schema.tableNames, "tables", names)
        return schema
    }

    /// Reads the schema as a later version of `known`; tables that did not change are reused.
    /// Returns nil if tables were added or removed.
    private func schema(after known: Known) throws(RealmError) -> Schema? {
        guard names == known.names else { return nil }
        let earlier = known.schema
        let roots = try space.refNode(tables, slots: 0, "tables")
        var all: [TableInfo] = []
        all.reserveCapacity(earlier.tables.count)
        for i in 0..<roots.count {
            let slot = roots.slot(i)
            if slot.isTagged { continue }
            guard let ref = slot.child, all.count < earlier.tables.count else { return nil }
            let before = earlier.tables[all.count]
            guard before.key.slot == i else { return nil }
            let info = before.top == ref ? before : try table(ref, slot: i, after: before)
            guard info.key == before.key else { return nil }
            all.append(info)
        }
        guard all.count == earlier.tables.count else { return nil }
        let metadata = all.firstIndex { $0.name == "metadata" }
        if let metadata, all[metadata] !== earlier.tables[metadata] {
            return Schema(earlier, tables: all, version: try schemaVersion(all))
        }
        return Schema(earlier, tables: all, version: earlier.version)
    }

    private func table(
        _ ref: Ref, slot: Int, after before: TableInfo
    ) throws(RealmError) -> TableInfo {
        let (node, key, state) = try tableState(ref, slot: slot)
        guard key == before.key, Self.origin(node) == before.origin,
            node.slot(TableShape.primaryKey).isTagged == (before.primaryKey != nil),
            before.primaryKey.map({ keyColumn in
                node.slot(TableShape.primaryKey).value
                    == UInt64(bitPattern: before.columns[keyColumn].key.raw)
            }) ?? true
        else { return try table(ref, slot: slot, name: before.name) }
        let indexes = try node.slot(TableShape.indexes).child.map { (ref) throws(RealmError) in
            try space.refNode(ref, slots: 0, "column refs")
        }
        func root(_ leaf: Int) -> Ref {
            indexes.flatMap { leaf < $0.count ? $0.slot(leaf).child : nil } ?? .none
        }
        for column in before.columns
        where column.indexRoot.isNone != root(column.leafIndex).isNone {
            return try table(ref, slot: slot, name: before.name)
        }
        return TableInfo(before, state, indexRoots: root)
    }

    /// One slot of the table directory.
    enum Slot {
        case table(TableInfo)
        /// A free slot. `tag` becomes part of the key of the next table in this slot, so that keys
        /// are not reused.
        case free(tag: UInt64)
    }

    func slots() throws(RealmError) -> [Slot] {
        let roots = try space.refNode(tables, slots: 0, "tables")
        let nameNode = try space.names(names, count: roots.count, of: tables)
        var slots: [Slot] = []
        slots.reserveCapacity(roots.count)
        for i in 0..<roots.count { slots.append(try slot(i, nameNode, roots)) }
        return slots
    }

    /// Returns all slots of the table directory. For the slots that are not free, uses the tables
    /// in `known`, which are in slot order. Throws `corrupt` if a slot references another table
    /// than the next one in `known`.
    func slots(known: [TableInfo]) throws(RealmError) -> [Slot] {
        let roots = try space.refNode(tables, slots: 0, "tables")
        var rest = known[...]
        var slots: [Slot] = []
        slots.reserveCapacity(roots.count)
        for i in 0..<roots.count {
            let slot = roots.slot(i)
            if slot.isTagged {
                slots.append(.free(tag: slot.value))
            } else if let info = rest.popFirst(), info.top == slot.child {
                slots.append(.table(info))
            } else {
                throw .corrupt("table \(i) is neither there nor removed", at: tables)
            }
        }
        return slots
    }

    /// Reads slot `i` of the table directory; `nameNode` and `roots` are its two arrays, which are
    /// of the same length.
    func slot(_ i: Int, _ nameNode: NodeView, _ roots: NodeView) throws(RealmError) -> Slot {
        if let ref = roots.slot(i).child {
            let name = try nameNode.name(i, at: names)
            if let known = known?.schema.table(slot: i), known.top == ref,
                NameIndex.compare(known.name, name) == 0
            {
                return .table(known)
            }
            return .table(try table(ref, slot: i, name: name))
        }
        guard roots.slot(i).isTagged else {
            throw .corrupt("table \(i) is neither there nor removed", at: tables)
        }
        return .free(tag: roots.slot(i).value)
    }

    /// Returns the schema version that the object store recorded (object format 7.2); nil if there
    /// is none.
    func schemaVersion(_ tables: [TableInfo]) throws(RealmError) -> UInt64? {
        guard let metadata = tables.first(where: { $0.name == "metadata" }),
            let index = metadata.columnIndex(named: "version")
        else { return nil }
        let column = metadata.columns[index]
        guard column.type == .int, column.collection == nil else { return nil }
        var leaves = ClusterTree(space: space, root: metadata.root).leaves()
        guard let leaf = try leaves.next() else { return nil }
        guard case .int(let version) = try leaf.column(column.leafIndex, column.layout).value(0)
        else { return nil }
        return version == -1 ? nil : UInt64(bitPattern: version)
    }

    /// Throws `corrupt` if two tables or columns have the same name.
    private static func checkDistinct(
        _ names: NameIndex, _ what: String, _ ref: Ref
    ) throws(RealmError) {
        if let name = names.duplicate {
            throw .corrupt("two \(what) are called '\(name)'", at: ref)
        }
    }

    /// Shortens a name to the maximum length. A name that is not UTF-8 can be too long after its
    /// invalid bytes were replaced.
    static func fitting(_ name: String) -> String {
        var name = name
        while name.utf8.count > maximumNameLength { name.unicodeScalars.removeLast() }
        return name
    }

    /// Maximum number of bytes in the name of a table or property (storage format 4.5).
    static let maximumNameLength = 63

    /// Reads the table whose top array is at `ref`. `name` is its stored name.
    func table(
        _ ref: Ref, slot: Int, name: String
    ) throws(RealmError) -> TableInfo {
        let (node, key, state) = try tableState(ref, slot: slot)
        let parsed = try columns(node, spec: node.slot(TableShape.spec).ref)
        let primaryKey = try primaryKeyIndex(node.slot(TableShape.primaryKey), parsed.columns, ref)
        let info = TableInfo(
            key: key, name: name, columns: parsed.columns, backlinks: parsed.backlinks,
            primaryKey: primaryKey, origin: Self.origin(node), state)
        try Self.checkDistinct(info.columnNames, "columns", info.origin.spec)
        return info
    }

    /// Reads the columns of a table whose top array is lost. `target` returns the target table of a
    /// link column, which is stored only in the top array.
    func columns(
        spec: Ref, target: (ColumnKey) -> TableKey
    ) throws(RealmError) -> (columns: [ColumnInfo], backlinks: [BacklinkInfo]) {
        var (columns, backlinks) = try columns(nil, spec: spec)
        for i in columns.indices where columns[i].type == .link {
            columns[i].target = target(columns[i].key)
        }
        return (columns, backlinks)
    }

    private static func origin(_ table: NodeView) -> TableInfo.Origin {
        TableInfo.Origin(
            spec: table.slot(TableShape.spec).child ?? .none,
            targets: table.slot(TableShape.oppositeTables).child ?? .none,
            targetColumns: table.slot(TableShape.oppositeColumns).child ?? .none)
    }

    /// Reads the top array of a table, without its columns.
    private func tableState(
        _ ref: Ref, slot: Int
    ) throws(RealmError) -> (node: NodeView, key: TableKey, state: TableInfo.State) {
        let node = try space.refNode(ref, slots: TableShape.minimumCount, "table")
        let tag = node.slot(TableShape.key)
        guard node.slot(TableShape.spec).child != nil,
            let root = node.slot(TableShape.objects).child,
            tag.isTagged
        else { throw space.wrongShape(ref, "table") }
        guard let number = UInt32(exactly: tag.value), number & 0xFFFF == slot else {
            throw .corrupt("table \(slot) says it is table \(tag.value)", at: ref)
        }
        func field(_ i: Int) -> UInt64 {
            i < node.count && node.slot(i).isTagged ? node.slot(i).value : 0
        }
        guard let kind = TableKind(rawValue: Int(field(TableShape.kind) & 3)) else {
            throw .corrupt("a table of an unknown kind", at: ref)
        }
        let state = TableInfo.State(
            kind: kind, contentVersion: field(TableShape.contentVersion),
            nextSequenceNumber: field(TableShape.nextSequenceNumber),
            columnCounter: field(TableShape.columnCounter),
            collisions: node.slot(TableShape.collisions).child ?? .none, root: root,
            tombstones: node.tombstones, top: ref)
        return (node, TableKey(number), state)
    }

    private func primaryKeyIndex(
        _ slot: NodeSlot, _ columns: [ColumnInfo], _ ref: Ref
    ) throws(RealmError) -> Int? {
        guard slot.isTagged else { return nil }
        let key = ColumnKey(Int64(bitPattern: slot.value))
        guard let index = columns.firstIndex(where: { $0.key == key }) else {
            throw .corrupt("the primary key names no column", at: ref)
        }
        let column = columns[index]
        if column.type.mayBePrimaryKey, column.collection == nil { return index }
        throw .corrupt("the primary key has a type that keys cannot have", at: ref)
    }

    /// The arrays of a spec, which have one element per column, and the arrays of the table's top
    /// array, which have one element per column position in cluster leaves (leaf index).
    private struct ColumnArrays {
        let types: NodeView
        let names: NodeView
        let attributes: NodeView
        let keys: NodeView
        let distinct: NodeView?
        let indexes: NodeView?
        let targets: NodeView?
        let targetColumns: NodeView?
        let specRef: Ref
    }

    private func arrays(_ table: NodeView?, _ specRef: Ref) throws(RealmError) -> ColumnArrays {
        let spec = try space.refNode(specRef, slots: SpecShape.count, "spec")
        func optionalInts(_ slot: NodeSlot?, _ role: StaticString) throws(RealmError) -> NodeView? {
            guard let ref = slot?.child else { return nil }
            return try space.integers(ref, role)
        }
        func optionalRefs(_ slot: NodeSlot?) throws(RealmError) -> NodeView? {
            guard let ref = slot?.child else { return nil }
            return try space.refNode(ref, slots: 0, "column refs")
        }
        let types = try space.integers(spec.slot(SpecShape.types).ref, "column types")
        let names = try space.node(spec.slot(SpecShape.names).ref)
        let attributes = try space.integers(
            spec.slot(SpecShape.attributes).ref, "column attributes")
        let keys = try space.integers(spec.slot(SpecShape.keys).ref, "column keys")
        guard types.count == keys.count, attributes.count == keys.count, keys.count < 1 << 16,
            !names.hasRefs, names.widthType == 1 || names.count == 0, names.count <= keys.count
        else { throw space.wrongShape(specRef, "spec") }
        return ColumnArrays(
            types: types, names: names, attributes: attributes, keys: keys,
            distinct: try optionalRefs(spec.slot(SpecShape.enumerations)),
            indexes: try optionalRefs(table?.slot(TableShape.indexes)),
            targets: try optionalInts(table?.slot(TableShape.oppositeTables), "opposite tables"),
            targetColumns: try optionalInts(
                table?.slot(TableShape.oppositeColumns), "opposite columns"),
            specRef: specRef)
    }

    private func columns(
        _ table: NodeView?, spec specRef: Ref
    ) throws(RealmError) -> (columns: [ColumnInfo], backlinks: [BacklinkInfo]) {
        let arrays = try arrays(table, specRef)
        var columns: [ColumnInfo] = []
        var backlinks: [BacklinkInfo] = []
        var leafIndexes = Set<Int>(minimumCapacity: arrays.keys.count)
        for i in 0..<arrays.keys.count {
            let key = ColumnKey(arrays.keys.integer(i))
            guard key.raw >= 0, let type = ColumnType(number: key.typeNumber) else {
                throw .corrupt("column \(i) has the unknown type \(key.typeNumber)", at: specRef)
            }
            guard leafIndexes.insert(key.leafIndex).inserted else {
                throw .corrupt("two columns share leaf index \(key.leafIndex)", at: specRef)
            }
            if type == .backlink {
                backlinks.append(backlink(key, arrays))
            } else {
                guard i < arrays.names.count, i == columns.count else {
                    throw .corrupt("column \(i) has no name", at: specRef)
                }
                columns.append(try column(i, key, type, arrays))
            }
        }
        guard columns.count == arrays.names.count else {
            throw .corrupt(
                "\(arrays.names.count) names for \(columns.count) columns", at: specRef)
        }
        return (columns, backlinks)
    }

    private func backlink(_ key: ColumnKey, _ arrays: ColumnArrays) -> BacklinkInfo {
        let leaf = key.leafIndex
        let origin = arrays.targets.flatMap { leaf < $0.count ? $0.integer(leaf) : nil }
        let column = arrays.targetColumns.flatMap { leaf < $0.count ? $0.integer(leaf) : nil }
        return BacklinkInfo(
            key: key, origin: origin.map { TableKey(UInt32(truncatingIfNeeded: $0)) } ?? .none,
            originColumn: column.map { ColumnKey($0) } ?? .none)
    }

    private func column(
        _ i: Int, _ key: ColumnKey, _ type: ColumnType, _ arrays: ColumnArrays
    ) throws(RealmError) -> ColumnInfo {
        let leaf = key.leafIndex
        let attributes = ColumnAttributes(
            rawValue: UInt16(truncatingIfNeeded: arrays.attributes.integer(i)))
        var kind = key.attributes
        if key.typeNumber == 13 { kind.insert(.list) }
        let indexRoot = arrays.indexes.flatMap { leaf < $0.count ? $0.slot(leaf).child : nil }
        let target = arrays.targets.flatMap { leaf < $0.count ? $0.integer(leaf) : nil }
        let opposite = arrays.targetColumns.flatMap { leaf < $0.count ? $0.integer(leaf) : nil }
        let distinct = arrays.distinct.flatMap { i < $0.count ? $0.slot(i).child : nil }
        let index: IndexKind =
            indexRoot == nil ? .none : attributes.contains(.fullText) ? .fullText : .general
        guard Self.canHold(index, type, kind.intersection(.collection)) else {
            throw .corrupt("column \(i) has an index that its type cannot have", at: arrays.specRef)
        }
        return ColumnInfo(
            key: key, name: try arrays.names.name(i, at: arrays.specRef), type: type,
            isNullable: kind.contains(.nullable), collection: try Self.collection(kind, i, arrays),
            target: target.map { TableKey(UInt32(truncatingIfNeeded: $0)) } ?? .none,
            targetColumn: opposite.map { ColumnKey($0) } ?? .none, index: index,
            isIndexed: attributes.contains(.indexed),
            hasIntegerKeys: kind.contains(.dictionary) && arrays.types.integer(i) >> 16 == 0,
            indexRoot: indexRoot ?? .none, distinct: distinct ?? .none)
    }

    /// Whether a column of this type may have an index of the kind `index` (object format 5.1).
    private static func canHold(
        _ index: IndexKind, _ type: ColumnType, _ collection: ColumnAttributes
    ) -> Bool {
        switch (index, type) {
        case (.none, _): true
        case (_, .string): collection.isEmpty || (collection == .list && index == .general)
        case (.general, .int), (.general, .bool), (.general, .timestamp), (.general, .objectID),
            (.general, .uuid), (.general, .mixed):
            collection.isEmpty
        default: false
        }
    }

    private static func collection(
        _ kind: ColumnAttributes, _ i: Int, _ arrays: ColumnArrays
    ) throws(RealmError) -> CollectionKind? {
        switch kind.intersection(.collection) {
        case []: return nil
        case .list: return .list
        case .set: return .set
        case .dictionary: return .dictionary
        default: throw .corrupt("column \(i) is two collections at once", at: arrays.specRef)
        }
    }
}
