import RealmEngine

/// Conversion of the value of one field of a record, and the property that gets the value.
package struct FieldAction {
    package enum Kind: UInt8 {
        /// A property with one scalar value: the common case, converted inline.
        case scalar
        /// A single link whose target class has a primary key and is not embedded.
        case link
        /// A collection, a mixed value, an embedded object, or a link to a class without primary
        /// key. Also a string property that takes JSON numbers (`RecordRules.numbersAsText`).
        case structured
        /// The object key, in a class without primary key.
        case objectKey
        /// The name of the class.
        case className
        /// Identifier by which Realm Studio refers to the object.
        case identity
        /// Reference to an object by its Realm Studio identifier, in a record without properties.
        case reference
        /// The field is skipped.
        case ignored

        package var isOfStudio: Bool { self == .identity || self == .reference }
    }

    package let kind: Kind
    package let type: ColumnType
    package let isNullable: Bool
    /// Index of the property's column.
    package let column: Int
    /// Type of the primary key of the target class, for `link`.
    package let keyType: ColumnType
}

/// Whether a record gives a property a value, and where `ClassPlan` has the value.
package enum FieldPresence: UInt8 {
    case nowhere
    case inRow
    /// `ClassPlan.row` contains the primary key of the link's target.
    case reference
    /// `ClassPlan.structures` contains the value.
    case structured
}

/// Mapping of the fields of JSON records to the properties of one class, computed once. Also
/// contains the values of the current record.
///
/// Confined to the thread that reads the records.
package final class ClassPlan {
    package let table: TableInfo
    package var key: TableKey { table.key }
    package let names: FieldNames
    package let actions: [FieldAction]
    /// Value of each column: from the current record, or the default.
    package let row: UnsafeMutableBufferPointer<Value>
    /// For each column, whether the current record gives it a value, and where the value is.
    package let given: UnsafeMutableBufferPointer<FieldPresence>
    private var defaults: [Value]
    private var givenAnyway: [FieldPresence]
    /// Values that `fix` has set for every record and that `row` cannot contain, such as
    /// collections.
    private var constants: [(column: Int, value: StagedValue)] = []
    /// Values of the current record that do not fit into `row`: collections, objects inside the
    /// record, and links. A link is in `row` if the record gives only the target's primary key.
    @exclusivity(unchecked) package var structures: [(column: Int, value: StagedValue)] = []
    /// Whether `structures` has a value that must be stored. False if all are empty lists, the
    /// default of a new object.
    @exclusivity(unchecked) package var hasStructures = false
    /// For each column, whether it is a collection. `isSequence`: whether it is a list or set.
    let isCollection: [Bool]
    let isSequence: [Bool]
    /// Whether `row` contains primary keys of link targets (`FieldPresence.reference`).
    @exclusivity(unchecked) package var hasReferences = false
    /// Object key given by the record; nil for none.
    @exclusivity(unchecked) package var objectKey: ObjectKey?
    /// Link columns for which a record may give the primary key of the target object, each with the
    /// target class.
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

    /// Resets `row`, `given` and `structures` to the state of a record without fields.
    package func begin() {
        _ = row.initialize(from: defaults)
        _ = given.initialize(from: givenAnyway)
        if !structures.isEmpty { structures.removeAll(keepingCapacity: true) }
        if !constants.isEmpty { structures += constants }
        hasStructures = !constants.isEmpty
        hasReferences = false
        objectKey = nil
    }

    /// Sets the value of a column for the current record. The value goes into `row` if it is a
    /// scalar or the primary key of a link's target, otherwise into `structures`.
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

    /// Makes an earlier record the current one again. The caller has already copied its values into
    /// `row`.
    ///
    /// - Parameters:
    ///   - states: content of `given` for the record.
    ///   - kept: content of `structures` for the record. Empty collections may be missing.
    ///   - key: object key that the record gave; nil for none.
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

    /// Sets the value that a property gets if a record does not give it. The bytes of the value
    /// must be valid as long as the plan.
    func setDefault(_ column: Int, _ value: Value) {
        defaults[column] = value
        begin()
    }

    /// Sets the value that a property gets from every record, whatever the record contains. The
    /// bytes of the value must be valid as long as the plan.
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
