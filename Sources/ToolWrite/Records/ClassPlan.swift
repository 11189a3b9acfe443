import RealmEngine
import ToolKit

/// The conversion of one field of a record.
struct FieldAction {
    enum Kind: UInt8 {
        /// A single scalar. The most frequent case, which is converted inline.
        case scalar
        /// A link to a class with a primary key.
        case link
        /// Any other link, a mixed value, an embedded object, or a collection.
        case structured
        /// The object key, in a class without primary key.
        case objectKey
        /// The name of the class.
        case className
        /// The identifier that Realm Studio gives the object (`$refId`).
        case identity
        /// A reference to an object by its Realm Studio identifier (`$ref`). The record has no
        /// properties.
        case reference
        /// The field is ignored.
        case ignored

        var isOfStudio: Bool { self == .identity || self == .reference }
    }

    let kind: Kind
    let type: ColumnType
    let isNullable: Bool
    /// Position of the property's column.
    let column: Int
    /// Type of the target's primary key, for links.
    let keyType: ColumnType
}

/// Whether a record contains a value for a property, and where the value is stored.
enum FieldPresence: UInt8 {
    case nowhere
    case inRow
    /// The row contains the primary key of the link's target.
    case reference
    /// `ClassPlan.structures` contains the value.
    case structured
}

/// Converts records to the values of one class. The mapping of fields to columns is computed once.
/// The plan also contains the values of the current record.
///
/// Confined to the thread that reads the records.
final class ClassPlan {
    let table: TableInfo
    var key: TableKey { table.key }
    let names: FieldNames
    let actions: [FieldAction]
    /// Values of the columns: from the record, or the default.
    let row: UnsafeMutableBufferPointer<Value>
    /// For each column, whether the record has a value for it, and where the value is stored.
    let given: UnsafeMutableBufferPointer<FieldPresence>
    private var defaults: [Value]
    private var givenAnyway: [FieldPresence]
    /// Values of `--const` that do not fit into `row`. Every record gets them.
    private var constants: [(column: Int, value: StagedValue)] = []
    /// Values of the record that do not fit into `row`: links, collections and nested objects.
    var structures: [(column: Int, value: StagedValue)] = []
    /// Whether `structures` contains more than empty collections.
    var hasStructures = false
    /// For each column, whether it is a collection. `isSequence` is true for a list or set.
    let isCollection: [Bool]
    let isSequence: [Bool]
    /// Whether the record gives a link by the primary key of its target.
    var hasReferences = false
    /// Object key in the record; nil if the record has none.
    var objectKey: ObjectKey?
    /// Link columns whose values may be the primary key of the target, with the target class.
    let links: [(column: Int, target: TableKey)]

    init(_ table: TableInfo, _ fields: [(name: String, action: FieldAction)]) {
        self.table = table
        names = FieldNames(fields.map(\.name))
        actions = fields.map(\.action)
        links = actions.filter { $0.kind == .link }.map {
            ($0.column, table.columns[$0.column].target)
        }
        defaults = table.columns.map(\.defaultValue)
        isCollection = table.columns.map { $0.collection != nil }
        isSequence = table.columns.map { $0.collection == .list || $0.collection == .set }
        givenAnyway = Array(repeating: .nowhere, count: defaults.count)
        row = .allocate(capacity: defaults.count)
        given = .allocate(capacity: defaults.count)
        begin()
    }

    deinit {
        row.deallocate()
        given.deallocate()
    }

    /// Resets all values, for the next record.
    func begin() {
        _ = row.initialize(from: defaults)
        _ = given.initialize(from: givenAnyway)
        if !structures.isEmpty { structures.removeAll(keepingCapacity: true) }
        if !constants.isEmpty { structures += constants }
        hasStructures = !constants.isEmpty
        hasReferences = false
        objectKey = nil
    }

    /// Sets a value that may not fit into `row`.
    func take(_ value: StagedValue, _ column: Int) {
        if !isCollection[column] {
            if case .value(let simple) = value {
                row[column] = simple
                given[column] = .inRow
                return
            }
            if case .reference(let link) = value, case .primaryKey(let key) = link.name,
                case .link = table.columns[column].type
            {
                if case .null = key {
                    // In `row` a null primary key would mean no link.
                } else {
                    row[column] = key
                    given[column] = .reference
                    hasReferences = true
                    return
                }
            }
        }
        given[column] = .structured
        structures.append((column, value))
        hasStructures = true
    }

    /// Restores the state after an earlier record was converted; `row` already has its values.
    /// `kept` need not contain empty collections.
    func restore(
        _ states: UnsafeBufferPointer<FieldPresence>, _ kept: ArraySlice<RecordBatch.Structure>,
        _ key: ObjectKey?
    ) {
        structures.removeAll(keepingCapacity: true)
        for structure in kept { structures.append((structure.column, structure.value)) }
        // With many collections a set avoids a linear search for each column.
        let columns = kept.count > 16 ? Set(kept.lazy.map(\.column)) : nil
        for (column, state) in zip(given.indices, states) {
            given[column] = state
            if state == .reference { hasReferences = true }
            guard state == .structured, isCollection[column],
                !(columns?.contains(column) ?? kept.contains { $0.column == column })
            else { continue }
            structures.append((column, isSequence[column] ? .list([]) : .dictionary([])))
        }
        hasStructures = !structures.isEmpty
        objectKey = key
    }

