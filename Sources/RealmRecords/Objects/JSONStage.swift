import RealmEngine

/// Converts JSON records to property values, and checks them against their classes. Does not access
/// the database.
package struct JSONStage {
    package let plans: ClassPlans
    /// Class of all records; nil if each record has its class in a field.
    package let table: TableInfo?
    let classField: [UInt8]
    package let ignoresUnknown: Bool
    /// Whether only the primary key or object key is read, for records that delete objects.
    package let readsKeyOnly: Bool
    private let numbersAsText: Set<String>
    private let plan: ClassPlan?
    /// One object for all empty lists, because many records have one.
    private let emptyList = StagedValue.list([])

    package init(_ plans: ClassPlans, _ table: TableInfo?, _ rules: RecordRules) {
        self.plans = plans
        self.table = table
        plan = table.map { plans.plan($0) }
        classField = Array(rules.classField.utf8)
        readsKeyOnly = rules.mode == .delete
        numbersAsText = rules.numbersAsText
        ignoresUnknown = rules.ignoresUnknown || readsKeyOnly
    }

    /// Converts a record to values. Returns the plan of its class, whose current record it becomes.
    @_optimize(speed)
    package func take(_ record: JSONValue) throws(ValueMismatch) -> ClassPlan {
        guard record.kind == .object else { throw ValueMismatch(record, expected: "an object") }
        let plan: ClassPlan
        if let only = self.plan { plan = only } else { plan = plans.plan(try table(of: record)) }
        plan.begin()
        try fill(plan, record)
        return plan
    }

    private func table(of record: JSONValue) throws(ValueMismatch) -> TableInfo {
        for field in record.children where field.key.equals(classField) {
            return try table(named: field)
        }
        throw ValueMismatch(
            record, .missingPropertyValue,
            expected: "a class in the field \(String(decoding: classField, as: UTF8.self))",
            got: "none")
    }

    package func table(named field: JSONValue) throws(ValueMismatch) -> TableInfo {
        guard field.kind == .string else { throw ValueMismatch(field, expected: "a class") }
        guard let table = plans.table(named: field.text) else {
            throw ValueMismatch(field, .noSuchTable, expected: "a class of the database")
        }
        return table
    }

    /// Converts the fields of `object` into the row and the structures of `plan`.
    @_optimize(speed)
    package func fill(_ plan: ClassPlan, _ object: JSONValue) throws(ValueMismatch) {
        var place = 0
        for field in object.children {
            guard let index = plan.names.index(of: field.key, at: place) else {
                if !ignoresUnknown { throw unknown(field, plan.table) }
                place &+= 1
                continue
            }
            place &+= 1
            let action = plan.actions[index]
            switch action.kind {
            case .scalar:
                let value = try field.scalar(action.type, isNullable: action.isNullable)
                try ValueLimits.check(value, field)
                plan.row[action.column] = value
                plan.given[action.column] = .inRow
            case .link:
                if readsKeyOnly { continue }
                if let key = field.plainKey(action.keyType) {
                    plan.row[action.column] = key
                    plan.given[action.column] = .reference
                    plan.hasReferences = true
                } else {
                    try structure(plan, action.column, field)
                }
            case .structured:
                if readsKeyOnly { continue }
                try structure(plan, action.column, field)
            case .objectKey: plan.objectKey = try objectKey(field)
            case .className: try checkClass(field, plan.table)
            case .identity:
                if plan.table.primaryKey == nil { try refer(plan, to: field) }
            case .reference: try refer(plan, to: field)
            case .ignored: continue
            }
        }
    }

    /// Sets the primary key or object key in `plan` to the key in a Realm Studio identifier, such
    /// as 5 for `"$refId":"Person#5"`.
    private func refer(_ plan: ClassPlan, to field: JSONValue) throws(ValueMismatch) {
        switch try StudioReference.name(field, in: plan.table) {
        case .objectKey(let key): plan.objectKey = key
        case .primaryKey(let value):
            let column = plan.table.primaryKey!
            plan.row[column] = value
            plan.given[column] = .inRow
        }
    }

    @_optimize(speed)
    private func structure(
        _ plan: ClassPlan, _ column: Int, _ field: JSONValue
    ) throws(ValueMismatch) {
        if field.kind == .array, field.count == 0, plan.isSequence[column] {
            plan.given[column] = .structured
            plan.structures.append((column, emptyList))
            return
        }
        plan.take(try staged(field, plan.table.columns[column]), column)
    }

    @inline(never)
    private func unknown(_ field: JSONValue, _ table: TableInfo) -> ValueMismatch {
        let near = Spelling.nearest(1, to: field.key.string, among: table.columns.map(\.name))
        return ValueMismatch(
            field, .invalidProperty,
            expected: near.isEmpty
                ? "a property of \(table.className)"
                : "a property of \(table.className) such as \(near[0])",
            got: "an unknown one")
    }

    package func objectKey(_ field: JSONValue) throws(ValueMismatch) -> ObjectKey {
        guard case .int(let key) = try field.scalar(.int, isNullable: false), key >= 0 else {
            throw ValueMismatch(field, expected: "an object key")
        }
        return ObjectKey(key)
    }

    private func checkClass(_ field: JSONValue, _ table: TableInfo) throws(ValueMismatch) {
        if try self.table(named: field).key == table.key { return }
        throw ValueMismatch(field, .noSuchTable, expected: "class \(table.className)")
    }
}

