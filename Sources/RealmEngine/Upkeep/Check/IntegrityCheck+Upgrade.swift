/// Reports files whose upgrade from format 9 to 10 was interrupted (legacy format 10.2).
extension IntegrityCheck {
    /// Reports that the upgrade was interrupted. Then reads all values of the tables that the
    /// upgrade has already converted to cluster trees.
    func checkUpgrade(_ content: LegacyContent, _ top: TopArray) {
        let done = content.tables.count {
            $0.stage == .done || $0.objects != nil && $0.roots.allSatisfy(\.isNone)
        }
        found(
            .unfinishedUpgrade, top.tables,
            "an upgrade from format \(header.format) to 10 was interrupted: the objects of \(done) "
                + "of \(content.tables.count) tables have been converted")
        guard level == .full, report.errorCount == 0 else { return }
        _ = reading(top.tables) { () throws(RealmError) in
            let nodes = try LegacyNodes(mapping, content, ReadContext(mapping, limit: limit))
            let derived = ReadContext(mapping, limit: limit)
            defer { withExtendedLifetime(derived) {} }
            derived.setDerivedNodes(nodes)
            let schema = try LegacySchema(nodes, derived.walk, top).schema()
            for info in schema.tables where content.tables[info.key.slot].objects != nil {
                try readObjects(of: info, derived.walk)
            }
        }
    }

    private func readObjects(of info: TableInfo, _ space: NodeSpace) throws(RealmError) {
        table = info.name
        defer { table = nil }
        var leaves = ClusterTree(space: space, root: info.root).leaves()
        while let leaf = try leaves.next() {
            for info in info.columns {
                let column = try leaf.column(info.leafIndex, info.layout)
                for row in 0..<leaf.count {
                    guard spend(1) else { return }
                    try readElements(of: column.stored(row), space)
                }
            }
            // Backlinks are computed from the links. This throws if a link refers to a missing
            // object.
            for backlink in info.backlinks {
                _ = try space.node(leaf.columnRef(backlink.leafIndex))
            }
        }
    }

    private func readElements(of value: Value, _ space: NodeSpace) throws(RealmError) {
        guard case .list(let view) = value else { return }
        var elements = ElementCursor(space, view)
        while try elements.nextStored() != nil { guard spend(1) else { return } }
    }
}
