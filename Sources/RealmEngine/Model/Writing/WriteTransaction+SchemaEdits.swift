/// Changes of existing classes and properties (object format 1.8, 7.6). Other processes that have
/// the file open reject renamed and removed properties. So callers make sure that no other process
/// has the file open.
extension WriteTransaction {
    /// Renames a class.
    public func renameClass(_ table: TableKey, to name: String) throws(RealmError) {
        let editor = try openEditor(table)
        guard name.utf8.count <= 57, !name.isEmpty else {
            throw .misuse("a class name has 1 to 57 bytes", code: "InvalidName", reason: "name")
        }
        let stored = TableInfo.classPrefix + name
        guard directory.key(stored: stored) == nil else {
            throw .misuse("class \(name) exists already", code: "TableNameInUse", reason: "exists")
        }
        directory.rename(editor, to: stored)
        log.pointee.renameTable(table)
    }

    /// Renames a property.
    public func renameProperty(
        _ table: TableKey, _ column: Int, to name: String
    ) throws(RealmError) {
        let editor = try openEditor(table)
        guard !name.isEmpty, name.utf8.count <= 63, editor.columnIndex(named: name) == nil else {
            throw .misuse(
                "\(name) is no free property name of 1 to 63 bytes", code: "InvalidName",
                reason: "name")
        }
        editor.rename(column, to: name)
        editor.markSpecDirty()
        editor.markDirty()
        log.pointee.renameColumn(table, editor.columns[column].key)
    }

    /// Removes a property with its values. Deletes the embedded objects that it owns.
    public func removeProperty(_ table: TableKey, _ column: Int) throws(RealmError) {
        let editor = try openEditor(table)
        let info = editor.columns[column]
        let dependents = try dependents(on: info, of: editor)
        if editor.primaryKey == info.key { editor.primaryKey = nil }
        try inBulk { () throws(RealmError) in
            try removeColumn(editor, info)
            try removeUnlinked(dependents)
        }
        log.pointee.eraseColumn(table, info.key)
    }

    /// Returns the keys of all objects, without tombstones.
    func keys(_ editor: TableEditor) throws(RealmError) -> [ObjectKey] {
        try keys(editor.clusters())
    }

    func keys(_ tree: ClusterEditor) throws(RealmError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try tree.forEachLeaf { (leaf) in
            for row in 0..<leaf.count { keys.append(leaf.key(row)) }
        }
        return keys
    }

    /// Removes a column: frees all nodes that its cells reference, and removes the backlink columns
    /// for its links.
    private func removeColumn(_ editor: TableEditor, _ column: ColumnInfo) throws(RealmError) {
        for target in try targets(of: column, in: editor) {
            try removeBacklinkColumns(of: column.key, origin: editor.key, in: target)
        }
        if column.index != .none { try editor.dropIndex(column.leafIndex) }
        try editor.dropDistinct(column.leafIndex)
        try editor.flushBacklinks()
        editor.columns.removeAll { $0.key == column.key }
        try removeCells(editor, column.leafIndex)
    }

    /// Frees the nodes of a column that the caller has removed from the table.
    ///
    /// The caller must have stored all queued backlinks before. Storing a backlink copies a leaf
    /// without the removed column, so the column's nodes would never be freed.
    private func removeCells(_ editor: TableEditor, _ leafIndex: Int) throws(RealmError) {
        editor.counters.columnCounter += 1
        editor.markSpecDirty()
        editor.markDirty()
        try editor.clusters().setColumn(leafIndex, nil)
        try editor.tombstones()?.setColumn(leafIndex, nil)
        try visitLeaves(of: editor) { (tree, place) throws(RealmError) in
            try tree.removeColumn(leafIndex, from: place)
        }
        try visitTombstones(of: editor) { (tree, place) throws(RealmError) in
            try tree.removeColumn(leafIndex, from: place)
        }
    }

    private func removeBacklinkColumns(
        of column: ColumnKey, origin: TableKey, in target: TableEditor
    ) throws(RealmError) {
        for backlink in target.backlinks
        where backlink.origin == origin && backlink.originColumn == column {
            try target.flushBacklinks()
            target.backlinks.removeAll { $0.key == backlink.key }
            try removeCells(target, backlink.leafIndex)
        }
    }

    /// Removes a class with its objects. Throws `misuse` if a link property of another class has it
    /// as target.
    public func removeClass(_ table: TableKey) throws(RealmError) {
        let editor = try openEditor(table)
        try inBulk { () throws(RealmError) in try removeClass(editor) }
    }

