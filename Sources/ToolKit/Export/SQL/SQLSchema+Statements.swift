import RealmEngine

extension SQLSchema {
    /// Appends the statements before the first row.
    package func appendBeginning(to out: inout ByteBuffer) {
        out.append("-- Written by realm-query for \(dialect.title).\n")
        if dialect == .postgres {
            out.append("SET client_encoding = 'UTF8';\n")
            out.append("SET standard_conforming_strings = on;\n")
        }
        out.append("BEGIN;\n")
        for table in tables { out.append(creation(table)) }
    }

    /// Appends the statements after the last row.
    package func appendEnd(to out: inout ByteBuffer) {
        if dialect == .postgres {
            for table in tables {
                for key in foreignKeys(table) {
                    out.append("ALTER TABLE \(SQLDialect.quoted(table.name)) ADD \(key);\n")
                }
            }
        }
        var taken = Set(tables.map { dialect.identity($0.name) })
        for table in tables {
            for column in table.columns where table.indexes.contains(column.name) {
                out.append(index(column, table, &taken))
            }
        }
        out.append("COMMIT;\n")
    }

    private func creation(_ table: SQLTable) -> String {
        var lines = table.columns.map { column in
            "\(SQLDialect.quoted(column.name)) \(dialect.type(column.kind))"
                + (column.isRequired ? " NOT NULL" : "")
        }
        if !table.primaryKey.isEmpty {
            lines.append("PRIMARY KEY (\(Self.list(table.primaryKey)))")
        }
        lines += table.unique.map { "UNIQUE (\(SQLDialect.quoted($0)))" }
        if dialect != .postgres { lines += foreignKeys(table) }
        return "CREATE TABLE \(SQLDialect.quoted(table.name)) (\n  "
            + lines.joined(separator: ",\n  ") + "\n);\n"
    }

    private func foreignKeys(_ table: SQLTable) -> [String] {
        table.columns.compactMap { column in
            guard let target = column.reference else { return nil }
            // A row may be inserted before the row that it references.
            let whenever = dialect == .sqlite ? " DEFERRABLE INITIALLY DEFERRED" : ""
            return "FOREIGN KEY (\(SQLDialect.quoted(column.name))) REFERENCES "
                + "\(SQLDialect.quoted(target.table)) (\(SQLDialect.quoted(target.column)))"
                + whenever
        }
    }

    private func index(
        _ column: SQLColumn, _ table: SQLTable, _ taken: inout Set<String>
    ) -> String {
        var name = "\(table.name)_\(column.name)_index"
        // PostgreSQL truncates long names. The number that makes the name distinct is therefore at
        // the beginning.
        if dialect == .postgres { name = "index_\(taken.count)_" + name }
        while !taken.insert(dialect.identity(name)).inserted { name += "_" }
        var key = "(\(SQLDialect.quoted(column.name)))"
        if dialect == .postgres {
            switch column.kind {
            // PostgreSQL does not accept long texts in a B-tree. A hash index suffices, because an
            // index of Realm is used for equality only.
            case .text, .dateText: key = "USING hash " + key
            case .json: key = "USING hash ((\(SQLDialect.quoted(column.name))::text))"
            default: break
            }
        }
        return
            "CREATE INDEX \(SQLDialect.quoted(name)) ON \(SQLDialect.quoted(table.name)) \(key);\n"
    }

    private static func list(_ names: [String]) -> String {
        names.map(SQLDialect.quoted).joined(separator: ", ")
    }
}
