/// Copies one table into a file of an older format: the same objects with the same keys. Converts
/// the columns, leaves and indexes that the older format encodes differently.
struct DowngradeTableCopier {
    private enum Form {
        case copy, decimals, mixed, backlinks
        case collections(CollectionKind, ElementType)
    }

    private let trees: DowngradeTrees
    private let table: Table
    /// For each slot of a cluster leaf, the conversion of its column leaf. Leaves in slots without
    /// a conversion are copied unchanged.
    private let forms: [Form]

    private var copier: NodeCopier { trees.copier }
    private var info: TableInfo { table.info }

    init(_ trees: DowngradeTrees, _ table: Table) {
        (self.trees, self.table) = (trees, table)
        let info = table.info
        let last = (info.columns.map(\.leafIndex) + info.backlinks.map(\.leafIndex)).max() ?? -1
        var forms = [Form](repeating: .copy, count: last + 2)
        for column in info.columns {
            forms[ClusterLeafShape.column(column.leafIndex)] = Self.form(column)
        }
        for column in info.backlinks {
            forms[ClusterLeafShape.column(column.leafIndex)] = .backlinks
        }
        self.forms = forms
    }

    private static func form(_ column: ColumnInfo) -> Form {
        switch (column.collection, column.type) {
        case (nil, .decimal): .decimals
        case (nil, .mixed): .mixed
        case (.list?, .decimal), (.list?, .mixed), (.dictionary?, _),
            (.set?, .decimal), (.set?, .mixed), (.set?, .string), (.set?, .binary):
            .collections(column.collection!, column.layout.element)
        default: .copy
        }
    }

    /// Copies the table with its root at `ref`.
    func copy(_ ref: Ref) throws(RealmError) -> Ref {
        let top = try copier.open(ref)
        return try copier.emit(top, at: ref) { (slot, child) throws(RealmError) in
            switch slot {
            case TableShape.spec: try spec(child)
            case TableShape.objects, TableShape.tombstones:
                try copier.copyClusters(child, copyLeaf: leaf)
            case TableShape.indexes: try indexes(child)
            case TableShape.oppositeColumns: try integers(child, Self.older(key:))
            default: try copier.copy(child)
            }
        }
    }

    // MARK: Columns

    private static let listOfLinks: Int64 = 13

    /// Returns the key of a column in older formats, where lists of links have a separate type.
    private static func older(key raw: Int64) -> Int64 {
        let key = ColumnKey(raw)
        guard key.typeNumber == 12, key.attributes.contains(.list) else { return raw }
        return raw & ~(0x3F << 16) | listOfLinks << 16
    }

    private func spec(_ ref: Ref) throws(RealmError) -> Ref {
        let spec = try copier.open(ref)
        guard spec.hasRefs, spec.count >= SpecShape.count else {
            throw copier.space.wrongShape(ref, "spec")
        }
        let keys = try copier.space.integers(spec.slot(SpecShape.keys).ref, "column keys")
        return try copier.emit(spec, at: ref) { (slot, child) throws(RealmError) in
            switch slot {
            case SpecShape.types:
                try integers(child) { i, type in
                    let isList =
                        i < keys.count && Self.older(key: keys.integer(i)) != keys.integer(i)
                    return isList ? type & ~0xFFFF | Self.listOfLinks : type
                }
            case SpecShape.attributes:
                try integers(child) { i, word in
                    let isLeftOut = i < info.columns.count && !keepsIndex(i)
                    return isLeftOut ? word & ~Self.indexBits : word
                }
            case SpecShape.keys: try integers(child, Self.older(key:))
            default: try copier.copy(child)
            }
        }
    }

    private static let indexBits = Int64(
        ColumnAttributes.indexed.rawValue | ColumnAttributes.fullText.rawValue)

    private func integers(
        _ ref: Ref, _ change: (Int64) -> Int64
    ) throws(RealmError) -> Ref {
        try integers(ref) { _, value in change(value) }
    }

    /// Copies an array of numbers; `change` maps an index and a value to the new value.
    private func integers(
        _ ref: Ref, _ change: (Int, Int64) -> Int64
    ) throws(RealmError) -> Ref {
        _ = try copier.open(ref)
        let node = try copier.space.integers(ref, "numbers")
        return try copier.emit((0..<node.count).map { change($0, node.integer($0)) })
    }

