import RealmEngine

/// What one record holds: a field for each column of the output. Immutable, shared by all threads.
package final class RecordPlan: Sendable {
    package let table: TableInfo
    package let fields: [Field]
    /// Columns of the table that the fields begin with; a field's `.column` is a position in here.
    package let columns: [Int]
    /// The collection of which every element becomes a record.
    let explode: FieldPath?
    /// JSON records begin with `"$class"`.
    package let namesClass: Bool
    /// Path of the file that JSON records begin with, as `"$file"`.
    let file: String?
    /// The table that the records are rows of.
    let sql: SQLTable?

    package struct Field: Sendable {
        /// Member name or column heading.
        let label: String
        package let path: FieldPath
        /// What links at the end of the path become.
        package let expansion: Expansion?
        /// The property may hold values of any type.
        package let isMixed: Bool
        /// Numbers stand to the right in tables.
        package let isNumber: Bool

        package init(
            label: String, path: FieldPath, expansion: Expansion?, isMixed: Bool, isNumber: Bool
        ) {
            self.label = label
            self.path = path
            self.expansion = expansion
            self.isMixed = isMixed
            self.isNumber = isNumber
        }
    }

    package init(
        table: TableInfo, fields: [Field], columns: [Int], explode: FieldPath?, namesClass: Bool,
        file: String? = nil, sql: SQLTable? = nil
    ) {
        self.table = table
        self.fields = fields
        self.columns = columns
        self.explode = explode
        self.namesClass = namesClass
        self.file = file
        self.sql = sql
    }
}

extension RecordPlan {
    /// Members that JSON records may begin with.
    package static let fileMember = "$file"
    static let classMember = "$class"

    /// The members that precede the fields, with their texts.
    var firstMembers: [(name: String, text: String)] {
        [(Self.fileMember, file), (Self.classMember, namesClass ? table.className : nil)]
            .compactMap { name, text in text.map { (name, $0) } }
    }

    /// A name that a record would have twice.
    package var ambiguousName: String? {
        firstMembers.first { member in fields.contains { $0.label == member.name } }?.name
    }
}

/// A fact that `--provenance` prints about an object.
package enum ProvenancePart: Sendable {
    /// Byte offset of its cluster leaf.
    case offset
    /// Its row there.
    case row
    /// Byte offsets of the leaves of its values.
    case values
}

/// Something known of a record that is no value of its object.
package enum RecordFact: Sendable {
    /// Left out of JSON, null in a cell.
    case none
    /// Null everywhere.
    case unknown
    case number(Int64)
    case text(String)
    case names([String])
    case range(ClosedRange<UInt64>)
}

/// Where a field's value is found: a property of the record's object, and steps from there.
package struct FieldPath: Sendable {
    package enum Source: Sendable {
        /// Position in the plan's `columns`.
        case column(Int)
        /// The object key.
        case key
        /// Incoming links: an index into the table's `backlinks`.
        case backlinks(Int)
        /// The element of the exploded collection.
        case element
        /// Its key, when that is a dictionary.
        case elementKey
        /// Its position, from 0.
        case elementIndex
        /// What is said of an embedded object's owner; in SQL alone.
        case owner(OwnerPart)
        /// A fact of the renderer about the record, by its position.
        case fact(Int)
        /// The place in the file that the record was read from.
        case provenance(ProvenancePart)
    }

    package let source: Source
    /// Properties of linked objects and keys of dictionaries.
    package let steps: [String]

    package init(source: Source, steps: [String]) {
        self.source = source
        self.steps = steps
    }
}
