/// Maintenance of backlinks when links are stored or removed (object format section 6).
extension WriteTransaction {
    /// Calls `body` with every link in a stored value: the value itself, or the links in its
    /// collections.
    func forEachLink(
        in value: Value, depth: Int = 0, _ body: (ObjectLink) throws(RealmError) -> Void
    ) throws(RealmError) {
        guard depth <= 100 else {
            throw .corrupt("collections nested deeper than 100", in: "value")
        }
        switch value {
        case .link(let link): try body(link)
        case .list(let view), .set(let view):
            guard view.element.mayHoldLinks else { return }
            try forEachLink(in: view, depth: depth, body)
        case .dictionary(let view):
            guard view.element.mayHoldLinks else { return }
            var cursor = try DictionaryCursor(context.space, view, clustered: false)
            while let (_, element) = try cursor.nextStored() {
                try forEachLink(in: element, depth: depth + 1, body)
            }
        default: return
        }
    }

    /// Calls `body` with every link in a list or set. Skips mixed values of other types without
    /// reading them.
    private func forEachLink(
        in view: CollectionView, depth: Int, _ body: (ObjectLink) throws(RealmError) -> Void
    ) throws(RealmError) {
        var cursor = ElementCursor(context.space, view)
        while let leaf = try cursor.nextLeaf() {
            if case .mixed(let values) = leaf {
                for i in 0..<values.count where values.mayHoldLinks(i) {
                    try forEachLink(in: try values.value(i), depth: depth + 1, body)
                }
            } else {
                for i in 0..<leaf.count {
                    try forEachLink(in: try leaf.stored(i), depth: depth + 1, body)
                }
            }
        }
    }

    /// Updates backlinks after the value of `column` in `object` changed from `old` to `new`, and
    /// frees nodes that only `old` used.
    func linkChange(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, from old: Value,
        to new: Value
    ) throws(RealmError) {
        var orphans: [ObjectLink] = []
        try addBacklinks(editor, object, column, of: new)
        try forEachLink(in: old) { (link) throws(RealmError) in
            if try self.removeBacklink(editor, object, column, to: link) { orphans.append(link) }
        }
        if let root = old.collectionRoot, root != new.collectionRoot {
            try context.freeDeep(root)
        }
        for orphan in orphans { try removeOrphan(orphan) }
    }

    /// Adds the backlinks of the links in a value.
    func addBacklinks(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, of value: Value
    ) throws(RealmError) {
        if case .link(let link) = value {
            return try addBacklink(editor, object, column, to: link)
        }
        try forEachLink(in: value) { (link) throws(RealmError) in
            try self.addBacklink(editor, object, column, to: link)
        }
    }

    /// Returns the backlink column in the link's target table for this origin. For a mixed
    /// property, creates it with the first link to that table.
    func backlinkColumn(
        _ origin: TableEditor, _ column: ColumnInfo, in target: TableEditor
    ) throws(RealmError) -> BacklinkInfo {
        if let known = target.backlink(from: origin.key, column.key) { return known }
        guard column.type == .mixed else {
            throw .corrupt(
                "the backlink column of \(origin.className).\(column.name) is missing",
                in: target.className)
        }
        log.pointee.typedLinkChange(origin.key, column.key, target.key)
        return try addBacklinkColumn(to: target, origin: origin.key, originColumn: column.key)
    }

    private func addBacklink(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, to link: ObjectLink
    ) throws(RealmError) {
        let target = try self.editor(link.table)
        let backlink = try backlinkColumn(editor, column, in: target)
        try target.addBacklink(backlink.leafIndex, of: link.key, from: object)
    }

    /// Removes a backlink. Returns true if the target lost its last incoming link and must be
    /// deleted, as an embedded object or a tombstone.
    func removeBacklink(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, to link: ObjectLink
    ) throws(RealmError) -> Bool {
        let target = try self.editor(link.table)
        guard let backlink = target.backlink(from: editor.key, column.key) else { return false }
        // Links in mixed properties may have lost their backlink already (a defect of the reference
        // engine).
        guard try target.exists(link.key) else { return false }
        _ = try target.removeBacklink(backlink.leafIndex, of: link.key, from: object)
        guard target.kind == .embedded || link.key.isUnresolved else { return false }
        return try target.hasNoBacklinks(link.key)
    }

    /// Deletes an embedded object or a tombstone, if it has no incoming link.
    func removeOrphan(_ link: ObjectLink) throws(RealmError) {
        let target = try editor(link.table)
        guard try target.exists(link.key), try target.hasNoBacklinks(link.key) else { return }
        if link.key.isUnresolved {
            try target.dropBacklinks(link.key)
            try target.tombstones()?.remove(link.key)
            target.markDirty()
        } else {
            try removeObjects([link])
        }
    }

    /// Throws `misuse` unless the links in a value refer to existing objects that are not embedded
    /// or asymmetric.
    func checkTarget(_ value: Value) throws(RealmError) {
        switch value {
        case .link(let link): try checkTarget(link)
        case .list, .set, .dictionary:
            try forEachLink(in: value) { (link) throws(RealmError) in try self.checkTarget(link) }
        default: return
        }
    }

    private func checkTarget(_ link: ObjectLink) throws(RealmError) {
        let target = try editor(link.table)
        guard target.kind == .topLevel else {
            throw .misuse("objects of \(target.className) cannot be linked to", reason: "embedded")
        }
        guard try target.exists(link.key) else { throw Self.noObject(target, link.key) }
    }
}

extension ElementType {
    /// Whether elements can be links or contain links.
    var mayHoldLinks: Bool { type == .link || type == .mixed || type == .typedLink }
}

extension Value {
    /// Root of a collection, none if it was never filled; nil for other values.
    var collectionRoot: Ref? {
        switch self {
        case .list(let view), .set(let view), .dictionary(let view): view.root
        default: nil
        }
    }

    /// Returns the same collection with another root.
    func replacingRoot(_ root: Ref) -> Value {
        switch self {
        case .list(let v): .list(CollectionView(root: root, element: v.element, key: v.key))
        case .set(let v): .set(CollectionView(root: root, element: v.element, key: v.key))
        case .dictionary(let v):
            .dictionary(CollectionView(root: root, element: v.element, key: v.key))
        default: self
        }
    }
}