extension JSONValue {
    fileprivate var isNumber: Bool { kind == .int || kind == .number }

    /// Returns the primary key of a link's target if the key is an integer or a string. Nil for all
    /// other notations of a link. A fast path.
    @inline(__always)
    fileprivate func plainKey(_ type: ColumnType) -> Value? {
        switch (kind, type) {
        case (.int, .int): .int(Int64(bitPattern: token.pointee.payload))
        case (.string, .string): .string(text)
        default: nil
        }
    }
}

/// Limits on the sizes of values.
enum ValueLimits {
    /// Throws an error if a value exceeds the maximum size.
    ///
    /// - Parameter isMixed: whether the property is mixed. Binary values are then stored as
    ///   strings.
    @inline(__always)
    static func check(
        _ value: Value, _ field: JSONValue, isMixed: Bool = false
    ) throws(ValueMismatch) {
        switch value {
        case .string(let bytes):
            if bytes.count > ValueCheck.maximumStringSize {
                throw tooLong(bytes, ValueCheck.maximumStringSize, field)
            }
        case .binary(let bytes):
            let limit = isMixed ? ValueCheck.maximumStringSize : ValueCheck.maximumBinarySize
            if bytes.count > limit { throw tooLong(bytes, limit, field) }
        default: return
        }
    }

    @inline(never)
    private static func tooLong(
        _ bytes: ByteView, _ limit: Int, _ field: JSONValue
    ) -> ValueMismatch {
        ValueMismatch(
            field, .limitExceeded, expected: "at most \(limit) bytes", got: "\(bytes.count)")
    }
}

// MARK: - Structures

extension JSONStage {
    /// Converts a value for a property of any type.
    package func staged(
        _ field: JSONValue, _ column: ColumnInfo
    ) throws(ValueMismatch) -> StagedValue {
        switch column.collection {
        case nil: return try element(field, column)
        case .list:
            if field.kind == .array, field.count == 0 { return emptyList }
            return .list(try elements(try field.elements(), column))
        case .set: return .list(try elements(try field.elements(ofSet: true), column))
        case .dictionary:
            var entries: [(key: Value, value: StagedValue)] = []
            for child in try field.entries() {
                let key = try self.key(child, isInteger: column.hasIntegerKeys)
                entries.append((key: key, value: try element(child, column)))
            }
            return .dictionary(entries)
        }
    }

    private func elements(
        _ children: JSONChildren, _ column: ColumnInfo
    ) throws(ValueMismatch) -> [StagedValue] {
        var elements: [StagedValue] = []
        for child in children { elements.append(try element(child, column)) }
        return elements
    }

    /// Converts a single value or an element of a collection.
    package func element(
        _ field: JSONValue, _ column: ColumnInfo
    ) throws(ValueMismatch) -> StagedValue {
        switch column.type {
        case .link: return try link(field, column)
        case .mixed: return try mixed(field)
        case .string where field.isNumber && numbersAsText.contains(column.name):
            return .value(.string(field.text))
        default:
            let value = try field.scalar(column.type, isNullable: column.isNullable)
            try ValueLimits.check(value, field)
            return .value(value)
        }
    }

    private func key(_ field: JSONValue, isInteger: Bool) throws(ValueMismatch) -> Value {
        var key = field.key
        if isInteger {
            guard let number = Int64(text: key) else {
                throw ValueMismatch(
                    field, .invalidDictionaryKey, expected: "a key that is an integer",
                    got: "\"\(key.excerpt(of: 40))\"")
            }
            return .int(number)
        }
        if let exact = SpelledString.key(key, in: field.scratch) { key = exact }
        let isReserved = key.count > 0 && key[0] == UInt8(ascii: "$")
        guard !isReserved, !key.buffer.contains(UInt8(ascii: ".")) else {
            throw ValueMismatch(
                field, .invalidDictionaryKey,
                expected: "a key that neither begins with $ nor holds a dot",
                got: "\"\(key.excerpt(of: 40))\"")
        }
        return .string(key)
    }