    private func removeClass(_ editor: TableEditor) throws(RealmError) {
        let table = editor.key
        for backlink in editor.backlinks where backlink.origin != table {
            let origin = try self.editor(backlink.origin)
            if let i = origin.columnIndex(backlink.originColumn), origin.columns[i].type == .link {
                throw .misuse(
                    "\(origin.className).\(origin.columns[i].name) leads to \(editor.className)",
                    code: "CrossTableLinkTarget", reason: "linked",
                    hint: "drop that property first")
            }
        }
        // Mixed properties of other classes may contain links to the objects of this class, or to
        // its tombstones.
        var objects = try keys(editor)
        if let tombstones = try editor.tombstones() { objects = try keys(tombstones) + objects }
        try nullifyLinks(
            to: objects, LinkedObjects(table, objects), in: editor, exceptFrom: [table])
        var dependents: [ObjectLink] = []
        for column in editor.columns where column.layout.element.mayHoldLinks {
            dependents += try self.dependents(on: column, of: editor)
            for target in try targets(of: column, in: editor) where target.key != table {
                try removeBacklinkColumns(of: column.key, origin: table, in: target)
            }
        }
        try removeUnlinked(dependents.filter { $0.table != table })
        for column in editor.columns where column.index != .none {
            try editor.dropIndex(column.leafIndex)
        }
        // The old top array still references the indexes; flushing writes one that does not.
        editor.markDirty()
        let top = try editor.flush()
        try context.freeDeep(top)
        directory.place(.free(tag: UInt64((table.tag + 1) & 0x7FFF)), at: table.slot)
        log.pointee.eraseTable(table)
    }

    /// Adds a search index to a property, replaces it by another kind, or removes it.
    ///
    /// Throws `misuse`, without a change, if the property cannot have the index, or if one of its
    /// lists contains a string that is too long.
    public func setIndex(
        _ table: TableKey, _ column: Int, _ kind: IndexKind
    ) throws(RealmError) {
        let editor = try openEditor(table)
        let info = editor.columns[column]
        let isKey = editor.primaryKey == info.key
        guard !isKey || kind == .general else {
            throw .misuse(
                "property \(editor.className).\(info.name): a primary key keeps its index"
                    + (kind == .fullText ? " and has no full-text index" : ""),
                reason: "primary-key")
        }
        if info.index == kind, info.isIndexed == (kind == .general) || isKey { return }
        var spec = PropertySpec(info.name, info.type)
        spec.collection = info.collection
        try Self.checkIndex(spec, kind, of: editor)
        if kind != .none { try checkListsFitIndex(editor, info) }
        if info.index != .none { try editor.dropIndex(info.leafIndex) }
        let changed = info.changed(index: kind, isIndexed: kind == .general)
        editor.columns[column] = changed
        editor.markSpecDirty()
        editor.markDirty()
        if kind != .none { try buildIndex(editor, changed) }
    }

    /// Makes a property optional or required. Values are kept, but in a required property each null
    /// becomes zero, false, an empty string and so on. Returns the number of nulls that were
    /// replaced.
    ///
    /// Throws `misuse`, without a change, if two objects would get the same primary key.
    ///
    /// As in the reference engine, the column gets a new key and becomes the last property.
    @discardableResult
    @_optimize(size)
    public func setOptional(
        _ table: TableKey, _ column: Int, _ isOptional: Bool
    ) throws(RealmError) -> Int {
        let editor = try openEditor(table)
        let old = editor.columns[column]
        guard old.type != .link, old.type != .mixed else {
            throw .misuse(
                "\(old.name) is always \(old.isNullable ? "optional" : "required")",
                reason: "schema")
        }
        if old.isNullable == isOptional { return 0 }
        let wasKey = editor.primaryKey == old.key
        if wasKey, !isOptional { try checkKeysStayDistinct(editor, requiring: old) }
        var spec = PropertySpec(old.name, old.type)
        spec.isOptional = isOptional
        spec.collection = old.collection
        let key = newColumnKey(editor, old.type, spec.attributes)
        let new = ColumnInfo(
            key: key, name: old.name, type: old.type, isNullable: isOptional,
            collection: old.collection, target: .none, targetColumn: .none, index: old.index,
            isIndexed: old.isIndexed, hasIntegerKeys: old.hasIntegerKeys, indexRoot: .none,
            distinct: .none)
        if wasKey { editor.primaryKey = nil }
        var replaced = 0
        try inBulk { () throws(RealmError) in
            replaced = try replaceColumn(editor, old, by: new)
        }
        if wasKey { editor.primaryKey = key }
        if new.index != .none { try buildIndex(editor, new) }
        log.pointee.insertColumn(table, key)
        log.pointee.eraseColumn(table, old.key)
        return replaced
    }

