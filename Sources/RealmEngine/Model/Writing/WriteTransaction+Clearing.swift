/// Deletion of all objects of classes. Works column by column, not object by object.
extension WriteTransaction {
    /// Deletes all objects of some classes, the links to them and the embedded objects they own.
    public func removeAllObjects(of tables: [TableKey]) throws(RealmError) {
        try inBulk { () throws(RealmError) in try clear(tables) }
    }

    private func clear(_ tables: [TableKey]) throws(RealmError) {
        let cleared = Set(tables)
        var objects: [(editor: TableEditor, keys: [ObjectKey])] = []
        for table in cleared.sorted(by: { $0.raw < $1.raw }) {
            let editor = try openEditor(table)
            let keys = try keys(editor)
            if !keys.isEmpty { objects.append((editor, keys)) }
        }
        for (editor, keys) in objects {
            try nullifyLinks(
                to: keys, LinkedObjects(editor.key, keys), in: editor, exceptFrom: cleared)
        }
        var dependents: [ObjectLink] = []
        for (editor, keys) in objects {
            for column in editor.columns where column.layout.element.mayHoldLinks {
                dependents += try self.dependents(on: column, of: editor)
                try removeBacklinks(of: column, in: editor, count: keys.count, cleared)
            }
        }
        for (editor, keys) in objects {
            try editor.removeAll()
            for key in keys { logRemoval(of: key, in: editor) }
        }
        try removeUnlinked(dependents)
    }

    /// Returns the tables whose objects a property may link to, so that they have its backlink
    /// column.
    func targets(
        of column: ColumnInfo, in editor: TableEditor
    ) throws(RealmError) -> [TableEditor] {
        if column.type == .link { return [try self.editor(column.target)] }
        guard column.type == .mixed else { return [] }
        var targets: [TableEditor] = []
        for slot in directory.slots {
            let (key, backlinks): (TableKey, [BacklinkInfo])
            switch slot {
            case .stored(let info): (key, backlinks) = (info.key, info.backlinks)
            case .open(let open): (key, backlinks) = (open.key, open.backlinks)
            case .free: continue
            }
            let isTarget = backlinks.contains {
                $0.origin == editor.key && $0.originColumn == column.key
            }
            if isTarget { targets.append(try self.editor(key)) }
        }
        return targets
    }

    /// Returns the embedded objects and tombstones that a property links to. They must be deleted
    /// unless other links refer to them too.
    func dependents(
        on column: ColumnInfo, of editor: TableEditor
    ) throws(RealmError) -> [ObjectLink] {
        var found: [ObjectLink] = []
        for target in try targets(of: column, in: editor) {
            if target.kind == .embedded {
                try editor.forEachValue(column) { (_, value) throws(RealmError) in
                    try self.forEachLink(in: value) { found.append($0) }
                }
            }
            guard let tombstones = try target.tombstones(),
                let leafIndex = backlink(of: column, editor, in: target)?.leafIndex
            else { continue }
            for key in try keys(tombstones)
            where try !target.backlinkOrigins(leafIndex, of: key).isEmpty {
                found.append(ObjectLink(table: target.key, key: key))
            }
        }
        return found
    }

    private func backlink(
        of column: ColumnInfo, _ editor: TableEditor, in target: TableEditor
    ) -> BacklinkInfo? {
        target.backlinks.first { $0.origin == editor.key && $0.originColumn == column.key }
    }

    /// Deletes the embedded objects and tombstones among `links` that no link refers to.
    func removeUnlinked(_ links: [ObjectLink]) throws(RealmError) {
        var objects: [ObjectLink] = []
        for link in links {
            let target = try editor(link.table)
            guard try target.exists(link.key), try target.hasNoBacklinks(link.key) else { continue }
            if link.key.isUnresolved {
                try removeOrphan(link)
            } else {
                objects.append(link)
            }
        }
        try removeObjects(objects)
    }

    /// Removes the backlinks of all links in one property of a class; `count` is the number of the
    /// class's objects.
    ///
    /// - Parameter cleared: classes of which all objects are being deleted. The backlinks of these
    ///   objects disappear with them, so only the backlinks of the classes' tombstones are removed.
    private func removeBacklinks(
        of column: ColumnInfo, in editor: TableEditor, count: Int, _ cleared: Set<TableKey>
    ) throws(RealmError) {
        for target in try targets(of: column, in: editor) {
            guard let leafIndex = backlink(of: column, editor, in: target)?.leafIndex else {
                continue
            }
            try target.flushBacklinks()
            let isCleared = cleared.contains(target.key)
            // Clearing the column in a leaf takes about as long as removing one backlink. So
            // clearing all leaves pays if there are at least as many backlinks to remove as leaves.
            let size = isCleared ? 0 : try target.clusters().objectCount()
            guard size / 64 <= count else {
                try removeEachBacklink(of: column, in: editor)
                continue
            }
            if !isCleared {
                try visitLeaves(of: target) { (tree, location) throws(RealmError) in
                    try tree.resetColumn(leafIndex, to: .int(0), in: location)
                }
            }
            try visitTombstones(of: target) { (tree, location) throws(RealmError) in
                try tree.resetColumn(leafIndex, to: .int(0), in: location)
            }
        }
    }

    private func removeEachBacklink(
        of column: ColumnInfo, in editor: TableEditor
    ) throws(RealmError) {
        var links: [(origin: ObjectKey, link: ObjectLink)] = []
        try editor.forEachValue(column) { (key, value) throws(RealmError) in
            try self.forEachLink(in: value) { links.append((key, $0)) }
        }
        for (origin, link) in links {
            try spillIfNeeded()
            _ = try removeBacklink(editor, origin, column, to: link)
        }
    }
}
