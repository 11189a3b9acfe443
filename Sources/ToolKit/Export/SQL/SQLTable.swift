import RealmEngine

/// A SQL table for a class or for a collection property.
package struct SQLTable: Sendable {
    package let name: String
    /// Description for messages, such as `class Person` or `the list Person.friends`.
    let subject: String
    let info: TableInfo
    package var columns: [SQLColumn] = []
    /// Names of the columns of the primary key.
    package var primaryKey: [String] = []
    /// Names of the columns of a UNIQUE constraint.
    package var unique: [String] = []
    /// Names of columns with an index.
    package var indexes: [String] = []
    /// Index of the collection property whose elements are the rows; nil for the table of a class.
    package var collection: Int?

    init(_ name: String, _ subject: String, _ info: TableInfo, collection: Int? = nil) {
        self.name = name
        self.subject = subject
        self.info = info
        self.collection = collection
    }

    package var className: String { info.className }

    /// Name of the collection property; empty for the table of a class.
    package var collectionName: String { collection.map { info.columns[$0].name } ?? "" }

    /// Whether the values of the column at this index are JSON.
    func isJSON(_ column: Int) -> Bool { columns[column].kind == .json }

    /// Beginning of each INSERT statement.
    var insertion: String { "INSERT INTO \(SQLDialect.quoted(name)) VALUES\n(" }
}

/// A column of a SQL table.
package struct SQLColumn: Sendable {
    package let name: String
    package let kind: SQLKind
    let source: Source
    package var isRequired = false
    /// Whether the column contains values of any type, as JSON that names the type.
    var isMixed = false
    package var reference: Reference?

    /// Source of a column's values.
    enum Source: Sendable {
        /// The object key.
        case key
        /// A property, by its index in the class's columns.
        case property(Int)
        /// The object that contains an embedded object.
        case owner(OwnerPart)
        case element, elementKey, elementIndex
    }

    /// A foreign key.
    package struct Reference: Sendable {
        package let table: String
        package let column: String
    }
}

/// Part of the reference from an embedded object to the object that contains it.
package enum OwnerPart: CaseIterable, Sendable {
    case className, property, key

    var columnName: String {
        switch self {
        case .className: "_owner_class"
        case .property: "_owner_property"
        case .key: "_owner"
        }
    }
}

extension SQLTable {
    /// The `RecordPlan` of the records that become the rows of this SQL table.
    package var plan: RecordPlan {
        var positions: [Int: Int] = [:]
        var read: [Int] = []
        func position(_ column: Int) -> Int {
            if let known = positions[column] { return known }
            positions[column] = read.count
            read.append(column)
            return read.count - 1
        }
        let fields = columns.map { column in
            let source: FieldPath.Source =
                switch column.source {
                case .key: .key
                case .property(let index): .column(position(index))
                case .owner(let part): .owner(part)
                case .element: .element
                case .elementKey: .elementKey
                case .elementIndex: .elementIndex
                }
            return RecordPlan.Field(
                label: column.name, path: FieldPath(source: source, steps: []), expansion: nil,
                isMixed: column.isMixed, isNumber: false)
        }
        let explode = collection.map {
            FieldPath(source: .column(position($0)), steps: [])
        }
        return RecordPlan(
            table: info, fields: fields, columns: read, explode: explode, namesClass: false,
            sql: self)
    }
}
