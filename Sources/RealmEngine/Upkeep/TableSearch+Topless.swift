/// Tables of which no top is left, in no version.
extension TableSearch {
    /// Adds what the columns alone tell: their keys name the table they were made for (object format
    /// 1.4), and those of other tables where links lead. What the primary key is nobody tells any more;
    /// without one the objects could not be told apart, and the table is left out.
    func addTopless() {
        var specs: [TableKey: Ref] = [:]
        for ref in nodes.specs {
            if let key = tableKey(spec: ref) { specs[key] = ref }
        }
        for (key, ref) in specs.sorted(by: { $0.key.raw < $1.key.raw }) {
            guard !tables.contains(where: { $0.key.slot == key.slot }), let name = name(of: key),
                name.hasPrefix(TableInfo.classPrefix), let info = topless(key, ref, name)
            else { continue }
            add(info)
            losses.append(
                .property(
                    className: info.className, property: info.columns[0].name,
                    why: "that it is the primary key is a guess, as the table itself is lost"))
        }
    }

    /// The table whose columns these are, all of which were made before one was removed.
    private func tableKey(spec ref: Ref) -> TableKey? {
        guard let node = try? space.refNode(ref, slots: 6, "spec"),
            let types = try? space.integers(node.slot(0).ref, "column types"),
            let keys = try? space.integers(node.slot(5).ref, "column keys"),
            1..<1 << 16 ~= keys.count, types.count == keys.count, work.spend(keys.count)
        else { return nil }
        let all = (0..<keys.count).map { ColumnKey(keys.integer($0)) }
        guard all.allSatisfy({ $0.raw >= 0 && $0.tag == all[0].tag }) else { return nil }
        return TableKey(all[0].tag)
    }

    private func topless(_ key: TableKey, _ spec: Ref, _ name: String) -> TableInfo? {
        let read = try? reader.columns(spec: spec) { column in
            let target = tables.first { other in
                other.backlinks.contains { $0.origin == key && $0.originColumn == column }
            }
            return target?.key ?? .none
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
    /// What everybody calls and makes their primary key.
    fileprivate var canBePrimaryKey: Bool {
        guard collection == nil, !isIndexed, ["_id", "id"].contains(name.lowercased()) else {
            return false
        }
        return [.int, .string, .objectID, .uuid].contains(type)
    }
}
