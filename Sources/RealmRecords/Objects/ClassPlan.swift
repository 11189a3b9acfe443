import RealmEngine

/// Action for one field of a record.
package struct FieldAction {
    package enum Kind: UInt8 {
        /// A single scalar: the common case, converted inline.
        case scalar
        /// A link to a class with a primary key.
        case link
        /// Another link, a mixed value, an embedded object or a collection.
        case structured
        /// The object key, in a class without primary key.
        case objectKey
        /// The name of the class.
        case className
        /// Identifier by which Realm Studio refers to the object.
        case identity
        /// Reference to an object by its Realm Studio identifier, in a record without properties.
        case reference
        /// The field is ignored.
        case ignored

        package var isOfStudio: Bool { self == .identity || self == .reference }
    }

    package let kind: Kind
    package let type: ColumnType
    package let isNullable: Bool
    /// Position of the property's column.
    package let column: Int
    /// Type of the target's primary key, for links.
    package let keyType: ColumnType
}

/// Whether and how a record gives a property a value.
package enum FieldPresence: UInt8 {
    case nowhere
    case inRow
    /// The row contains the primary key of the link's target.
    case reference
    /// `ClassPlan.structures` contains the value.
    case structured
}

/// Mapping of records to objects of one class, computed once, and the row of the current record.
///
/// Confined to the thread that reads the records.
package final class ClassPlan {
    package let table: TableInfo
    package var key: TableKey { table.key }
    package let names: FieldNames
    package let actions: [FieldAction]
    /// Value of each column: from the record, or the default.
    package let row: UnsafeMutableBufferPointer<Value>
    /// Whether the record gives each column a value.
    package let given: UnsafeMutableBufferPointer<FieldPresence>
    private var defaults: [Value]
    private var givenAnyway: [FieldPresence]
    /// Structured values that are fixed, which every record gets.
    private var constants: [(column: Int, value: StagedValue)] = []
    /// Values that do not fit into the row.
    @exclusivity(unchecked) package var structures: [(column: Int, value: StagedValue)] = []
    /// Whether some of them are more than an empty collection.
    @exclusivity(unchecked) package var hasStructures = false
    /// For each column: whether it is a collection, and whether it is a list or set.
    let isCollection: [Bool]
    let isSequence: [Bool]
    /// Whether a property is given by the primary key of a target.
    @exclusivity(unchecked) package var hasReferences = false
    /// Object key given by the record; nil for none.
    @exclusivity(unchecked) package var objectKey: ObjectKey?
    /// Columns that may be given by the primary key of a target, with the target classes.
    package let links: [(column: Int, target: TableKey)]

    package init(_ table: TableInfo, _ fields: [(name: String, action: FieldAction)]) {
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

    /// Resets the row for a record without fields.
    package func begin() {
        _ = row.initialize(from: defaults)
        _ = given.initialize(from: givenAnyway)
        if !structures.isEmpty { structures.removeAll(keepingCapacity: true) }
        if !constants.isEmpty { structures += constants }
        hasStructures = !constants.isEmpty
        hasReferences = false
        objectKey = nil
    }

    /// Adds a value that may not fit into the row.
    package func take(_ value: StagedValue, _ column: Int) {
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
                    // In the row a null key would mean no link.
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

    /// Restores the state for an earlier record, whose values are in the row. Empty collections may
    /// be missing from `kept`.
    func restore(
        _ states: UnsafeBufferPointer<FieldPresence>,
        _ kept: ArraySlice<ConvertedRecords.Structure>, _ key: ObjectKey?
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

    /// Sets the value of a property that a record does not give. The value must be valid as long as
    /// the plan.
    func setDefault(_ column: Int, _ value: Value) {
        defaults[column] = value
        begin()
    }

    /// Gives every record this value, whatever the record contains. The value must be valid as long
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

    /// Value of the primary key; nil if the class has none or the record does not give it.
    package var primaryKey: Value? {
        guard let column = table.primaryKey, given[column] == .inRow else { return nil }
        return row[column]
    }
}
