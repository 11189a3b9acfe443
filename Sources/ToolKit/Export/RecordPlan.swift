import RealmEngine

/// Content of the records of one table: a field for each column of the output. Immutable, shared by
/// all threads.
package final class RecordPlan: Sendable {
    package let table: TableInfo
    package let fields: [Field]
    /// Columns of the table at which fields begin. `.column` of a field is an index into this
    /// array.
    package let columns: [Int]
    /// Path of the collection whose elements become records; nil to print objects.
    let explode: FieldPath?
    /// Whether JSON records begin with `"$class"`.
    package let namesClass: Bool
    /// Path of the database file, with which JSON records begin as `"$file"`; nil to leave it out.
    let file: String?
    /// Destination table in SQL; nil for other forms.
    let sql: SQLTable?

    package struct Field: Sendable {
        /// Member name or column heading.
        let label: String
        package let path: FieldPath
        /// Expansion of links at the end of the path; nil if links are printed as links.
        package let expansion: Expansion?
        /// Whether the property takes values of any type.
        package let isMixed: Bool
        /// Whether the field is flush right in tables.
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
    /// Names of members with which JSON records may begin.
    package static let fileMember = "$file"
    static let classMember = "$class"

    /// Members before the fields and their values.
    var firstMembers: [(name: String, text: String)] {
        [(Self.fileMember, file), (Self.classMember, namesClass ? table.className : nil)]
            .compactMap { name, text in text.map { (name, $0) } }
    }

    /// Name that JSON records would contain twice; nil if there is none.
    package var ambiguousName: String? {
        firstMembers.first { member in fields.contains { $0.label == member.name } }?.name
    }
}

/// A fact that `--provenance` prints about an object.
package enum ProvenancePart: Sendable {
    /// Byte offset of its cluster leaf.
    case offset
    /// Row of the object in the leaf.
    case row
    /// Byte offsets of the leaves of its values.
    case values
}

/// A value of a record that is not a property of its object.
package enum RecordFact: Sendable {
    /// No fact: left out of JSON, null in a cell.
    case none
    /// A fact that is null in JSON, too.
    case unknown
    case number(Int64)
    case text(String)
    case names([String])
    case range(ClosedRange<UInt64>)
}

/// Source of a field's value: a property or another fact of the object, and steps from there.
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
        /// Key of the exploded element if the collection is a dictionary.
        case elementKey
        /// Position of the exploded element, from 0.
        case elementIndex
        /// Class, property or key of an embedded object's owner; only in SQL.
        case owner(OwnerPart)
        /// Fact of the renderer about the record, by its index.
        case fact(Int)
        /// Offset or row in the file from which the record was read.
        case provenance(ProvenancePart)
    }

    package let source: Source
    /// Properties of linked objects and keys of dictionaries.
    package let steps: [String]
    /// Applied to each value that the steps reach.
    let function: FieldFunction?

    package init(source: Source, steps: [String], _ function: FieldFunction? = nil) {
        self.source = source
        self.steps = steps
        self.function = function
    }
}
