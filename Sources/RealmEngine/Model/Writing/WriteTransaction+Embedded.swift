/// Embedded objects. Each is owned by the only object that links to it.
extension WriteTransaction {
    /// An embedded object that this transaction created, or that owns such an object.
    struct NestedObject {
        let link: ObjectLink
        /// Nesting depth: each embedded object from the outermost one to this one counts, and each
        /// collection that contains one. 0 for an object that is not embedded.
        let level: Int
    }

    /// Creates an embedded object as the value of a link property that is no collection; deletes
    /// the previous value.
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

    /// Creates an embedded object for property `column` of `owner`. The caller must store the link
    /// to the new object before any other change. Throws `misuse` if the object would be nested
    /// deeper than readers accept.
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

    /// Returns the nesting depth of `object` and makes the object the last element of `nesting`. If
    /// the object is not embedded, `nesting` becomes empty. Most new objects belong to an element
    /// of `nesting`, so their owners need not be searched for.
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
        // In a damaged file, an embedded object may contain itself.
        while level < EmbeddedNesting.limit, let owner = try owner(of: next) {
            level += owner.column.embeddedLevels
            next = owner.object
        }
        nesting = [NestedObject(link: object, level: level)]
        return level
    }

    /// Throws `misuse` if an object of the class to be embedded contains itself, or is nested
    /// deeper than `EmbeddedNesting.deepestObject` levels. Also throws it if a set links to the
    /// class, because sets cannot contain embedded objects.
    func checkNesting(_ table: TableKey) throws(RealmError) {
        let editor = try editor(table)
        func refuse(_ why: String) -> RealmError {
            Self.migrationFailure("Cannot convert '\(editor.className)' to embedded: \(why)")
        }
        for backlink in editor.backlinks {
            let origin = try self.editor(backlink.origin)
            guard let i = origin.columnIndex(backlink.originColumn),
                origin.columns[i].collection == .set
            else { continue }
            throw refuse(
                "a set such as '\(origin.className).\(origin.columns[i].name)' cannot contain "
                    + "embedded objects.")
        }
        for key in try keys(editor) {
            guard try level(of: ObjectLink(table: table, key: key)) > EmbeddedNesting.deepestObject
            else { continue }
            throw refuse(
                "an object contains itself, or is nested deeper than "
                    + "\(EmbeddedNesting.deepestObject) levels.")
        }
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
    /// Number of nesting levels that an embedded object in this property adds: one for the object,
    /// and one if it is in a collection.
    var embeddedLevels: Int { collection == nil ? 1 : 2 }
}