    private func mixed(_ field: JSONValue) throws(ValueMismatch) -> StagedValue {
        switch try field.mixed() {
        case .scalar(let value):
            try ValueLimits.check(value, field, isMixed: true)
            return .value(value)
        case .link(let key, let name):
            guard let table = plans.table(named: name), table.kind == .topLevel else {
                throw ValueMismatch(
                    field, .noSuchTable, expected: "a link to a class of the database",
                    got: "\"\(name.excerpt(of: 40))\"")
            }
            return .reference(try reference(key, to: table))
        case .list(let children):
            var elements: [StagedValue] = []
            for child in children { elements.append(try mixed(child)) }
            return .list(elements)
        case .dictionary(let children):
            var entries: [(key: Value, value: StagedValue)] = []
            for child in children {
                entries.append((key: try key(child, isInteger: false), value: try mixed(child)))
            }
            return .dictionary(entries)
        }
    }
}

// MARK: - Links and objects

extension JSONStage {
    private func link(
        _ field: JSONValue, _ column: ColumnInfo
    ) throws(ValueMismatch) -> StagedValue {
        let target = plans.schema.table(column.target)!
        if target.kind == .embedded { return try embedded(field, target, column) }
        if let name = StudioReference.field(of: field) {
            return .reference(
                ObjectReference(
                    table: target.key, name: try StudioReference.name(name, in: target)))
        }
        switch try field.link() {
        case .null:
            guard column.isNullable else { throw ValueMismatch(field, expected: "a link") }
            return .value(.null)
        case .reference(let key, let name):
            if let name, plans.table(named: name)?.key != target.key {
                throw ValueMismatch(
                    field, expected: "a link to \(target.className)",
                    got: "a link to \"\(name.excerpt(of: 40))\"")
            }
            return .reference(try reference(key, to: target))
        case .objectKey(let key):
            return .reference(ObjectReference(table: target.key, name: .objectKey(key)))
        case .object(let object):
            let staged = try self.object(object, target)
            if let key = target.primaryKey, !staged.fields.contains(where: { $0.column == key }) {
                throw ValueMismatch(
                    object, .missingPropertyValue,
                    expected: "the primary key \(target.columns[key].name)", got: "none")
            }
            return .object(staged)
        }
    }

    private func reference(
        _ key: JSONValue, to table: TableInfo
    ) throws(ValueMismatch) -> ObjectReference {
        guard let position = table.primaryKey else {
            return ObjectReference(table: table.key, name: .objectKey(try objectKey(key)))
        }
        let column = table.columns[position]
        let value = try key.scalar(column.type, isNullable: column.isNullable)
        return ObjectReference(table: table.key, name: .primaryKey(value))
    }

    private func embedded(
        _ field: JSONValue, _ target: TableInfo, _ column: ColumnInfo
    ) throws(ValueMismatch) -> StagedValue {
        guard let (object, name) = try field.embedded() else {
            guard column.isNullable else {
                throw ValueMismatch(field, expected: "an embedded object")
            }
            return .value(.null)
        }
        if let name, plans.table(named: name)?.key != target.key {
            throw ValueMismatch(field, expected: "an embedded object of \(target.className)")
        }
        return .object(try self.object(object, target))
    }

    /// Converts an object that a record contains, in the place of an embedded object or of a link.
    private func object(
        _ object: JSONValue, _ table: TableInfo
    ) throws(ValueMismatch) -> StagedObject {
        let plan = plans.plan(table)
        var fields: [(column: Int, value: StagedValue)] = []
        var place = 0
        for field in object.children {
            let index = plan.names.index(of: field.key, at: place)
            place += 1
            guard let index else {
                if ignoresUnknown { continue }
                throw unknown(field, table)
            }
            let action = plan.actions[index]
            switch action.kind {
            case .scalar, .link, .structured:
                let column = table.columns[action.column]
                fields.append((action.column, try staged(field, column)))
            case .className: try checkClass(field, table)
            case .identity where table.kind == .topLevel && table.primaryKey == nil:
                throw ValueMismatch(
                    field, expected: "objects of \(table.className) in an array of their own",
                    got: "a nested one without a primary key")
            case .objectKey, .identity, .reference, .ignored: continue
            }
        }
        return StagedObject(table: table.key, fields: fields)
    }
}
