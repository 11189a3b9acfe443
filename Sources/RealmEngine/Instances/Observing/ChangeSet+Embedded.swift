extension ChangeSet {
    /// Returns the changes with the owners of changed embedded objects marked as modified. The
    /// changed property is the one that contains the embedded object.
    ///
    /// - Parameter new: the newer of the compared versions. Throws `corrupt`.
    package func attributingEmbedded(in new: Snapshot) throws(RealmError) -> ChangeSet {
        var result = self
        var pending: [ObjectLink] = []
        for changes in tables where changes.new?.kind == .embedded {
            pending += changes.modifications.map { ObjectLink(table: changes.table, key: $0) }
        }
        while let object = pending.popLast() {
            guard let owner = try Self.owner(of: object, in: new) else { continue }
            let key = owner.object.table
            var changes =
                result[key]
                ?? TableChanges(old: new.schema.table(key), new: new.schema.table(key))
            let isKnown = changes.modification(of: owner.object.key) != nil
            changes.markModified(owner.object.key, column: owner.column)
            result[key] = changes
            // This loop ends, because each new object in `pending` was not marked as modified
            // before.
            if !isKnown, changes.new?.kind == .embedded, !changes.isInserted(owner.object.key) {
                pending.append(owner.object)
            }
        }
        return result
    }

    /// Returns the owner of an embedded object, and the property that contains the object; nil if
    /// there is no owner.
    static func owner(
        of object: ObjectLink, in snapshot: Snapshot
    ) throws(RealmError) -> (object: ObjectLink, column: Int)? {
        let table = try snapshot.table(object.table)
        guard let row = try table.row(object.key) else { return nil }
        for backlink in table.info.backlinks {
            var origins = try row.backlinks(backlink)
            guard let key = try origins.next(), let origin = snapshot.schema.table(backlink.origin),
                let column = origin.columns.firstIndex(where: { $0.key == backlink.originColumn })
            else { continue }
            return (ObjectLink(table: origin.key, key: key), column)
        }
        return nil
    }
}