    /// Sets a value that every record gets, whatever it contains. The value must be valid as long
    /// as the plan.
    func fix(_ column: Int, _ value: StagedValue) {
        if case .value(let simple) = value, table.columns[column].collection == nil {
            defaults[column] = simple
            givenAnyway[column] = .inRow
        } else {
            constants.append((column, value))
            givenAnyway[column] = .structured
        }
        begin()
    }

    /// Value of the primary key. Nil if the class has no primary key, or if the record does not
    /// contain it.
    var primaryKey: Value? {
        guard let column = table.primaryKey, given[column] == .inRow else { return nil }
        return row[column]
    }
}

/// Plans of all classes of one schema.
final class ClassPlans {
    let schema: Schema
    private let request: WriteRequest
    private var plans: [TableKey: ClassPlan] = [:]
    private let known: FieldNames
    private let classes: [TableInfo]

    /// Memory of the parsed values of `--const`.
    private var tapes: [JSONTape] = []

    /// Throws `misuse` if no class has a property for a value of `--const`. Throws `corrupt` if the
    /// target class of a link property does not exist.
    init(_ schema: Schema, _ request: WriteRequest) throws(RealmError) {
        try schema.checkTargets()
        self.schema = schema
        self.request = request
        classes = schema.classes
        known = FieldNames(classes.map(\.className))
        for constant in request.constants { try fix(constant.property, constant.json) }
    }

    /// Sets the value of a property for every record.
    private func fix(_ property: String, _ json: String) throws(RealmError) {
        let tape = JSONTape(request.form.uuidOrder)
        tapes.append(tape)
        let option = "--const \(property)"
        let value = try JSONArgument.parse(json, option, tape)
        var isKnown = false
        for table in classes where table.kind == .topLevel {
            guard let column = table.columnIndex(named: property) else { continue }
            isKnown = true
            let stage = JSONStage(self, table, request)
            do throws(ValueMismatch) {
                plan(table).fix(column, try stage.staged(value, table.columns[column]))
            } catch {
                throw JSONArgument.misfit(option, error)
            }
        }
        if !isKnown {
            throw .misuse(
                "\(option): no class has this property", code: "InvalidProperty",
                reason: "unknown-property")
        }
    }

    /// Returns the class called `name`; nil if there is none. Fast if the previous call had the
    /// same name.
    func table(named name: ByteView) -> TableInfo? {
        if let index = known.index(of: name, at: 0) { return classes[index] }
        // The extended form of a value names an embedded class by the stored name of its table.
        return classes.first { name.equals(Array($0.name.utf8)) }
    }

    /// Returns the class with this name, or the class that a file of `--output-dir` with this name
    /// contains. Throws `misuse` if there is none.
    func table(named name: String) throws(RealmError) -> TableInfo {
        if let found = classes.first(where: { $0.className == name }) { return found }
        if let subject = ExportNames(schema).subject(name), subject.column == nil,
            let found = classes.first(where: { $0.key == subject.table })
        {
            return found
        }
        let near = Spelling.nearest(3, to: name, among: classes.map(\.className))
        throw .misuse(
            "there is no class \(name)", code: "NoSuchTable", reason: "unknown-class",
            hint: near.isEmpty
                ? "--schema-file or --infer creates classes"
                : "did you mean \(near.joined(separator: ", "))?")
    }

    @_optimize(speed)
    func plan(_ table: TableInfo) -> ClassPlan {
        if let plan = plans[table.key] { return plan }
        let plan = ClassPlan(table, fields(table))
        plans[table.key] = plan
        return plan
    }

    @_optimize(speed)
    func plan(_ key: TableKey) throws(RealmError) -> ClassPlan {
        if let plan = plans[key] { return plan }
        guard let table = schema.table(key) else {
            throw .corrupt("a link refers to table \(key.raw), which does not exist", in: "schema")
        }
        return plan(table)
    }

    /// Returns the names of the fields and how each is converted. Duplicate names are omitted.
    private func fields(_ table: TableInfo) -> [(name: String, action: FieldAction)] {
        var fields: [(name: String, action: FieldAction)] = []
        var taken: Set<[UInt8]> = []
        func add(_ name: String, _ action: FieldAction) {
            if taken.insert(Array(name.utf8)).inserted { fields.append((name, action)) }
        }
        // `--const` and `--map` apply to records, not to objects inside them.
        let isRecord = table.kind == .topLevel
        let constants = isRecord ? request.constants.map(\.property) : []
        let renamed = isRecord ? request.renamed : []
        for (position, column) in table.columns.enumerated() {
            let isConstant = constants.contains(column.name)
            let field = renamed.first { $0.property == column.name }?.field
            add(field ?? column.name, action(column, at: position, isConstant: isConstant))
        }
        if table.primaryKey == nil, isRecord {
            add("_key", Self.special(.objectKey))
        }
        if isRecord { add(request.classField, Self.special(.className)) }
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
            } else if column.type == .string, request.numbersAsText.contains(column.name) {
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
