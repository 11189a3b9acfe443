/// Converts the tables of formats 2 to 9 to the schema types of the current format (legacy format
/// 9).
///
/// The key of an object is its row number, unless an interrupted upgrade assigned another key.
/// Columns that old SDKs used internally are left out, and so are columns of subtables that
/// represent no property.
struct LegacySchema {
    private let nodes: LegacyNodes
    private let space: NodeSpace
    private let top: TopArray
    /// Whether an unreadable primary key table or schema version is ignored, as in salvage;
    /// otherwise it is an error.
    private let isLenient: Bool

    /// - Parameter space: space for reading the nodes of the file and the converted nodes that
    ///   `nodes` makes.
    init(_ nodes: LegacyNodes, _ space: NodeSpace, _ top: TopArray, isLenient: Bool = false) {
        (self.nodes, self.space, self.top) = (nodes, space, top)
        self.isLenient = isLenient
    }

    func schema() throws(RealmError) -> Schema {
        let plain = try nodes.content.tables.map { (table) throws(RealmError) in
            try info(table, primaryKey: nil)
        }
        let keys = try isLenient ? (try? primaryKeys(plain)) ?? [:] : primaryKeys(plain)
        var all: [TableInfo] = []
        for (table, info) in zip(nodes.content.tables, plain)
        where !Self.hiddenTables.contains(info.name) && !table.ref.isNone {
            let key = keys[info.name].flatMap { info.columnIndex(named: $0) }
            all.append(try self.info(table, primaryKey: key.flatMap { Self.asKey($0, info) }))
        }
        let reader = SchemaReader(space: space, names: top.names, tables: top.tables)
        let version =
            try isLenient ? (try? reader.schemaVersion(all)) ?? nil : reader.schemaVersion(all)
        let schema = Schema(tables: all, version: version)
        if !isLenient, let name = schema.tableNames.duplicate {
            throw .corrupt("two tables are called '\(name)'", at: top.names)
        }
        return schema
    }

    private static let hiddenTables: Set<String> = [
        LegacyContent.keyTable, LegacyContent.progressTable,
    ]
    /// Names of columns that belong to sync or to an interrupted upgrade.
    private static let hiddenColumns: Set<String> = ["!OID", UpgradedObjects.rowColumn]

    private static func asKey(_ i: Int, _ info: TableInfo) -> Int? {
        let column = info.columns[i]
        let canBe = column.type == .int || column.type == .string
        return canBe && column.collection == nil ? i : nil
    }

    // MARK: Primary keys

    /// Returns the name of the primary key property for each stored table name.
    private func primaryKeys(_ tables: [TableInfo]) throws(RealmError) -> [String: String] {
        guard let info = tables.first(where: { $0.name == LegacyContent.keyTable }),
            let classes = try texts(info, "pk_table"),
            let properties = try texts(info, "pk_property")
        else { return [:] }
        let names = Set(tables.map(\.name))
        var keys: [String: String] = [:]
        for (name, property) in zip(classes, properties) {
            let full = TableInfo.classPrefix + name
            // In early files, the object store's metadata contain the stored name of the table
            // instead of the class name.
            keys[names.contains(full) || !names.contains(name) ? full : name] = property
        }
        return keys
    }

    private func texts(_ info: TableInfo, _ name: String) throws(RealmError) -> [String]? {
        guard let i = info.columnIndex(named: name), info.columns[i].type == .string,
            info.columns[i].collection == nil
        else { return nil }
        var texts: [String] = []
        var leaves = ClusterTree(space: space, root: info.root).leaves()
        while let leaf = try leaves.next() {
            let column = try leaf.column(info.columns[i].leafIndex, info.columns[i].layout)
            for row in 0..<leaf.count {
                guard case .string(let text) = try column.value(row) else {
                    texts.append("")
                    continue
                }
                texts.append(text.string)
            }
        }
        return texts
    }

    // MARK: Tables

