@testable import RealmEngine

extension ModelRun {
    /// Makes one random change to both the database and the model.
    func operate(_ transaction: WriteTransaction) throws {
        if model.tables.count < 3 || values.below(1000) < shape.schemaPercent * 10 {
            return try changeSchema(transaction)
        }
        switch values.below(100) {
        case 0..<18: try create(transaction)
        case 18..<30: try removeObject(transaction)
        case 30..<34: try refused(transaction)
        default: try change(transaction)
        }
    }

    private func create(_ transaction: WriteTransaction) throws {
        current = "create"
        let all = tables { $0.kind == .topLevel }
        guard !all.isEmpty else { return }
        let table = values.pick(all)
        if model.tables[table]!.keys.count > shape.objects, values.chance(80) {
            return try removeObject(transaction)
        }
        try create(transaction, in: table)
    }

    func create(_ transaction: WriteTransaction, in table: TableKey) throws {
        var primaryKey: PlainValue?
        if let index = model.tables[table]!.primaryKey {
            let column = model.tables[table]!.columns[index]
            let value = column.isOptional && values.chance(10) ? .null : values.scalar(column.type)
            let known = model.tables[table]!.objects.first { $0.value[index] == value }
            if let known {
                try expect(
                    transaction.find(in: table, primaryKey: value.value(arena, transaction))
                        == ObjectKey(known.key), "primary key \(value)")
                return try mustThrow("a second \(value)") {
                    _ = try transaction.create(
                        in: table, primaryKey: value.value(arena, transaction))
                }
            }
            primaryKey = value
        }
        if values.chance(40) { return try createFull(transaction, table, primaryKey) }
        let key = try transaction.create(
            in: table, primaryKey: primaryKey?.value(arena, transaction))
        try expect(model.tables[table]!.objects[key.raw] == nil, "key \(key) given twice")
        model.tables[table]!.insert(key.raw)
        if let primaryKey, let index = model.tables[table]!.primaryKey {
            model.tables[table]!.objects[key.raw]![index] = primaryKey
        }
    }

    /// Creates an object in one call, with random values for all properties other than collections
    /// and embedded objects.
    private func createFull(
        _ transaction: WriteTransaction, _ table: TableKey, _ primaryKey: PlainValue?
    ) throws {
        let columns = model.tables[table]!.columns
        var row: [PlainValue] = []
        for column in columns {
            if column.isPrimaryKey {
                row.append(primaryKey!)
            } else if column.collection != nil || isEmbedded(column) {
                row.append(column.initial)
            } else {
                row.append(single(column))
            }
        }
        var wanted: ObjectKey?
        if primaryKey == nil, values.chance(20) { wanted = ObjectKey(Int64(values.below(1 << 20))) }
        let stored = try zip(row, columns).map {
            $1.collection == nil ? try $0.value(arena, transaction) : .null
        }
        let create = {
            try stored.withUnsafeBufferPointer {
                try transaction.create(in: table, values: $0, key: wanted)
            }
        }
        if let wanted, model.tables[table]!.objects[wanted.raw] != nil {
            return try mustThrow("a second object \(wanted)") { _ = try create() }
        }
        let key = try create()
        try expect(wanted == nil || key == wanted, "another key than wanted")
        try expect(model.tables[table]!.objects[key.raw] == nil, "key \(key) given twice")
        model.tables[table]!.insert(key.raw)
        model.tables[table]!.objects[key.raw] = row
    }

    private func removeObject(_ transaction: WriteTransaction) throws {
        guard let object = object() else { return }
        current = "remove \(object)"
        try transaction.remove(object.table, object.key)
        model.remove(object)
    }

    /// Changes a random property of a random object to a random value.
    private func change(_ transaction: WriteTransaction) throws {
        if let object = object() { try change(transaction, in: object.table) }
    }

