/// Links keep two ends: whatever stores or removes one here keeps the other right (object format
/// section 6).
extension WriteTransaction {
    /// Every link inside a stored value: itself, or the ones in its collections.
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

    /// Every link in a list or set. Mixed values of other types are passed over without being read.
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

    /// The value of `column` in `object` changed: links in the old one lose their other end, links
    /// in the new one get theirs, nodes only the old one used are let go.
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

    /// Links in a new value get their other end.
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

    /// The backlink column of the link's target for this origin; a mixed property's is made when
    /// its first link to that table appears.
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

    /// True when the target lost its last incoming link and does not survive that: an embedded
    /// object or a tombstone.
    func removeBacklink(
        _ editor: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, to link: ObjectLink
    ) throws(RealmError) -> Bool {
        let target = try self.editor(link.table)
        guard let backlink = target.backlink(from: editor.key, column.key) else { return false }
        // Values of mixed properties may have lost their other end already (a peer's defect).
        guard try target.exists(link.key) else { return false }
        _ = try target.removeBacklink(backlink.leafIndex, of: link.key, from: object)
        guard target.kind == .embedded || link.key.isUnresolved else { return false }
        return try target.hasNoBacklinks(link.key)
    }

    /// Deletes an embedded object, or a tombstone, that nothing leads to any more.
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

    /// A link must lead to an existing, embeddable-or-not-as-fits object.
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
    /// Whether elements can be links or lead to some.
    var mayHoldLinks: Bool { type == .link || type == .mixed || type == .typedLink }
}

extension Value {
    /// Root of a collection; nil for other values, none for a collection never filled.
    var collectionRoot: Ref? {
        switch self {
        case .list(let view), .set(let view), .dictionary(let view): view.root
        default: nil
        }
    }

    /// The same collection stored at another root.
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
