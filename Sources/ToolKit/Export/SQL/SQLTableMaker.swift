import RealmEngine

/// Creates descriptions of SQL tables for classes and their collection properties.
final class SQLTableMaker {
    private let snapshot: Snapshot
    private let schema: Schema
    private let dialect: SQLDialect
    private let isWhole: Bool
    private(set) var notices: [String] = []

    init(_ snapshot: Snapshot, _ dialect: SQLDialect, isWhole: Bool) {
        self.snapshot = snapshot
        self.dialect = dialect
        self.isWhole = isWhole
        schema = snapshot.schema
    }

    /// Returns the table of a class. Its collections have tables of their own.
    func table(_ info: TableInfo) throws(RealmError) -> SQLTable {
        var table = SQLTable(info.className, "class \(info.className)", info)
        let key = keyColumn(info)
        table.primaryKey = [key.name]
        if case .key = key.source { table.columns.append(key) }
        if isWhole, info.kind == .embedded {
            table.columns += OwnerPart.allCases.map {
                SQLColumn(name: free($0.columnName, info), kind: .text, source: .owner($0))
            }
        }
        for (index, column) in info.columns.enumerated() where column.collection == nil {
            table.columns.append(try self.column(column, info, index, .property(index)))
            if index == info.primaryKey {
                if column.isNullable { table.unique.append(column.name) }
            } else if column.index == .general {
                table.indexes.append(column.name)
            } else if column.index == .fullText {
                notices.append("\(info.className).\(column.name): the full-text index is omitted")
            }
        }
        return table
    }

    /// Returns the table of a collection property. Its columns are the owner, the position or key,
    /// and the value.
    func relation(_ info: TableInfo, _ index: Int) throws(RealmError) -> SQLTable {
        let property = info.columns[index]
        let kind = property.collection ?? .list
        var table = SQLTable(
            "\(info.className)_\(property.name)",
            "the \(kind.rawValue) \(info.className).\(property.name)", info, collection: index)
        let key = keyColumn(info)
        var owner = SQLColumn(name: "owner", kind: key.kind, source: key.source, isRequired: true)
        owner.reference = SQLColumn.Reference(table: info.className, column: key.name)
        table.columns = [owner]
        switch kind {
        case .list:
            add("position", .int, .elementIndex, to: &table)
        case .dictionary:
            add("key", property.hasIntegerKeys ? .int : .text, .elementKey, to: &table)
        case .set: table.indexes.append("owner")
        }
        table.columns.append(try column(property, info, index, .element))
        if property.index == .general { table.indexes.append("value") }
        return table
    }

    private func add(
        _ name: String, _ kind: SQLKind, _ source: SQLColumn.Source, to table: inout SQLTable
    ) {
        table.columns.append(SQLColumn(name: name, kind: kind, source: source, isRequired: true))
        table.primaryKey = ["owner", name]
    }

    private func column(
        _ column: ColumnInfo, _ info: TableInfo, _ index: Int, _ source: SQLColumn.Source
    ) throws(RealmError) -> SQLColumn {
        let isElement = column.collection != nil
        let kind =
            column.type == .timestamp ? try dateKind(info, index) : kind(column)
        var result = SQLColumn(
            name: isElement ? "value" : column.name, kind: kind, source: source)
        result.isMixed = column.type == .mixed
        result.isRequired =
            !column.isNullable && column.type != .link && column.type != .mixed
            && column.type != .typedLink
        if isWhole, column.type == .link, let target = schema.table(column.target) {
            result.reference = SQLColumn.Reference(
                table: target.className, column: keyColumn(target).name)
        }
        return result
    }

    private func kind(_ column: ColumnInfo) -> SQLKind {
        switch column.type {
        case .int: .int
        case .bool: .bool
        case .float: .float
        case .double: .double
        case .decimal: .decimal
        case .string: .text
        case .binary: .bytes
        case .objectID: .objectID
        case .uuid: .uuid
        case .timestamp: .dateText
        case .link: linkKind(column)
        default: .json
        }
    }

    private func linkKind(_ column: ColumnInfo) -> SQLKind {
        guard let target = schema.table(column.target), isWhole || target.kind != .embedded else {
            return .json
        }
        return keyColumn(target).kind
    }

    /// Returns the column to which foreign keys of other SQL tables refer: the primary key, or the
    /// object key if there is no primary key or it can be null.
    private func keyColumn(_ info: TableInfo) -> SQLColumn {
        if let index = info.sqlKey {
            let column = info.columns[index]
            return SQLColumn(
                name: column.name, kind: kind(column), source: .property(index), isRequired: true)
        }
        return SQLColumn(
            name: free(PropertyPath.keyName, info), kind: .int, source: .key, isRequired: true)
    }

    /// Appends underscores to a name until no property of the class has it.
    private func free(_ name: String, _ info: TableInfo) -> String {
        let taken = Set(info.columns.map { dialect.identity($0.name) })
        var name = name
        while taken.contains(dialect.identity(name)) { name += "_" }
        return name
    }
}

extension TableInfo {
    /// Index of the property by which SQL references objects of the class. Nil if the object key is
    /// used, because there is no primary key or it can be null. In SQL, a null reference would mean
    /// no link.
    var sqlKey: Int? {
        guard kind != .embedded, let primaryKey, !columns[primaryKey].isNullable else { return nil }
        return primaryKey
    }
}

// MARK: - Dates

extension SQLTableMaker {
    /// Returns an SQL kind that can hold every date of the property. All dates are read, because
    /// the type must be known before the first row.
    private func dateKind(_ info: TableInfo, _ index: Int) throws(RealmError) -> SQLKind {
        if dialect == .sqlite { return .dateText }
        let kind = try DateSpan(of: index, info, snapshot).kind(dialect)
        if kind == .dateText {
            notices.append(
                "\(info.className).\(info.columns[index].name) is text: some of its dates are out "
                    + "of range in \(dialect.title)")
        }
        return kind
    }
}

extension DateSpan {
    fileprivate func kind(_ dialect: SQLDialect) -> SQLKind {
        if !hasNanoseconds, isWithinYears { return .date }
        return dialect == .duckdb && fitsNanoseconds ? .dateNanoseconds : .dateText
    }
}
