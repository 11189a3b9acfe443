extension WriteTransaction {
    /// Replaces the elements of a list or set.
    ///
    /// The elements of a set are sorted, and of equal values only the first is stored. Throws
    /// `data` if an element does not fit the property.
    public func setElements(
        _ table: TableKey, _ object: ObjectKey, _ column: Int, _ values: [Value]
    ) throws(RealmError) {
        let editor = try openEditor(table)
        let info = editor.columns[column]
        try storeElements(editor, object, info, try checkedElements(values, info))
    }

    /// Checks the elements and returns them in the order in which they are stored.
    func checkedElements(
        _ values: [Value], _ column: ColumnInfo
    ) throws(RealmError) -> [Value] {
        guard let kind = column.collection, kind != .dictionary else {
            throw .misuse("property \(column.name) is no list or set", reason: "type")
        }
        let element = column.layout.element
        for value in values {
            try ValueCheck.check(value, element, name: column.name)
            guard kind == .list || value.collectionRoot == nil else {
                throw RealmError(
                    .data, code: "TypeMismatch", reason: "type",
                    "\(column.name) is a set, which holds no collections")
            }
            if column.type == .link || column.type == .mixed { try checkTarget(value) }
        }
        try Self.checkIndexed(values, column)
        return kind == .set ? try Self.asSet(values) : values
    }

    /// Replaces the elements of a list of embedded objects by `count` new objects; returns their
    /// keys.
    package func createEmbeddedElements(
        _ table: TableKey, _ object: ObjectKey, _ column: Int, count: Int
    ) throws(RealmError) -> [ObjectKey] {
        let editor = try openEditor(table)
        let info = editor.columns[column]
        guard info.collection == .list else {
            throw .misuse("property \(info.name) is no list", reason: "type")
        }
        guard try editor.exists(object) else { throw Self.noObject(editor, object) }
        var links: [ObjectLink] = []
        let owner = ObjectLink(table: table, key: object)
        for _ in 0..<count { links.append(try makeEmbedded(info, of: owner)) }
        try storeElements(editor, object, info, links.map(Value.link))
        return links.map(\.key)
    }

    private func storeElements(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, _ values: [Value]
    ) throws(RealmError) {
        guard let old = try editor.value(object, column) else {
            throw Self.noObject(editor, object)
        }
        let oldCount = try count(old)
        let root = try encodeElements(values, column.layout.element)
        let new = old.replacingRoot(root)
        if old.collectionRoot == .some(.none), column.index == .none, column.type == .link {
            try editor.setCell(object, column.leafIndex, new)
            for value in values {
                try addBacklinks(editor, object, column, of: value)
            }
        } else {
            try replaceCollection(editor, object, column, old, new)
        }
        logReplaced(editor, object, column, oldCount: oldCount, newCount: values.count)
    }

    /// Replaces the entries of a dictionary. String keys must be distinct, must not begin with `$`,
    /// and must not contain `.`.
    public func setEntries(
        _ table: TableKey, _ object: ObjectKey, _ column: Int,
        _ entries: [(key: Value, value: Value)]
    ) throws(RealmError) {
        let editor = try openEditor(table)
        let info = editor.columns[column]
        guard info.collection == .dictionary else {
            throw .misuse("property \(info.name) is no dictionary", reason: "type")
        }
        for entry in entries {
            try ValueCheck.check(entry.value, info.layout.element, name: info.name)
            if info.type == .link || info.type == .mixed { try checkTarget(entry.value) }
        }
        try storeEntries(editor, object, info, entries)
    }

    /// Replaces the entries of a dictionary of embedded objects. Creates an object for each entry
    /// that is not null; returns the keys of the objects, nil for null entries.
    package func createEmbeddedEntries(
        _ table: TableKey, _ object: ObjectKey, _ column: Int,
        _ entries: [(key: Value, isNull: Bool)]
    ) throws(RealmError) -> [ObjectKey?] {
        let editor = try openEditor(table)
        let info = editor.columns[column]
        guard info.collection == .dictionary else {
            throw .misuse("property \(info.name) is no dictionary", reason: "type")
        }
        // Checks everything before creating an object: if the call fails later, the object would
        // remain without an owner.
        guard try editor.exists(object) else { throw Self.noObject(editor, object) }
        _ = try Self.sorted(
            entries.map { (key: $0.key, value: .null) }, info.hasIntegerKeys, info.name)
        let owner = ObjectLink(table: table, key: object)
        var values: [(key: Value, value: Value)] = []
        var keys: [ObjectKey?] = []
        for entry in entries {
            let link = entry.isNull ? nil : try makeEmbedded(info, of: owner)
            values.append((key: entry.key, value: link.map(Value.link) ?? .null))
            keys.append(link?.key)
        }
        try storeEntries(editor, object, info, values)
        return keys
    }

    private func storeEntries(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo,
        _ entries: [(key: Value, value: Value)]
    ) throws(RealmError) {
        guard let old = try editor.value(object, column) else {
            throw Self.noObject(editor, object)
        }
        let oldCount = try count(old)
        let root = try encodeEntries(
            entries, name: column.name, hasIntegerKeys: column.hasIntegerKeys)
        try replaceCollection(editor, object, column, old, old.replacingRoot(root))
        logReplaced(editor, object, column, oldCount: oldCount, newCount: entries.count)
    }

    private func replaceCollection(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, _ old: Value,
        _ new: Value
    ) throws(RealmError) {
        if column.index != .none {
            try editor.changeIndex(column, object, from: old, to: new)
        }
        try editor.setCell(object, column.leafIndex, new)
        try linkChange(editor, object, column, from: old, to: new)
    }

    private func logReplaced(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, oldCount: Int,
        newCount: Int
    ) {
        if editor.created.pointee.contains(object.raw) { return }
        if oldCount > 0 { log.pointee.change(editor.key, column.key, object, .clear(oldCount)) }
        for i in 0..<newCount { log.pointee.change(editor.key, column.key, object, .insert(i)) }
    }

    /// Number of elements, including links to tombstones.
    private func count(_ value: Value) throws(RealmError) -> Int {
        switch value {
        case .list(let view), .set(let view):
            if view.root.isNone { return 0 }
            return try SequenceEditor(context, root: view.root, element: view.element).count
        case .dictionary(let view):
            if view.root.isNone { return 0 }
            let node = try context.space.refNode(
                view.root, slots: DictionaryShape.count, "dictionary")
            let keys = ElementType(
                type: view.element.hasIntegerKeys ? .int : .string, isNullable: false)
            return try SequenceEditor(
                context, root: node.slot(DictionaryShape.keys).ref, element: keys
            ).count
        default: return 0
        }
    }

    // MARK: Nested collections

    /// Makes a list, which the caller must store in a mixed property or element.
    public func makeList(_ values: [Value]) throws(RealmError) -> Value {
        for value in values { try ValueCheck.check(value, .mixed, name: "a list element") }
        return .list(
            CollectionView(
                root: try encodeElements(values, .mixed), element: .mixed,
                key: makeCollectionKey()))
    }

    /// Makes a dictionary, which the caller must store in a mixed property or element.
    public func makeDictionary(
        _ entries: [(key: Value, value: Value)]
    ) throws(RealmError) -> Value {
        for entry in entries { try ValueCheck.check(entry.value, .mixed, name: "an entry") }
        return .dictionary(
            CollectionView(
                root: try encodeEntries(entries, name: "a dictionary", hasIntegerKeys: false),
                element: .mixed, key: makeCollectionKey()))
    }

    // MARK: Encoding

    func encodeElements(
        _ values: [Value], _ element: ElementType
    ) throws(RealmError) -> Ref {
        if values.isEmpty { return .none }
        if values.count <= context.fanout.tree, !values.contains(where: { $0.isUnresolvedLink }) {
            let leaf = LeafBuffer(LeafLayout(elements: element), capacity: values.count)
            // The leaf is encoded before any node changes, so the values need not be copied.
            for value in values { leaf.append(value) }
            return try LeafEncoder(context: context).encode(leaf, isElement: true)
        }
        let editor = try SequenceEditor(context, root: .none, element: element)
        for value in values { try editor.append(copyToArena(value)) }
        return try editor.finish()
    }

    private func encodeEntries(
        _ entries: [(key: Value, value: Value)], name: String, hasIntegerKeys: Bool
    ) throws(RealmError) -> Ref {
        if entries.isEmpty { return .none }
        let sorted = try Self.sorted(entries, hasIntegerKeys, name)
        let keys = try SequenceEditor(
            context, root: .none,
            element: ElementType(type: hasIntegerKeys ? .int : .string, isNullable: false))
        let values = try SequenceEditor(context, root: .none, element: .mixed)
        for entry in sorted {
            try keys.append(copyToArena(entry.key))
            try values.append(copyToArena(entry.value))
        }
        return try context.encoder.refs([try keys.finish().raw, try values.finish().raw])
    }

    /// Returns the entries sorted by key. Throws `data` if a key is invalid or occurs twice.
    private static func sorted(
        _ entries: [(key: Value, value: Value)], _ hasIntegerKeys: Bool, _ name: String
    ) throws(RealmError) -> [(key: Value, value: Value)] {
        let sorted = entries.ordered { ValueOrder.compare($0.key, $1.key) < 0 }
        var previous: Value?
        for entry in sorted {
            try checkKey(entry.key, hasIntegerKeys, name)
            if let previous, ValueOrder.compare(previous, entry.key) == 0 {
                throw RealmError(
                    .data, code: "TypeMismatch", reason: "duplicate-key",
                    "\(name) holds the same key twice")
            }
            previous = entry.key
        }
        return sorted
    }

    static func checkKey(
        _ key: Value, _ hasIntegerKeys: Bool, _ name: String
    ) throws(RealmError) {
        switch key {
        case .int where hasIntegerKeys: return
        case .string(let bytes) where !hasIntegerKeys:
            if bytes.count > 0, bytes[0] == UInt8(ascii: "$") { break }
            if bytes.buffer.contains(UInt8(ascii: ".")) { break }
            return try ValueCheck.checkLength(
                bytes, ValueCheck.maximumStringSize, "a key of \(name)")
        default: break
        }
        throw RealmError(
            .data, code: "InvalidDictionaryKey", reason: "dictionary-key",
            "\(name) has a key the format forbids: keys neither begin with $ nor hold a dot")
    }

    /// Returns the values without duplicates in the order in which sets store them (object format
    /// 8.1).
    static func asSet(_ values: [Value]) throws(RealmError) -> [Value] {
        var result: [Value] = []
        result.reserveCapacity(values.count)
        for value in values.ordered(by: { SetOrder.compare($0, $1) < 0 }) {
            if let last = result.last, SetOrder.compare(last, value) == 0 { continue }
            result.append(value)
        }
        return result
    }
}

/// The order of elements in typed sets. It equals the order of values with one exception: in sets
/// of decimals, null is sorted among the NaNs (object format 8.1).
enum SetOrder {
    static func compare(_ a: Value, _ b: Value) -> Int {
        switch (a, b) {
        case (.decimal(let x), .decimal(let y)): Decimal128.compare(x, y)
        case (.null, .decimal(let y)): Decimal128.compare(.null, y)
        case (.decimal(let x), .null): Decimal128.compare(x, .null)
        default: ValueOrder.compare(a, b)
        }
    }
}
