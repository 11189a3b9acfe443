/// Finds tables whose top node is lost in all versions.
extension TableSearch {
    /// Adds tables of which only the columns are known. Column keys contain the key of their table
    /// (object format 1.4), and the backlink columns of other tables show the targets of links.
    /// Which property is the primary key is lost; tables without a plausible primary key are not
    /// added, because their objects could not be distinguished.
    func addTopless() {
        var specs: [TableKey: Ref] = [:]
        for ref in nodes.specs {
            if let key = tableKey(spec: ref) { specs[key] = ref }
        }
        let known = Set(tables.map(\.key.slot))
        let wanted = specs.filter { !known.contains($0.key.slot) && mayContainTable($0.key.slot) }
        let targets = linkTargets
        for (key, ref) in wanted.ordered(by: { $0.key.raw < $1.key.raw }).prefix(Self.most) {
            guard let name = name(of: key), name.hasPrefix(TableInfo.classPrefix),
                let info = topless(key, ref, name, targets)
            else { continue }
            add(info)
            losses.append(
                .property(
                    className: info.className, property: info.columns[0].name,
                    why: "that it is the primary key is a guess, as the table itself is lost"))
        }
    }

    /// A link column, and the table that has it.
    private struct Link: Hashable {
        let table: TableKey
        let column: ColumnKey
    }

    /// Target tables of links, according to the backlink columns of the known tables.
    private var linkTargets: [Link: TableKey] {
        var targets: [Link: TableKey] = [:]
        for info in tables {
            for backlink in info.backlinks {
                targets[Link(table: backlink.origin, column: backlink.originColumn)] = info.key
            }
        }
        return targets
    }

    /// Returns the table key that the column keys contain; nil if they differ, as they may after a
    /// column was removed.
    private func tableKey(spec ref: Ref) -> TableKey? {
        guard let node = try? space.refNode(ref, slots: SpecShape.count, "spec"),
            let types = try? space.integers(node.slot(SpecShape.types).ref, "column types"),
            let keys = try? space.integers(node.slot(SpecShape.keys).ref, "column keys"),
            1..<1 << 16 ~= keys.count, types.count == keys.count, work.spend(keys.count)
        else { return nil }
        let all = (0..<keys.count).map { ColumnKey(keys.integer($0)) }
        guard all.allSatisfy({ $0.raw >= 0 && $0.tag == all[0].tag }) else { return nil }
        return TableKey(all[0].tag)
    }

    private func topless(
        _ key: TableKey, _ spec: Ref, _ name: String, _ targets: [Link: TableKey]
    ) -> TableInfo? {
        let read = try? reader.columns(spec: spec) { column in
            targets[Link(table: key, column: column)] ?? .none
        }
        guard let (columns, backlinks) = read, let first = columns.first, first.canBePrimaryKey
        else { return nil }
        let name = naming.name(name, slot: key.slot)
        let state = TableInfo.State(
            kind: .topLevel, contentVersion: 0, nextSequenceNumber: 0, columnCounter: 0,
            collisions: .none, root: .none, tombstones: .none, top: .none)
        return TableInfo(
            key: key, name: name, columns: columns, backlinks: backlinks, primaryKey: 0,
            origin: TableInfo.Origin(spec: spec, targets: .none, targetColumns: .none), state)
    }
}

extension ColumnInfo {
    /// Whether the column has the name and type of a typical primary key.
    fileprivate var canBePrimaryKey: Bool {
        guard collection == nil, !isIndexed, ["_id", "id"].contains(name.lowercased()) else {
            return false
        }
        return type.mayBePrimaryKey
    }
}