    func change(_ transaction: WriteTransaction, in table: TableKey) throws {
        guard let object = object(in: table),
            let column = column(object.table, { !$0.isPrimaryKey && !$0.isForeign })
        else { return }
        let info = model.tables[object.table]!.columns[column]
        current = "set \(object) \(info)"
        if shape.editsElements, values.chance(50), info.mayEditElements(model[object, column]) {
            return try editElements(transaction, object, column, info)
        }
        switch info.collection {
        case nil where isEmbedded(info): try changeEmbedded(transaction, object, column, info)
        case nil:
            let value = single(info)
            try transaction.set(
                object.table, object.key, column, value.value(arena, transaction))
            model.set(object, column, value)
        case .dictionary: try changeDictionary(transaction, object, column, info)
        case .list, .set: try changeElements(transaction, object, column, info)
        }
    }

    private func single(_ column: ModelDatabase.Column) -> PlainValue {
        if column.isOptional, values.chance(15) { return .null }
        return element(column, depth: 3)
    }

    /// Returns a random value for the property, or for an element of a collection property; null if
    /// the class that the column links to has no objects.
    func element(_ column: ModelDatabase.Column, depth: Int) -> PlainValue {
        let inSet = column.collection == .set
        switch column.type {
        case .link: return object(in: column.target).map(PlainValue.link) ?? .null
        case .mixed:
            return values.mixed(depth: depth, inSet: inSet) { anyTarget() }
        default: return values.scalar(column.type, inSet: inSet)
        }
    }

    /// Returns a random object to which a mixed value may link.
    private func anyTarget() -> ObjectLink? {
        let all = model.tables.filter { $0.value.kind == .topLevel && !$0.value.keys.isEmpty }
            .sorted { $0.key.raw < $1.key.raw }
        guard !all.isEmpty else { return nil }
        let (key, table) = values.pick(all)
        return ObjectLink(table: key, key: ObjectKey(values.pick(table.keys)))
    }

    private func elementCount() -> Int {
        if values.below(400) == 0 { return values.below(20 * shape.elements) }
        return values.chance(20) ? 0 : values.below(shape.elements)
    }

    private func changeElements(
        _ transaction: WriteTransaction, _ object: ObjectLink, _ column: Int,
        _ info: ModelDatabase.Column
    ) throws {
        if isEmbedded(info) {
            let count = values.below(5)
            let keys = try transaction.createEmbeddedElements(
                object.table, object.key, column, count: count)
            return try adopt(object, column, keys) { .list($0) }
        }
        var all: [PlainValue] = []
        for _ in 0..<elementCount() {
            let value =
                info.isOptional && values.chance(15) ? .null : element(info, depth: 2)
            if value == .null, !info.isOptional { continue }
            all.append(value)
        }
        try transaction.setElements(
            object.table, object.key, column,
            all.map { try $0.value(arena, transaction) })
        model.set(
            object, column, info.collection == .set ? .set(ModelDatabase.asSet(all)) : .list(all))
    }

    private func changeDictionary(
        _ transaction: WriteTransaction, _ object: ObjectLink, _ column: Int,
        _ info: ModelDatabase.Column
    ) throws {
        if isEmbedded(info) {
            let entries = values.entries(values.below(5)) {
                values.chance(20) ? .null : .bool(true)
            }
            let keys = try transaction.createEmbeddedEntries(
                object.table, object.key, column,
                entries.map {
                    (.string(PlainValue.view($0.key, arena)), $0.value == .null)
                })
            try expect(
                keys.map { $0 == nil } == entries.map { $0.value == .null }, "null children")
            return try adopt(object, column, keys.compactMap { $0 }) { links in
                var left = links[...]
                return .dictionary(
                    entries.map {
                        PlainEntry(
                            key: $0.key, value: $0.value == .null ? .null : left.removeFirst())
                    })
            }
        }
        var all = values.entries(elementCount()) {
            info.isOptional && values.chance(15) ? .null : element(info, depth: 2)
        }
        if !info.isOptional { all.removeAll { $0.value == .null } }
        let shuffled = all.shuffled(using: &values.random)
        try transaction.setEntries(
            object.table, object.key, column,
            shuffled.map {
                (
                    .string(PlainValue.view($0.key, arena)),
                    try $0.value.value(arena, transaction)
                )
            })
        model.set(object, column, .dictionary(all))
    }

