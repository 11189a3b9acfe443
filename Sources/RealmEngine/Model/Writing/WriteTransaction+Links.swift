/// Updates backlinks when links are stored or removed (object format section 6).
extension WriteTransaction {
    /// Calls `body` with every link in a stored value: with the value itself if it is a link, or
    /// with the links in a collection and in collections nested in it.
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

    /// Calls `body` with every link in a list or set. Reads only those mixed elements that may
    /// contain links.
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

    /// Updates backlinks after the value of `column` in `object` has changed from `old` to `new`.
    /// Frees the nodes of the collection in `old` if `new` does not use them.
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

    /// Adds the backlinks of all links in a value.
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

    /// Returns the column in `target` for backlinks of `column`. A mixed property has none until
    /// its first link to that table; then creates the column.
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

    /// Removes the backlink of one link. Returns true if the target must be deleted because no link
    /// is left: it is an embedded object or a tombstone.
    func removeBacklink(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, to link: ObjectLink
    ) throws(RealmError) -> Bool {
        let target = try self.editor(link.table)
        guard let backlink = target.backlink(from: editor.key, column.key) else { return false }
        // The target may not exist, although a link refers to it: a defect of the reference engine
        // removes backlinks of links in mixed properties.
        guard try target.exists(link.key) else { return false }
        _ = try target.removeBacklink(backlink.leafIndex, of: link.key, from: object)
        guard target.kind == .embedded || link.key.isUnresolved else { return false }
        return try target.hasNoBacklinks(link.key)
    }

    /// Deletes an embedded object or a tombstone unless a link refers to it.
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

    /// Throws `misuse` if a link in the value refers to an object that does not exist, is embedded,
    /// or is asymmetric.
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
    /// Whether elements can be links, or collections that contain links.
    var mayHoldLinks: Bool { type == .link || type == .mixed || type == .typedLink }
}

extension Value {
    /// Root of a collection, none if it has never had an element; nil for other values.
    var collectionRoot: Ref? {
        switch self {
        case .list(let view), .set(let view), .dictionary(let view): view.root
        default: nil
        }
    }

    /// Returns this collection value with another root.
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
