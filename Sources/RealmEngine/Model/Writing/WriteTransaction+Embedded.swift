/// Embedded objects, each of which is owned by the one object that links to it.
extension WriteTransaction {
    /// An embedded object that the transaction created, or the owner of one.
    struct NestedObject {
        let link: ObjectLink
        /// Nesting depth in objects and collections; 0 for an object that is not embedded.
        let level: Int
    }

    /// Creates an embedded object as the value of a single-link property; deletes the previous one.
    public func createEmbedded(
        _ table: TableKey, _ object: ObjectKey, _ column: Int
    ) throws(RealmError) -> ObjectKey {
        let editor = try openEditor(table)
        let info = editor.columns[column]
        guard info.collection == nil else {
            throw .misuse("property \(info.name) is a collection", reason: "type")
        }
        guard try editor.exists(object) else { throw Self.noObject(editor, object) }
        let link = try makeEmbedded(info, of: ObjectLink(table: table, key: object))
        try setCell(editor, object, info, .link(link))
        return link.key
    }

    /// Creates an embedded object for `column` of `owner`; the caller must link it at once. Throws
    /// `misuse` beyond the nesting depth that readers accept.
    func makeEmbedded(
        _ column: ColumnInfo, of owner: ObjectLink
    ) throws(RealmError) -> ObjectLink {
        guard column.type == .link else {
            throw .misuse("property \(column.name) holds no objects", reason: "type")
        }
        let target = try editor(column.target)
        guard target.kind == .embedded else {
            throw .misuse("class \(target.className) is not embedded", reason: "embedded")
        }
        let level = try level(of: owner) + column.embeddedLevels
        guard level <= EmbeddedNesting.deepestObject else {
            throw .misuse(
                "embedded objects do not nest deeper than \(EmbeddedNesting.deepestObject) levels",
                reason: "depth")
        }
        let link = ObjectLink(table: column.target, key: try insertEmbedded(target))
        nesting.append(NestedObject(link: link, level: level))
        return link
    }

    /// Returns the nesting depth of `object`. Afterwards it is the last element of `nesting`,
    /// unless it is not embedded. Objects are usually created in nesting order.
    private func level(of object: ObjectLink) throws(RealmError) -> Int {
        guard try editor(object.table).kind == .embedded else {
            nesting.removeAll(keepingCapacity: true)
            return 0
        }
        if let i = nesting.lastIndex(where: { $0.link == object }) {
            nesting.removeSubrange((i + 1)...)
            return nesting[i].level
        }
        var (level, next) = (0, object)
        // In a damaged file, embedded objects may contain themselves.
        while level < EmbeddedNesting.limit, let owner = try owner(of: next) {
            level += owner.column.embeddedLevels
            next = owner.object
        }
        nesting = [NestedObject(link: object, level: level)]
        return level
    }

    /// Returns the owner of an embedded object and the owning property; nil for one that is not
    /// embedded.
    private func owner(
        of object: ObjectLink
    ) throws(RealmError) -> (object: ObjectLink, column: ColumnInfo)? {
        let editor = try editor(object.table)
        guard editor.kind == .embedded else { return nil }
        for backlink in editor.backlinks {
            guard
                let key = try editor.backlinkOrigins(backlink.leafIndex, of: object.key).first,
                backlink.origin.slot < directory.slots.count
            else { continue }
            let origin = try self.editor(backlink.origin)
            guard let column = origin.columnIndex(backlink.originColumn) else { continue }
            return (ObjectLink(table: origin.key, key: key), origin.columns[column])
        }
        return nil
    }
}

extension ColumnInfo {
    /// Nesting levels that the property adds: the embedded object itself, and the collection that
    /// contains it.
    var embeddedLevels: Int { collection == nil ? 1 : 2 }
}
