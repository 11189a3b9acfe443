@testable import RealmEngine

extension ModelRun {
    private static let maximumClassCount = 7
    private static let maximumPropertyCount = 16

    private static let initialClasses = 3

    /// Makes a random change to the schema. Adds a class if there are fewer than `initialClasses`.
    func changeSchema(_ transaction: WriteTransaction) throws {
        if model.tables.count < Self.initialClasses { return try addClass(transaction) }
        let choice = values.below(20)
        current = "schema change \(choice)"
        switch choice {
        case 0..<2 where model.tables.count < Self.maximumClassCount: try addClass(transaction)
        case 2 where shape.dropsProperties: try removeClass(transaction)
        case 3: try renameClass(transaction)
        case 4: try renameProperty(transaction)
        case 5 where shape.dropsProperties, 6 where shape.dropsProperties:
            try removeProperty(transaction)
        case 7 where shape.dropsProperties, 8 where shape.dropsProperties:
            try changeOptional(transaction)
        case 9: try changeVersion(transaction)
        case 10: try changeIndex(transaction)
        default: try addProperty(transaction)
        }
    }

    private func name(_ prefix: String) -> String {
        nameCounter += 1
        let filler = values.chance(10) ? String(repeating: "é", count: 20) : ""
        return "\(prefix)\(nameCounter)\(filler)"
    }

    private func addClass(_ transaction: WriteTransaction) throws {
        let isEmbedded = model.tables.count == 2 || values.chance(30)
        let kind: TableKind = isEmbedded ? .embedded : .topLevel
        let name = name("C")
        var primaryKey: PropertySpec?
        if !isEmbedded, ModelRun.hasIndexes, values.chance(50) {
            primaryKey = PropertySpec("id", values.pick([.int, .string, .objectID, .uuid]))
            primaryKey!.isOptional = values.chance(30)
        }
        let key = try transaction.createClass(name, kind: kind, primaryKey: primaryKey)
        try expect(model.tables[key] == nil, "table key \(key) given twice")
        var table = ModelDatabase.Table(name: name, kind: kind)
        if let primaryKey {
            table.columns = [
                ModelDatabase.Column(
                    name: "id", type: primaryKey.type, isOptional: primaryKey.isOptional,
                    isPrimaryKey: true)
            ]
        }
        model.tables[key] = table
        try mustThrow("a second class \(name)") { _ = try transaction.createClass(name) }
        for _ in 0..<values.below(6) { try addProperty(transaction, to: key) }
    }

    private func addProperty(_ transaction: WriteTransaction) throws {
        try addProperty(transaction, to: values.pick(tables { _ in true }))
    }

    private static let types: [ColumnType] =
        RandomValues.scalarTypes + [.mixed, .mixed, .mixed, .link, .link, .link, .link, .link]

    private func addProperty(_ transaction: WriteTransaction, to table: TableKey) throws {
        guard model.tables[table]!.columns.count < Self.maximumPropertyCount else { return }
        var spec = PropertySpec(name("p"), values.pick(Self.types))
        spec.isOptional = values.chance(50)
        spec.collection = values.pick([nil, nil, .list, .set, .dictionary])
        if spec.type == .link {
            spec.target = values.pick(tables { _ in true })
            if spec.collection == .set, model.tables[spec.target]!.kind == .embedded {
                spec.collection = .list
            }
        }
        if ModelRun.hasIndexes, spec.collection == nil, values.chance(40) {
            spec.isFullText = spec.type == .string && values.chance(40)
            spec.isIndexed = !spec.isFullText && canIndex(spec.type)
        }
        try transaction.addProperty(table, spec)
        model.addColumn(table, ModelDatabase.Column(spec))
    }

    private func canIndex(_ type: ColumnType) -> Bool {
        switch type {
        case .int, .bool, .string, .timestamp, .objectID, .uuid: true
        case .mixed: shape.indexesMixed
        default: false
        }
    }

    private func removeClass(_ transaction: WriteTransaction) throws {
        let table = values.pick(tables { _ in true })
        if knownClasses.contains(table) { return }
        let isLinked = model.tables.contains { key, other in
            key != table && other.columns.contains { $0.type == .link && $0.target == table }
        }
        if isLinked {
            return try mustThrow("dropping a linked class") {
                try transaction.removeClass(table)
            }
        }
        try transaction.removeClass(table)
        model.removeTable(table)
    }

    private func renameClass(_ transaction: WriteTransaction) throws {
        let table = values.pick(tables { _ in true })
        if knownClasses.contains(table) { return }
        let name = name("R")
        try transaction.renameClass(table, to: name)
        model.tables[table]!.name = name
    }

    private func renameProperty(_ transaction: WriteTransaction) throws {
        let table = values.pick(tables { _ in true })
        guard let column = column(table, { _ in true }) else { return }
        let name = name("r")
        try transaction.renameProperty(table, column, to: name)
        model.tables[table]!.columns[column].name = name
    }

    private func removeProperty(_ transaction: WriteTransaction) throws {
        let table = values.pick(
            tables { $0.columns.count > 3 }.isEmpty
                ? tables { _ in true } : tables { $0.columns.count > 3 })
        guard let column = column(table, { _ in true }) else { return }
        if knownClasses.contains(table) && !values.chance(20) { return }
        if knownClasses.contains(table), model.tables[table]!.primaryKey == column { return }
        try transaction.removeProperty(table, column)
        model.removeColumn(table, column)
    }

    private func changeOptional(_ transaction: WriteTransaction) throws {
        let table = values.pick(tables { _ in true })
        guard let i = column(table, { !$0.mayHoldLinks && !$0.isPrimaryKey && !$0.isForeign })
        else { return }
        let isOptional = values.chance(50)
        let was = model.tables[table]!.columns[i].isOptional
        try transaction.setOptional(table, i, isOptional)
        if was != isOptional { model.setOptional(table, i, isOptional) }
    }

    private func changeVersion(_ transaction: WriteTransaction) throws {
        let version: UInt64? = values.chance(10) ? nil : UInt64(values.below(1 << 20))
        try transaction.setSchemaVersion(version)
        model.schemaVersion = version
    }

    private func changeIndex(_ transaction: WriteTransaction) throws {
        guard ModelRun.hasIndexes else { return }
        let table = values.pick(tables { _ in true })
        guard
            let i = column(
                table,
                { $0.collection == nil && !$0.isPrimaryKey && canIndex($0.type) })
        else { return }
        let type = model.tables[table]!.columns[i].type
        let kind: IndexKind = values.pick(
            type == .string ? [.none, .general, .fullText] : [.none, .general])
        try transaction.setIndex(table, i, kind)
        model.tables[table]!.columns[i].index = kind
    }

    /// Whether the engine maintains search indexes, so that random schema changes include them.
    static let hasIndexes = true
}
