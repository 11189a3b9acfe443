import RealmEngine

/// What one record holds: a field for each column of the output. Immutable, shared by all threads.
final class RecordPlan: Sendable {
    let table: TableInfo
    let fields: [Field]
    /// Columns of the table that the fields begin with; a field's `.column` is a position in here.
    let columns: [Int]
    /// The collection of which every element becomes a record.
    let explode: FieldPath?
    /// JSON records begin with `"$class"`.
    let namesClass: Bool

    struct Field: Sendable {
        /// Member name or column heading.
        let label: String
        let path: FieldPath
        /// What links at the end of the path become.
        let expansion: Expansion?
        /// The property may hold values of any type.
        let isMixed: Bool
        /// Numbers stand to the right in tables.
        let isNumber: Bool
    }

    init(
        table: TableInfo, fields: [Field], columns: [Int], explode: FieldPath?, namesClass: Bool
    ) {
        self.table = table
        self.fields = fields
        self.columns = columns
        self.explode = explode
        self.namesClass = namesClass
    }
}

/// Where a field's value is found: a property of the record's object, and steps from there.
struct FieldPath: Sendable {
    enum Source: Sendable {
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
    }

    let source: Source
    /// Properties of linked objects and keys of dictionaries.
    let steps: [String]
}
