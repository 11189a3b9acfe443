import RealmEngine

/// For each class of a schema, the `ClassPlan` by which records become objects of the class.
package final class ClassPlans {
    package let schema: Schema
    private let rules: RecordRules
    private var plans: [TableKey: ClassPlan] = [:]
    private let known: FieldNames
    /// Classes of the schema, in its order.
    package let classes: [TableInfo]

    /// Parsed JSON of the values that `fix` has set. The values in the plans refer to its bytes.
    private var tapes: [JSONTape] = []

    /// Throws `corrupt` if the target of a link property does not exist.
    package init(_ schema: Schema, _ rules: RecordRules) throws(RealmError) {
        try schema.checkTargets()
        self.schema = schema
        self.rules = rules
        classes = schema.classes
        known = FieldNames(classes.map(\.className))
    }

    /// Sets the value that a property gets from every record, whatever the record contains. Returns
    /// whether a class has the property.
    package func fix(_ property: String, _ value: JSONValue) throws(ValueMismatch) -> Bool {
        tapes.append(value.tape)
        var isKnown = false
        for table in classes where table.kind == .topLevel {
            guard let column = table.columnIndex(named: property) else { continue }
            isKnown = true
            let stage = JSONStage(self, table, rules)
            plan(table).fix(column, try stage.staged(value, table.columns[column]))
        }
        return isKnown
    }

    /// Returns the class called `name`; nil if there is none. Fast if the previous record named the
    /// same class.
    package func table(named name: ByteView) -> TableInfo? {
        if let index = known.index(of: name, at: 0) { return classes[index] }
        // Extended forms name embedded classes by the stored names of their tables.
        return classes.first { name.equals(Array($0.name.utf8)) }
    }

    @_optimize(speed)
    package func plan(_ table: TableInfo) -> ClassPlan {
        if let plan = plans[table.key] { return plan }
        let plan = ClassPlan(table, fields(table))
        plans[table.key] = plan
        return plan
    }

    @_optimize(speed)
    package func plan(_ key: TableKey) throws(RealmError) -> ClassPlan {
        if let plan = plans[key] { return plan }
        guard let table = schema.table(key) else {
            throw .corrupt("a link refers to table \(key.raw), which does not exist", in: "schema")
        }
        return plan(table)
    }

    /// Returns the field names that a record of the class may contain, without duplicates. Each
    /// name has an action: how the field is converted, and for which column.
    private func fields(_ table: TableInfo) -> [(name: String, action: FieldAction)] {
        var fields: [(name: String, action: FieldAction)] = []
        var taken: Set<[UInt8]> = []
        func add(_ name: String, _ action: FieldAction) {
            if taken.insert(Array(name.utf8)).inserted { fields.append((name, action)) }
        }
        // Constants, and field names that hold for all classes, do not apply to embedded classes.
        let isRecord = table.kind == .topLevel
        let constants = isRecord ? rules.constants : []
        let renamed = rules.renamed.filter {
            $0.className.map { $0 == table.className } ?? isRecord
        }
        for (position, column) in table.columns.enumerated() {
            let isConstant = constants.contains(column.name)
            let field = renamed.first { $0.property == column.name }?.field
            add(field ?? column.name, action(column, at: position, isConstant: isConstant))
        }
        if table.primaryKey == nil, isRecord {
            add("_key", Self.special(.objectKey))
        }
        if isRecord { add(rules.classField, Self.special(.className)) }
        add(StudioReference.identity, Self.special(.identity))
        if isRecord { add(StudioReference.member, Self.special(.reference)) }
        return fields
    }

    private func action(
        _ column: ColumnInfo, at position: Int, isConstant: Bool
    ) -> FieldAction {
        var kind = FieldAction.Kind.structured
        var keyType = ColumnType.int
        if column.collection == nil {
            if column.type == .link {
                let target = schema.table(column.target)
                if target?.kind == .topLevel,
                    let key = target?.primaryKey.map({
                        target!.columns[$0]
                    })
                {
                    kind = .link
                    keyType = key.type
                }
            } else if column.type == .string, rules.numbersAsText.contains(column.name) {
                kind = .structured
            } else if column.type != .mixed {
                kind = .scalar
            }
        }
        return FieldAction(
            kind: isConstant ? .ignored : kind, type: column.type, isNullable: column.isNullable,
            column: position, keyType: keyType)
    }

    private static func special(_ kind: FieldAction.Kind) -> FieldAction {
        FieldAction(kind: kind, type: .int, isNullable: false, column: 0, keyType: .int)
    }
}