    // MARK: Objects

    private func leaf(_ slot: Int, _ ref: Ref) throws(RealmError) -> Ref {
        guard slot < forms.count else { return try copier.copy(ref) }
        switch forms[slot] {
        case .copy: return try copier.copy(ref)
        case .decimals: return try trees.decimals(ref)
        case .mixed: return try trees.mixed(ref)
        case .backlinks: return try trees.backlinks(ref)
        case .collections(let kind, let element):
            return try trees.collections(ref, kind, element)
        }
    }

    // MARK: Indexes

    private func keepsIndex(_ column: Int) -> Bool {
        trees.format.keepsIndex(
            of: info.columns[column], isPrimaryKey: column == info.primaryKey)
    }

    private func indexes(_ ref: Ref) throws(RealmError) -> Ref {
        let node = try copier.open(ref)
        guard node.hasRefs else { throw copier.space.wrongShape(ref, "index roots") }
        return try copier.emit(node, at: ref) { (slot, child) throws(RealmError) in
            guard let i = info.columns.firstIndex(where: { $0.leafIndex == slot }), keepsIndex(i)
            else { return .none }
            let type = info.columns[i].type
            guard type == .string || type == .mixed, info.columns[i].index != .fullText else {
                return try copier.copy(child)
            }
            return try DowngradeIndexCopier(trees, table, column: i).copy(child, level: 0)
        }
    }
}

/// Copies the index of a property whose different values may have the same path in the index.
/// Values with the same path are sorted in the order of the older format.
struct DowngradeIndexCopier {
    private let trees: DowngradeTrees
    private let table: Table
    private let column: ColumnInfo
    private var copier: NodeCopier { trees.copier }

    /// Deepest level of the trie at which each text has its own list of object keys. Texts whose
    /// four-byte chunks are equal up to that level share one list (object format 5.5).
    private static let lastLevel = 50

    init(_ trees: DowngradeTrees, _ table: Table, column: Int) {
        (self.trees, self.table, self.column) = (trees, table, table.info.columns[column])
    }

    /// - Parameter level: number of four-byte chunks on the path from the root of the index to this
    ///   node.
    func copy(_ ref: Ref, level: Int) throws(RealmError) -> Ref {
        let node = try copier.open(ref)
        guard level <= Self.lastLevel + 2 else { throw copier.space.exhausted(ref) }
        guard node.hasRefs else { throw copier.space.wrongShape(ref, "index node") }
        return try copier.emit(node, at: ref) { (slot, child) throws(RealmError) in
            if slot == IndexShape.chunks { return try copier.copy(child) }
            if node.isInner { return try copy(child, level: level) }
            let entry = try copier.space.node(child)
            if entry.context { return try copy(child, level: level + 1) }
            let isShared = column.type == .mixed || level >= Self.lastLevel
            return try isShared ? list(child) : copier.copy(child)
        }
    }

    /// Copies an index entry's list of object keys, sorted by the objects' values and then by key.
    private func list(_ ref: Ref) throws(RealmError) -> Ref {
        var entries: [(value: Value, key: ObjectKey)] = []
        var cursor = BacklinkCursor(copier.space, slot: NodeSlot(raw: ref.raw))
        while let key = try cursor.next() { entries.append((try value(key), key)) }
        let sorted = entries.ordered {
            let order = trees.format.compareIndexed($0.value, $1.value)
            return order != 0 ? order < 0 : $0.key < $1.key
        }
        if zip(entries, sorted).allSatisfy({ $0.key == $1.key }) { return try copier.copy(ref) }
        return try trees.made(
            sorted.map { .int($0.key.raw) }, ElementType(type: .int, isNullable: false))
    }

    private func value(_ key: ObjectKey) throws(RealmError) -> Value {
        let found = try ClusterTree(space: copier.space, root: table.info.root).find(key)
        guard let (leaf, row) = found else {
            throw .corrupt("an index names object \(key.raw), which does not exist", in: "index")
        }
        return try leaf.value(column.leafIndex, column.layout, row: row)
    }
}
