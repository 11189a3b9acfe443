/// Top node of a table in one of its versions, found by its shape.
struct TableVersion {
    let ref: Ref
    let key: TableKey
    /// Version of the table's content. Each commit that changes the table increments it (object
    /// format 1.14).
    let content: UInt64
    let root: Ref

    init?(_ space: NodeSpace, _ ref: Ref) {
        guard let node = try? space.refNode(ref, slots: TableShape.minimumCount, "table"),
            node.looksLikeTable
        else {
            return nil
        }
        self.ref = ref
        key = TableKey(UInt32(truncatingIfNeeded: node.slot(TableShape.key).value))
        let version = node.slot(TableShape.contentVersion)
        content = version.isTagged ? version.value : 0
        root = node.slot(TableShape.objects).ref
    }

    /// Returns the versions of each table, by table key, newest first. Reads the top nodes of
    /// tables at `refs` and omits unreadable ones. Returns at most 64 versions of a table: the ones
    /// with the highest content version (`content`).
    static func all(_ space: NodeSpace, _ refs: [Ref]) -> [TableKey: [TableVersion]] {
        var versions: [TableKey: [TableVersion]] = [:]
        for ref in refs {
            guard let version = TableVersion(space, ref) else { continue }
            versions[version.key, default: []].append(version)
        }
        return versions.mapValues {
            Array($0.ordered { ($0.content, $0.ref.raw) > ($1.content, $1.ref.raw) }.prefix(most))
        }
    }

    /// Maximum number of versions that `all` returns for each table.
    private static let most = 64
}
