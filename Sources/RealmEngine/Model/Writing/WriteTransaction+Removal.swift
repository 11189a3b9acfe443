/// Deletion of objects. Links to a deleted object become null, or are removed if they are in
/// collections. Embedded objects are deleted with their owner (object format 6.3).
extension WriteTransaction {
    /// Deletes an object, the links to it, and the embedded objects that it owns.
    public func remove(_ table: TableKey, _ object: ObjectKey) throws(RealmError) {
        let editor = try openEditor(table)
        guard try editor.reaches(object) else { throw Self.noObject(editor, object) }
        var orphans: [ObjectLink] = []
        try removeObjects([object], in: editor, orphans: &orphans)
        if !orphans.isEmpty { try removeObjects(orphans) }
    }

    /// Deletes objects of one class, the links to them, and the embedded objects that they own. The
    /// keys may be in any order.
    ///
    /// Each collection that links to the objects is read only once, not once per object as when
    /// objects are deleted one by one. Throws `misuse`, without a change, if one of the objects
    /// does not exist.
    public func remove(
        _ table: TableKey, _ objects: some Sequence<ObjectKey>
    ) throws(RealmError) {
        let editor = try openEditor(table)
        let keys = Self.ascending(Array(objects))
        for key in keys {
            guard try editor.exists(key) else { throw Self.noObject(editor, key) }
        }
        if keys.isEmpty { return }
        if try keys.count == editor.clusters().objectCount() {
            return try removeAllObjects(of: [table])
        }
        try inBulk { () throws(RealmError) in
            var orphans: [ObjectLink] = []
            try removeObjects(keys, in: editor, orphans: &orphans)
            try removeObjects(orphans)
        }
    }

    private static func ascending(_ keys: [ObjectKey]) -> [ObjectKey] {
        if zip(keys, keys.dropFirst()).allSatisfy({ $0.raw < $1.raw }) { return keys }
        var raw = keys.map(\.raw)
        raw.sort()
        var distinct: [ObjectKey] = []
        distinct.reserveCapacity(raw.count)
        for key in raw where distinct.last?.raw != key { distinct.append(ObjectKey(key)) }
        return distinct
    }

    /// Deletes the given objects, skipping any that no longer exist, and all embedded objects that
    /// lose their owner.
    func removeObjects(_ objects: [ObjectLink]) throws(RealmError) {
        var pending = objects
        while !pending.isEmpty {
            let round = Dictionary(grouping: pending, by: \.table)
            pending = []
            for table in round.keys.sorted(by: { $0.raw < $1.raw }) {
                let editor = try editor(table)
                var keys: [ObjectKey] = []
                for key in Self.ascending(round[table]!.map(\.key)) {
                    if try editor.exists(key) { keys.append(key) }
                }
                try removeObjects(keys, in: editor, orphans: &pending)
            }
        }
    }

    /// Deletes objects and appends the embedded objects that lose their owner to `orphans`. The
    /// objects must exist, and their keys ascend.
    private func removeObjects(
        _ keys: [ObjectKey], in editor: TableEditor, orphans: inout [ObjectLink]
    ) throws(RealmError) {
        let removed = LinkedObjects(editor.key, keys)
        if try editor.shape().receivesLinks { try nullifyLinks(to: keys, removed, in: editor) }
        let rebuilds = try mayRebuildIndexes(of: editor, without: keys.count)
        for key in keys {
            try spillIfNeeded()
            guard try editor.reaches(key) else { continue }
            try removeObject(key, in: editor, with: removed, keepsEntries: rebuilds, &orphans)
        }
        guard rebuilds else { return }
        for column in editor.columns where column.index != .none {
            try spillIfNeeded()
            try editor.fillIndex(column)
        }
    }

    /// Whether rebuilding the indexes of a table costs less than removing `count` objects from
    /// them, and memory suffices.
    private func mayRebuildIndexes(
        of editor: TableEditor, without count: Int
    ) throws(RealmError) -> Bool {
        guard count >= 1024 else { return false }
        let rest = try editor.clusters().objectCount() - count
        return rest / 2 <= count && rest <= memoryLimit / Self.bytesPerRebuiltEntry
    }

    /// Approximate maximum of memory per object, in bytes, for rebuilding an index.
    private static let bytesPerRebuiltEntry = 256