    private func info(_ table: LegacyTable, primaryKey: Int?) throws(RealmError) -> TableInfo {
        var columns: [ColumnInfo] = []
        var names = Set<String>()
        for (i, column) in table.spec.columns.prefix(table.properties).enumerated() {
            var name = column.name.isEmpty ? "col_\(i)" : column.name
            if !names.insert(name).inserted { name += "_\(i)" }
            names.insert(name)
            guard !Self.hiddenColumns.contains(name) else { continue }
            guard let info = info(column, i, name, of: table) else { continue }
            columns.append(info)
        }
        return TableInfo(
            key: TableKey(UInt32(table.index)), name: table.name, columns: columns,
            backlinks: table.incoming.indices.map { backlink($0, of: table) },
            primaryKey: primaryKey,
            origin: TableInfo.Origin(spec: table.ref, targets: .none, targetColumns: .none),
            TableInfo.State(
                kind: .topLevel, contentVersion: 0, nextSequenceNumber: table.nextKey,
                columnCounter: 0, collisions: .none, root: nodes.root(table.index),
                tombstones: .none, top: table.ref))
    }

    /// Returns the description of a column; nil if the column represents no property.
    private func info(
        _ column: LegacyColumn, _ i: Int, _ name: String, of table: LegacyTable
    ) -> ColumnInfo? {
        let value = column.type == .table ? column.elements : column
        guard let value, let type = value.type.today else { return nil }
        let isList = column.type == .table || column.type == .linkList
        let isNullable =
            value.isNullable && column.type != .linkList || column.type == .link || type == .mixed
        var attributes: ColumnAttributes = isNullable ? .nullable : []
        if isList { attributes.insert(.list) }
        return ColumnInfo(
            key: ColumnKey(leafIndex: i, type: type, attributes: attributes, tag: 0), name: name,
            type: type, isNullable: isNullable, collection: isList ? .list : nil,
            target: column.target.map { TableKey(UInt32($0)) } ?? .none,
            targetColumn: opposite(of: column, i, in: table),
            index: .none,
            isIndexed: column.attributes.contains(.indexed)
                && IndexKind.general.obstacle(type, isList ? .list : nil) == nil && !isList,
            hasIntegerKeys: false, indexRoot: .none,
            distinct: column.type == .enumerated ? nodes.distinct(table.index, i) : .none)
    }

    private func opposite(
        of column: LegacyColumn, _ i: Int, in table: LegacyTable
    ) -> ColumnKey {
        guard let target = column.target else { return .none }
        let place = nodes.content.tables[target].incoming.firstIndex {
            $0.table == table.index && $0.column == i
        }
        return place.map { backlinkKey($0, of: nodes.content.tables[target]) } ?? .none
    }

    private func backlinkKey(_ i: Int, of table: LegacyTable) -> ColumnKey {
        ColumnKey(leafIndex: table.properties + i, type: .backlink, attributes: [], tag: 0)
    }

    private func backlink(_ i: Int, of table: LegacyTable) -> BacklinkInfo {
        let link = table.incoming[i]
        let origin = nodes.content.tables[link.table]
        let column = origin.spec.columns[link.column]
        return BacklinkInfo(
            key: backlinkKey(i, of: table), origin: TableKey(UInt32(link.table)),
            originColumn: ColumnKey(
                leafIndex: link.column, type: .link,
                attributes: column.type == .linkList ? .list : .nullable, tag: 0))
    }
}

extension VersionState {
    /// Reads a version of formats 2 to 9 from its root.
    convenience init(
        legacy mapping: Mapping, format: Int, _ top: TopArray, _ moment: UInt64
    ) throws(RealmError) {
        let file = ReadContext(mapping, limit: top.logicalSize, since: moment)
        let content = try LegacyContent(file.walk, names: top.names, tables: top.tables)
        let nodes = try LegacyNodes(mapping, content, file)
        let memory = ReadContext(mapping, limit: top.logicalSize, since: moment)
        memory.setDerived(.passUnretained(nodes))
        defer { withExtendedLifetime(memory) {} }
        self.init(
            version: top.version, format: format, top: top, limit: top.logicalSize,
            schema: try LegacySchema(nodes, memory.walk, top).schema(), moment: moment,
            legacy: nodes)
    }
}