    /// Replaces a column by `new` and converts its values. Returns the number of nulls that were
    /// replaced.
    private func replaceColumn(
        _ editor: TableEditor, _ column: ColumnInfo, by new: ColumnInfo
    ) throws(RealmError) -> Int {
        let position = editor.columnIndex(column.key)!
        // The list of distinct values must be in the file, because spills between leaves would move
        // a list in memory.
        if memoryLimit < .max, editor.hasChangedDistinct(column.leafIndex) { try spill() }
        let list = editor.takeDistinct(column.leafIndex)
        if list == nil { try editor.expand(position) }
        let old = editor.columns[position]
        if old.index != .none { try editor.dropIndex(old.leafIndex) }
        // Queued backlinks are stored first. Stored later, they would copy leaves, and the copies
        // would omit the removed column without freeing its nodes.
        try editor.flushBacklinks()
        editor.columns.remove(at: position)
        editor.counters.columnCounter += 1
        editor.markSpecDirty()
        editor.markDirty()
        try editor.clusters().setColumn(old.leafIndex, nil)
        try editor.tombstones()?.setColumn(old.leafIndex, nil)
        let from = ColumnEditor(context, list == nil ? old.layout : DistinctList.cells)
        let to = ColumnEditor(context, new.layout)
        let index = new.leafIndex
        var replaced = 0
        try visitLeaves(of: editor) { (tree, place) throws(RealmError) in
            try tree.moveColumn(old.leafIndex, from, to: index, to, in: place) {
                (cell) throws(RealmError) in
                let value = if let list { try list.value(cell) } else { cell }
                let (result, nulls) = try self.converted(value, new)
                replaced += nulls
                return result
            }
        }
        try visitTombstones(of: editor) { (tree, place) throws(RealmError) in
            try tree.removeColumn(old.leafIndex, from: place)
            try tree.addColumn(index, to, Defaults.value(new), to: place)
        }
        try editor.clusters().setColumn(index, to)
        try editor.tombstones()?.setColumn(index, to)
        editor.columns.append(new)
        if let list { try context.freeDeep(list.root) }
        return replaced
    }

    /// Converts a value of the old column to the form in which `column`, the new one, stores it. If
    /// `column` is required, nulls are replaced by the zero of its type. Returns the new value and
    /// the number of replaced nulls, which may be several in a collection.
    private func converted(
        _ value: Value, _ column: ColumnInfo
    ) throws(RealmError) -> (Value, Int) {
        let zero = Defaults.zero(column.type)
        guard let root = value.collectionRoot else {
            if case .null = value, !column.isNullable { return (zero, 1) }
            return (value, 0)
        }
        if root.isNone { return (Defaults.value(column), 0) }
        if column.collection == .dictionary { return try convertedEntries(root, column) }
        var elements: [Value] = []
        var nulls = 0
        var old: ElementType = column.layout.element
        if case .list(let view) = value { old = view.element }
        if case .set(let view) = value { old = view.element }
        let editor = try SequenceEditor(context, root: root, element: old)
        try editor.visit { (element) in
            if case .null = element, !column.isNullable {
                nulls += 1
                elements.append(zero)
            } else {
                elements.append(self.copyToArena(element))
            }
        }
        if column.collection == .set { elements = try Self.asSet(elements) }
        try context.freeDeep(root)
        let new = try SequenceEditor(context, root: .none, element: column.layout.element)
        for element in elements { try new.append(element) }
        return (Defaults.value(column).replacingRoot(try new.finish()), nulls)
    }

    /// Replaces nulls in the dictionary at `root` if `column` is required. The other values need no
    /// conversion, because every dictionary stores its values as mixed values.
    private func convertedEntries(
        _ root: Ref, _ column: ColumnInfo
    ) throws(RealmError) -> (Value, Int) {
        let kept = Defaults.value(column).replacingRoot(root)
        if column.isNullable { return (kept, 0) }
        let node = try context.space.refNode(root, slots: DictionaryShape.count, "dictionary")
        for i in 0..<2 { try context.nodes.check(node.slot(i).ref, in: root) }
        let values = try SequenceEditor(
            context, root: node.slot(DictionaryShape.values).ref, element: .mixed)
        var nulls = 0
        for i in 0..<values.count {
            guard case .null = try values.value(at: i) else { continue }
            nulls += 1
            try values.set(Defaults.zero(column.type), at: i)
        }
        if nulls == 0 { return (kept, 0) }
        let keys = node.slot(DictionaryShape.keys).raw
        try context.free(root)
        let new = try context.encoder.refs([keys, try values.finish().raw])
        return (kept.replacingRoot(new), nulls)
    }
}