    private func changeEmbedded(
        _ transaction: WriteTransaction, _ object: ObjectLink, _ column: Int,
        _ info: ModelDatabase.Column
    ) throws {
        if values.chance(30) {
            try transaction.set(object.table, object.key, column, .null)
            return model.set(object, column, .null)
        }
        let key = try transaction.createEmbedded(object.table, object.key, column)
        try adopt(object, column, [key]) { $0[0] }
    }

    /// Adds new embedded objects with these keys to the model, and sets the property to the value
    /// that `value` makes of the links to them.
    private func adopt(
        _ object: ObjectLink, _ column: Int, _ keys: [ObjectKey],
        _ value: ([PlainValue]) -> PlainValue
    ) throws {
        let target = model.tables[object.table]!.columns[column].target
        for key in keys {
            try expect(model.tables[target]!.objects[key.raw] == nil, "key \(key) given twice")
            model.tables[target]!.insert(key.raw)
        }
        model.set(
            object, column,
            value(keys.map { .link(ObjectLink(table: target, key: $0)) }))
    }

    // MARK: Refused operations

    /// Makes a random call that must fail. If it changed the database, later comparisons with the
    /// model would fail.
    private func refused(_ transaction: WriteTransaction) throws {
        guard let object = object() else { return }
        current = "refuse in \(object)"
        let columns = model.tables[object.table]!.columns
        let missing = ObjectKey(1 << 40)
        guard !columns.isEmpty else {
            return try mustThrow("missing") { try transaction.remove(object.table, missing) }
        }
        let i = values.below(columns.count)
        let column = columns[i]
        if column.isForeign { return }
        if isEmbedded(column) {
            return try mustThrow("a child of nobody") {
                switch column.collection {
                case nil: _ = try transaction.createEmbedded(object.table, missing, i)
                case .dictionary:
                    let twice = values.chance(50)
                    let keys = twice ? ["a", "b", "a"] : ["a"]
                    _ = try transaction.createEmbeddedEntries(
                        object.table, twice ? object.key : missing, i,
                        keys.map { (.string(PlainValue.view(Array($0.utf8), arena)), false) })
                default:
                    _ = try transaction.createEmbeddedElements(object.table, missing, i, count: 2)
                }
            }
        }
        try refused(transaction, object, i, column, missing)
    }

    private func refused(
        _ transaction: WriteTransaction, _ object: ObjectLink, _ i: Int,
        _ column: ModelDatabase.Column, _ missing: ObjectKey
    ) throws {
        let good = try element(column, depth: 1).value(arena, transaction)
        let bad: Value =
            column.type == .mixed
            ? .link(ObjectLink(table: object.table, key: missing))
            : column.type == .int ? .bool(true) : .int(1)
        try mustThrow("\(bad) in \(column)") {
            switch column.collection {
            case nil: try transaction.set(object.table, object.key, i, bad)
            case .dictionary:
                let key = Value.string(PlainValue.view(Array("$a".utf8), arena))
                let fine = Value.string(PlainValue.view(Array("a".utf8), arena))
                try transaction.setEntries(
                    object.table, object.key, i,
                    values.chance(50) ? [(key, .null)] : [(fine, bad)])
            case .set where column.type == .mixed && values.chance(50):
                try transaction.setElements(
                    object.table, object.key, i, [try transaction.makeList([])])
            default: try transaction.setElements(object.table, object.key, i, [good, bad])
            }
        }
    }

    func mustThrow(_ what: String, _ body: () throws -> Void) throws {
        do { try body() } catch is RealmError { return }
        throw Failure(description: "\(what) was accepted")
    }

    func expect(_ condition: Bool, _ what: String) throws {
        if !condition { throw Failure(description: what) }
    }
}
