@testable import RealmEngine

extension PlainValue {
    /// Copies a value read from `snapshot`.
    init(_ value: Value, _ snapshot: Snapshot) throws {
        switch value {
        case .null: self = .null
        case .int(let v): self = .int(v)
        case .bool(let v): self = .bool(v)
        case .float(let v): self = .float(v.bitPattern)
        case .double(let v): self = .double(v.bitPattern)
        case .string(let v): self = .string(v.bytes)
        case .binary(let v): self = .binary(v.bytes)
        case .timestamp(let v): self = .timestamp(v)
        case .decimal(let v): self = .decimal(v)
        case .objectID(let v): self = .objectID(v)
        case .uuid(let v): self = .uuid(v)
        case .link(let v): self = .link(v)
        case .list(let view): self = .list(try Self.elements(view, snapshot))
        case .set(let view): self = .set(try Self.elements(view, snapshot))
        case .dictionary(let view): self = .dictionary(try Self.entries(view, snapshot))
        }
    }

    private static func elements(
        _ view: CollectionView, _ snapshot: Snapshot
    ) throws -> [PlainValue] {
        var all: [PlainValue] = []
        var cursor = snapshot.elements(of: view)
        while let value = try cursor.next() { all.append(try PlainValue(value, snapshot)) }
        return all
    }

    private static func entries(
        _ view: CollectionView, _ snapshot: Snapshot
    ) throws -> [PlainEntry] {
        var all: [PlainEntry] = []
        var cursor = try snapshot.entries(of: view)
        while let (key, value) = try cursor.next() {
            all.append(
                PlainEntry(key: keyBytes(key), value: try PlainValue(value, snapshot)))
        }
        return all
    }

    /// Returns the bytes of a dictionary key. Integer keys, which only realm-core's C++ API can
    /// create, are converted to decimal text.
    static func keyBytes(_ key: Value) -> [UInt8] {
        switch key {
        case .string(let bytes): bytes.bytes
        case .int(let number): Array("\(number)".utf8)
        default: []
        }
    }
}

extension ModelDatabase {
    /// Creates a model with the content of a file that another program wrote.
    init(_ snapshot: Snapshot) throws {
        schemaVersion = snapshot.schema.version
        for info in snapshot.schema.tables where info.isClass {
            var table = Table(name: info.className, kind: info.kind)
            for (i, column) in info.columns.enumerated() {
                table.columns.append(Column(column, isPrimaryKey: info.primaryKey == i))
            }
            let scan = snapshot.table(info).scan(columns: Array(info.columns.indices))
            while try scan.next() {
                for row in 0..<scan.count {
                    let key = scan.key(row).raw
                    table.keys.append(key)
                    table.objects[key] = try info.columns.indices.map {
                        try PlainValue(scan.value(row: row, column: $0), snapshot)
                    }
                }
            }
            tables[info.key] = table
        }
    }
}

extension ModelDatabase.Column {
    fileprivate init(_ column: ColumnInfo, isPrimaryKey: Bool) {
        self.init(
            name: column.name, type: column.type, isOptional: column.isNullable,
            isPrimaryKey: isPrimaryKey)
        collection = column.collection
        target = column.target
        index = column.index
        isForeign = column.hasIntegerKeys || (index != .none && collection != nil)
    }
}
