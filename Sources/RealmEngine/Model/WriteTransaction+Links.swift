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
            var cursor = ElementCursor(context.space, view)
            while let element = try cursor.nextStored() {
                try forEachLink(in: element, depth: depth + 1, body)
            }
        case .dictionary(let view):
            guard view.element.mayHoldLinks else { return }
            var cursor = try DictionaryCursor(context.space, view, clustered: false)
            while let (_, element) = try cursor.nextStored() {
                try forEachLink(in: element, depth: depth + 1, body)
            }
        default: return
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
        if let known = target.backlinks.first(where: {
            $0.origin == origin.key && $0.originColumn == column.key
        }) {
            return known
        }
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
        guard
            let backlink = target.backlinks.first(where: {
                $0.origin == editor.key && $0.originColumn == column.key
            })
        else { return false }
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

    // MARK: Embedded objects

    /// Creates an embedded object as the value of a single-link property, deleting what was there.
    public func createEmbedded(
        _ table: TableKey, _ object: ObjectKey, _ column: Int
    ) throws(RealmError) -> ObjectKey {
        let editor = try openEditor(table)
        let info = editor.columns[column]
        guard info.collection == nil else {
            throw .misuse("property \(info.name) is a collection", reason: "type")
        }
        guard try editor.exists(object) else { throw Self.noObject(editor, object) }
        let link = try makeEmbedded(info)
        try setCell(editor, object, info, .link(link))
        return link.key
    }

    /// An embedded object for `column`, which its caller links right away.
    func makeEmbedded(_ column: ColumnInfo) throws(RealmError) -> ObjectLink {
        guard column.type == .link else {
            throw .misuse("property \(column.name) holds no objects", reason: "type")
        }
        let target = try editor(column.target)
        guard target.kind == .embedded else {
            throw .misuse("class \(target.className) is not embedded", reason: "embedded")
        }
        return ObjectLink(
            table: column.target, key: try insertEmbedded(target))
    }

    // MARK: Deleting

    /// Deletes an object: links to it become null or disappear from their collections, embedded
    /// objects it owns go with it (object format 6.3).
    public func remove(_ table: TableKey, _ object: ObjectKey) throws(RealmError) {
        let editor = try openEditor(table)
        var orphans: [ObjectLink] = []
        guard try removeObject(object, in: editor, &orphans) else {
            throw Self.noObject(editor, object)
        }
        if !orphans.isEmpty { try removeObjects(orphans) }
    }

    /// Deletes the given objects and whatever they leave orphaned.
    func removeObjects(_ first: [ObjectLink]) throws(RealmError) {
        var pending = first
        while let link = pending.popLast() {
            _ = try removeObject(link.key, in: try editor(link.table), &pending)
        }
    }

    /// Deletes one object and adds those nothing leads to any more to `orphans`; false when it does not
    /// exist.
    private func removeObject(
        _ object: ObjectKey, in editor: TableEditor, _ orphans: inout [ObjectLink]
    ) throws(RealmError) -> Bool {
        guard try editor.reaches(object) else { return false }
        let shape = try editor.shape()
        if shape.receivesLinks { try nullifyLinks(to: object, in: editor) }
        try editor.removeFromIndexes(object, shape)
        for i in shape.holders { try releaseLinks(of: object, in: editor, i, &orphans) }
        if shape.receivesLinks { try editor.dropBacklinks(object) }
        try editor.clusters().remove(object)
        if editor.kind != .embedded || !editor.created.pointee.contains(object.raw) {
            log.pointee.removeObject(editor.key, object)
        }
        return true
    }

    /// The object's own links in one property lose their other ends and its collection is let go;
    /// adds the objects nothing leads to any more to `orphans`.
    private func releaseLinks(
        of object: ObjectKey, in editor: TableEditor, _ i: Int, _ orphans: inout [ObjectLink]
    ) throws(RealmError) {
        let column = editor.columns[i]
        var lost: [ObjectLink] = []
        let value = try editor.value(object, column)!
        try forEachLink(in: value) { (link) throws(RealmError) in
            if link.table == editor.key, link.key == object { return }
            if try self.removeBacklink(editor, object, column, to: link) { lost.append(link) }
        }
        if let root = value.collectionRoot {
            try context.freeDeep(root)
            // The cell must not lead to what was let go.
            try editor.setCell(object, column.leafIndex, Defaults.value(column))
        }
        for link in lost where link.key.isUnresolved { try removeOrphan(link) }
        orphans += lost.lazy.filter { !$0.key.isUnresolved }
    }

    /// Every link to `object` becomes null or disappears.
    func nullifyLinks(to object: ObjectKey, in editor: TableEditor) throws(RealmError) {
        let gone = ObjectLink(table: editor.key, key: object)
        for backlink in editor.backlinks {
            let origins = try editor.backlinkOrigins(backlink.leafIndex, of: object)
            guard !origins.isEmpty, backlink.origin.slot < directory.slots.count else { continue }
            let origin = try self.editor(backlink.origin)
            guard let index = origin.columnIndex(backlink.originColumn) else { continue }
            for key in Set(origins.map(\.raw)).sorted() {
                if origin.key == editor.key, key == object.raw { continue }
                try nullify(origin, ObjectKey(key), origin.columns[index], gone)
            }
        }
    }

    /// Removes every occurrence of `gone` from one property of one object.
    private func nullify(
        _ origin: TableEditor, _ object: ObjectKey, _ column: ColumnInfo, _ gone: ObjectLink
    ) throws(RealmError) {
        guard let value = try origin.value(object, column) else { return }
        let isLogged = !origin.created.pointee.contains(object.raw)
        switch value {
        case .link(let link) where link == gone:
            if column.index != .none {
                try origin.changeIndex(column, object, from: value, to: .null)
            }
            try origin.setCell(object, column.leafIndex, .null)
            if isLogged { log.pointee.set(origin.key, column.key, object) }
        case .list, .set, .dictionary:
            let edited = try CollectionNullifier(self, gone).edit(value)
            guard edited.hasChanged else { return }
            try origin.setCell(object, column.leafIndex, value.replacingRoot(edited.root))
            if isLogged {
                if column.collection == nil {
                    log.pointee.set(origin.key, column.key, object)
                } else {
                    for i in edited.erased.reversed() {
                        log.pointee.change(origin.key, column.key, object, .erase(i))
                    }
                    for i in edited.nulled {
                        log.pointee.change(origin.key, column.key, object, .set(i))
                    }
                }
            }
        default: return
        }
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

/// Takes the links to a deleted object out of a collection and of those nested in it: elements
/// disappear, dictionary values become null.
struct CollectionNullifier {
    private let transaction: WriteTransaction
    private let gone: ObjectLink

    init(_ transaction: WriteTransaction, _ gone: ObjectLink) {
        self.transaction = transaction
        self.gone = gone
    }

    struct Result {
        var root: Ref
        /// Not to be told from the root, which may have changed in its place.
        var hasChanged = false
        /// Indexes of the elements that disappeared, ascending.
        var erased: [Int] = []
        var nulled: [Int] = []
    }

    private var context: EditContext { transaction.context }

    func edit(_ value: Value, depth: Int = 0) throws(RealmError) -> Result {
        guard depth <= 100 else {
            throw .corrupt("collections nested deeper than 100", in: "value")
        }
        switch value {
        case .list(let view), .set(let view): return try editElements(view, depth)
        case .dictionary(let view): return try editEntries(view, depth)
        default: return Result(root: .none)
        }
    }

    private func editElements(_ view: CollectionView, _ depth: Int) throws(RealmError) -> Result {
        var result = Result(root: view.root)
        guard !view.root.isNone, view.element.mayHoldLinks else { return result }
        let editor = try SequenceEditor(context, root: view.root, element: view.element)
        var changed = false
        var i = editor.count - 1
        while i >= 0 {
            let value = try editor.value(at: i)
            if case .link(let link) = value, link == gone {
                try editor.remove(at: i)
                result.erased.insert(i, at: 0)
                changed = true
            } else if let replaced = try editNested(value, depth) {
                try editor.set(replaced, at: i)
                changed = true
            }
            i -= 1
        }
        if changed { result.root = try editor.finish() }
        result.hasChanged = changed
        return result
    }

    private func editEntries(_ view: CollectionView, _ depth: Int) throws(RealmError) -> Result {
        var result = Result(root: view.root)
        guard !view.root.isNone, view.element.mayHoldLinks else { return result }
        let node = try context.space.refNode(view.root, slots: 2, "dictionary")
        for i in 0..<2 { try context.nodes.check(node.slot(i).ref, in: view.root) }
        let values = try SequenceEditor(context, root: node.slot(1).ref, element: .mixed)
        for i in 0..<values.count {
            let value = try values.value(at: i)
            if case .link(let link) = value, link == gone {
                try values.set(.null, at: i)
                result.nulled.append(i)
            } else if let replaced = try editNested(value, depth) {
                try values.set(replaced, at: i)
                result.nulled.append(i)
            }
        }
        if result.nulled.isEmpty { return result }
        let keys = node.slot(0).raw
        try context.free(view.root)
        result.root = try context.encoder.refs([keys, try values.finish().raw])
        result.hasChanged = true
        return result
    }

    private func editNested(_ value: Value, _ depth: Int) throws(RealmError) -> Value? {
        guard value.collectionRoot != nil else { return nil }
        let edited = try edit(value, depth: depth + 1)
        return edited.hasChanged ? value.replacingRoot(edited.root) : nil
    }
}
