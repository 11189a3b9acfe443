import RealmEngine

/// A table of SQL: a class, or a collection property of one.
package struct SQLTable: Sendable {
    package let name: String
    /// In words: `class Person`, `the list Person.friends`.
    let subject: String
    let info: TableInfo
    package var columns: [SQLColumn] = []
    /// Names of columns.
    package var primaryKey: [String] = []
    /// Names of columns of which no two rows have the same.
    package var unique: [String] = []
    /// Names of columns.
    package var indexes: [String] = []
    /// The property whose elements are the rows: an index into the class's columns.
    package var collection: Int?

    init(_ name: String, _ subject: String, _ info: TableInfo, collection: Int? = nil) {
        self.name = name
        self.subject = subject
        self.info = info
        self.collection = collection
    }

    /// Name of the class.
    package var className: String { info.className }

    /// Name of the collection property; empty for the table of a class.
    package var collectionName: String { collection.map { info.columns[$0].name } ?? "" }

    /// Whether the values of that column are JSON.
    func isJSON(_ column: Int) -> Bool { columns[column].kind == .json }

    /// The beginning of every statement that adds rows.
    var insertion: String { "INSERT INTO \(SQLDialect.quoted(name)) VALUES\n(" }
}

/// A column of it.
package struct SQLColumn: Sendable {
    package let name: String
    package let kind: SQLKind
    let source: Source
    package var isRequired = false
    /// Values of any type: what stands in the JSON shows its own.
    var isMixed = false
    package var reference: Reference?

    /// Where its values come from.
    enum Source: Sendable {
        /// The object key.
        case key
        /// A property: an index into the class's columns.
        case property(Int)
        /// Of an embedded object.
        case owner(OwnerPart)
        case element, elementKey, elementIndex
    }

    /// A foreign key.
    package struct Reference: Sendable {
        package let table: String
        package let column: String
    }
}

/// What is said of the object that an embedded object is part of.
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
    /// How its rows are read.
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
