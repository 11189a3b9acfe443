@testable import RealmEngine

extension ModelDatabase {
    /// Returns the first difference between the model and `snapshot`; nil if there is none.
    func difference(_ snapshot: Snapshot, backlinks: Bool = true) throws -> String? {
        snapshot.beginWalk()
        let schema = snapshot.schema
        if !schema.tables.isEmpty, schema.version != schemaVersion {
            return "schema version \(String(describing: schema.version))"
        }
        let classes = schema.tables.filter(\.isClass)
        if classes.count != tables.count { return "\(classes.count) classes of \(tables.count)" }
        for (key, table) in tables {
            guard let info = schema.table(key) else { return "class \(table.name) is missing" }
            if let difference = try difference(table, snapshot.table(info)) {
                return "\(table.name): \(difference)"
            }
        }
        return backlinks ? try backlinkDifference(snapshot) : nil
    }

    private func difference(_ table: Table, _ stored: RealmEngine.Table) throws -> String? {
        let info = stored.info
        if info.className != table.name || info.kind != table.kind { return "name or kind" }
        if info.columns.count != table.columns.count { return "\(info.columns.count) columns" }
        for (column, expected) in zip(info.columns, table.columns) {
            guard column.name == expected.name, column.type == expected.type,
                column.isNullable == expected.isOptional,
                column.collection == expected.collection, column.target == expected.target,
                column.index == (expected.isPrimaryKey ? .general : expected.index)
            else { return "column \(column.name) against \(expected)" }
        }
        if info.primaryKey != table.primaryKey { return "primary key" }
        guard try stored.count() == table.objects.count else {
            return "\(try stored.count()) objects of \(table.objects.count)"
        }
        let scan = stored.scan(columns: Array(info.columns.indices))
        var seen = 0
        while try scan.next() {
            for row in 0..<scan.count {
                seen += 1
                if let difference = try difference(table, scan, row) { return difference }
            }
        }
        return seen == table.objects.count ? nil : "\(seen) objects scanned"
    }

    private func difference(_ table: Table, _ scan: TableScan, _ row: Int) throws -> String? {
        let key = scan.key(row).raw
        guard let values = table.objects[key] else { return "object \(key) should not exist" }
        for (i, expected) in values.enumerated() {
            let value = try scan.value(row: row, column: i)
            if try !expected.equals(value, scan.table.snapshot) {
                let found = try PlainValue(value, scan.table.snapshot)
                return "object \(key) \(table.columns[i].name): \(found) instead of \(expected)"
            }
        }
        return nil
    }

    // MARK: Backlinks

    private struct Origin: Hashable {
        let target: ObjectLink
        let table: TableKey
        let column: ColumnKey
    }

    private func backlinkDifference(_ snapshot: Snapshot) throws -> String? {
        var expected: [Origin: [Int64]] = [:]
        for (key, table) in tables {
            for (i, column) in table.columns.enumerated() where column.mayHoldLinks {
                let columnKey = snapshot.schema.table(key)!.columns[i].key
                for (object, values) in table.objects {
                    values[i].forEachLink {
                        expected[
                            Origin(target: $0, table: key, column: columnKey), default: []
                        ].append(object)
                    }
                }
            }
        }
        for info in snapshot.schema.tables where !info.backlinks.isEmpty {
            let scan = snapshot.table(info).scan(columns: [])
            while try scan.next() {
                for row in 0..<scan.count {
                    if let difference = try difference(scan.row(row), &expected) {
                        return difference
                    }
                }
            }
        }
        return expected.first.map { "no backlinks for \($0)" }
    }

    private func difference(
        _ row: Row, _ expected: inout [Origin: [Int64]]
    ) throws -> String? {
        let target = ObjectLink(table: row.table.info.key, key: row.key)
        for backlink in row.table.info.backlinks {
            var cursor = try row.backlinks(backlink)
            var keys: [Int64] = []
            while let key = try cursor.next() { keys.append(key.raw) }
            let origin = Origin(
                target: target, table: backlink.origin, column: backlink.originColumn)
            let wanted = expected.removeValue(forKey: origin) ?? []
            if keys.sorted() != wanted.sorted() {
                return "backlinks of \(target) from \(backlink.origin): \(keys) not \(wanted)"
            }
        }
        return nil
    }
}
