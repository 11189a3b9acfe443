import RealmEngine

/// The fields of the records of one table. For csv and the text table, a field is a column of the
/// output. Immutable, and shared by all threads.
package final class RecordPlan: Sendable {
    package let table: TableInfo
    package let fields: [Field]
    /// Columns of the table that the fields need. `FieldPath.Source.column` is an index into this
    /// array.
    package let columns: [Int]
    /// Path of the collection for whose elements records are printed; nil to print objects.
    let explode: FieldPath?
    /// Whether JSON records begin with `"$class"`.
    package let namesClass: Bool
    /// Path of the database file, if JSON records begin with it as `"$file"`; otherwise nil.
    let file: String?
    /// SQL table to which the records are written; nil for other output formats.
    let sql: SQLTable?

    package struct Field: Sendable {
        /// Name of the field: a member name in JSON, a column heading elsewhere.
        let label: String
        package let path: FieldPath
        /// Links at the end of the path to print as objects (`--expand`); nil to print all as
        /// links.
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

    /// Members with constant values before the fields of a JSON record: `$file` and `$class`, if
    /// they are requested.
    var firstMembers: [(name: String, text: String)] {
        [(Self.fileMember, file), (Self.classMember, namesClass ? table.className : nil)]
            .compactMap { name, text in text.map { (name, $0) } }
    }

    /// A name that JSON records would contain twice; nil if there is none.
    package var ambiguousName: String? {
        firstMembers.first { member in fields.contains { $0.label == member.name } }?.name
    }
}

/// A fact that `--provenance` prints about an object.
package enum ProvenancePart: Sendable {
    /// Byte offset of the object's cluster leaf.
    case offset
    /// Row of the object in the leaf.
    case row
    /// Byte offsets of the leaves of the object's values.
    case values
}

/// A value of a record that the caller of the renderer supplies, instead of a property of the
/// object.
package enum RecordFact: Sendable {
    /// No value: left out of JSON, null in a cell.
    case none
    /// An unknown value: `null` in JSON, and the text of null in a cell.
    case unknown
    case number(Int64)
    case text(String)
    case names([String])
    case range(ClosedRange<UInt64>)
}

/// Path from an object to a field's value: a source in the object, then property names and
/// dictionary keys.
package struct FieldPath: Sendable {
    package enum Source: Sendable {
        /// A property, by its index in the plan's `columns`.
        case column(Int)
        /// The object key.
        case key
        /// Objects that link to the object. The number is an index into the table's `backlinks`.
        case backlinks(Int)
        /// The element of the collection of `--explode` for which the record is printed.
        case element
        /// Dictionary key of the element that the record is printed for, with `--explode`.
        case elementKey
        /// Position in its collection, from 0, of the element that the record is printed for, with
        /// `--explode`.
        case elementIndex
        /// Class, property or key of the object that contains an embedded object. Only in SQL
        /// output.
        case owner(OwnerPart)
        /// A value that the caller of the renderer supplies in `RecordRenderer.facts`, by index.
        case fact(Int)
        /// Offset or row in the file from which the record was read.
        case provenance(ProvenancePart)
    }

    package let source: Source
    /// Names to follow from `source`: properties of linked objects and keys of dictionaries. An
    /// example is `address` and `city` for `owner.address.city`, whose source is the column
    /// `owner`.
    package let steps: [String]
    /// Function that is applied to each value at the end of the path, such as `month`; nil if there
    /// is none.
    let function: FieldFunction?

    package init(source: Source, steps: [String], _ function: FieldFunction? = nil) {
        self.source = source
        self.steps = steps
        self.function = function
    }
}
