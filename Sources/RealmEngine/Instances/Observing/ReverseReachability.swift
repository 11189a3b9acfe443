/// Objects of a class from which a modified object can be reached through a limited number of
/// links. The search begins at the modified objects and follows backlinks, because a commit
/// modifies few objects, while a collection may contain millions.
struct ReverseReachability {
    /// Maximum number of objects that the search visits. If there are more, checking each object of
    /// the observed collection costs no more than the search.
    private static let limit = 1000

    /// Quick filter that rejects most keys: one bit for each value of the lowest six bits of a key.
    /// A bit is set if a key in `keys` has these lowest six bits.
    private(set) var digits: UInt64 = 0
    private var keys: Set<ObjectKey> = []

    /// Finds the objects of `table` from which a modified object can be reached. Nil if that would
    /// visit more than `limit` objects. Throws `corrupt`.
    init?(
        to changes: ChangeSet, in table: TableKey, within depth: Int, _ new: Snapshot
    ) throws(RealmError) {
        var found: Set<ObjectLink> = []
        for changed in changes.tables {
            if changed.modifications.count > Self.limit { return nil }
            for key in changed.modifications {
                found.insert(ObjectLink(table: changed.table, key: key))
            }
        }
        var last = Array(found)
        for _ in 0..<depth where !last.isEmpty {
            var next: [ObjectLink] = []
            for object in last {
                if found.count > Self.limit { return nil }
                try Self.origins(of: object, new) { origin in
                    if found.count <= Self.limit, found.insert(origin).inserted {
                        next.append(origin)
                    }
                }
            }
            last = next
        }
        if found.count > Self.limit { return nil }
        for object in found where object.table == table {
            keys.insert(object.key)
            digits |= Self.digit(object.key)
        }
    }

    func contains(_ key: ObjectKey) -> Bool {
        digits & Self.digit(key) != 0 && keys.contains(key)
    }

    var sortedKeys: [ObjectKey] { keys.ordered(by: <) }

    static func digit(_ key: ObjectKey) -> UInt64 { 1 << UInt64(key.raw & 63) }

    /// Calls `body` with the objects that link to an object in the version of `snapshot`.
    private static func origins(
        of object: ObjectLink, _ snapshot: Snapshot, _ body: (ObjectLink) -> Void
    ) throws(RealmError) {
        guard let info = snapshot.schema.table(object.table), !info.backlinks.isEmpty,
            let row = try snapshot.table(info).row(object.key)
        else { return }
        for backlink in info.backlinks {
            var cursor = try row.backlinks(backlink)
            var left = limit + 1
            while left > 0, let key = try cursor.next() {
                left -= 1
                body(ObjectLink(table: backlink.origin, key: key))
            }
        }
    }
}