    /// Deletes an object that exists. Links to it must come only from the `removed` objects.
    ///
    /// - Parameter keepsEntries: whether to leave the object's index entries, because the caller
    ///   rebuilds the indexes.
    private func removeObject(
        _ object: ObjectKey, in editor: TableEditor, with removed: LinkedObjects,
        keepsEntries: Bool, _ orphans: inout [ObjectLink]
    ) throws(RealmError) {
        let shape = try editor.shape()
        if !keepsEntries { try editor.removeFromIndexes(object, shape, later: isBulk) }
        for i in shape.holders { try releaseLinks(of: object, in: editor, i, removed, &orphans) }
        if shape.receivesLinks { try editor.dropBacklinks(object) }
        try editor.clusters().remove(object)
        logRemoval(of: object, in: editor)
    }

    func logRemoval(of object: ObjectKey, in editor: TableEditor) {
        if editor.kind != .embedded || !editor.created.pointee.contains(object.raw) {
            log.pointee.removeObject(editor.key, object)
        }
    }

    /// Removes the backlinks of an object's links in one property, and frees the property's
    /// collection. Appends embedded objects that lose their owner to `orphans`. Skips links to
    /// `removed` objects, whose backlinks are deleted with them.
    private func releaseLinks(
        of object: ObjectKey, in editor: TableEditor, _ i: Int, _ removed: LinkedObjects,
        _ orphans: inout [ObjectLink]
    ) throws(RealmError) {
        let column = editor.columns[i]
        var lost: [ObjectLink] = []
        let value = try editor.value(object, column)!
        try forEachLink(in: value) { (link) throws(RealmError) in
            if removed.contains(link) { return }
            if try self.removeBacklink(editor, object, column, to: link) { lost.append(link) }
        }
        if let root = value.collectionRoot {
            try context.freeDeep(root)
            // The property must not reference the freed nodes of the collection.
            try editor.setCell(object, column.leafIndex, Defaults.value(column))
        }
        for link in lost where link.key.isUnresolved { try removeOrphan(link) }
        orphans += lost.lazy.filter { !$0.key.isUnresolved }
    }

    /// Removes all links to `keys`, objects of one class. Single links become null; in collections,
    /// elements are removed. Links in the objects themselves are left.
    ///
    /// - Parameters:
    ///   - keys: keys of existing objects, in ascending order.
    ///   - removed: the same objects, as a set that links are compared with.
    ///   - others: classes whose links are not changed.
    func nullifyLinks(
        to keys: [ObjectKey], _ removed: LinkedObjects, in editor: TableEditor,
        exceptFrom others: Set<TableKey> = []
    ) throws(RealmError) {
        for backlink in editor.backlinks where !others.contains(backlink.origin) {
            let origins = try editor.backlinkOrigins(backlink.leafIndex, of: keys)
            guard !origins.isEmpty, backlink.origin.slot < directory.slots.count else { continue }
            let origin = try self.editor(backlink.origin)
            guard let index = origin.columnIndex(backlink.originColumn) else { continue }
            for key in origins {
                if origin.key == editor.key, removed.contains(ObjectKey(key)) { continue }
                try spillIfNeeded()
                try nullify(origin, ObjectKey(key), origin.columns[index], removed)
            }
        }
    }

    /// Removes the links to `removed` objects from one property of one object.
    private func nullify(
        _ origin: TableEditor, _ object: ObjectKey, _ column: ColumnInfo,
        _ removed: LinkedObjects
    ) throws(RealmError) {
        guard let value = try origin.value(object, column) else { return }
        let isLogged = !origin.created.pointee.contains(object.raw)
        switch value {
        case .link(let link) where removed.contains(link):
            if column.index != .none {
                try origin.changeIndex(column, object, from: value, to: .null)
            }
            try origin.setCell(object, column.leafIndex, .null)
            if isLogged { log.pointee.set(origin.key, column.key, object) }
        case .list, .set, .dictionary:
            let edited = try CollectionNullifier(context, removed).edit(value)
            guard edited.hasChanged else { return }
            try origin.setCell(object, column.leafIndex, value.replacingRoot(edited.root))
            if isLogged { logNullified(edited, origin, object, column) }
        default: return
        }
    }

    private func logNullified(
        _ edited: CollectionNullifier.Result, _ origin: TableEditor, _ object: ObjectKey,
        _ column: ColumnInfo
    ) {
        guard column.collection != nil else {
            return log.pointee.set(origin.key, column.key, object)
        }
        for i in edited.erased.reversed() {
            log.pointee.change(origin.key, column.key, object, .erase(i))
        }
        for i in edited.nulled { log.pointee.change(origin.key, column.key, object, .set(i)) }
    }
}
