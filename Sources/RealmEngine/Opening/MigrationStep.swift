/// A step that a migration applies to the file: a change of the schema, or a step that only
/// migrations need.
enum MigrationStep {
    case change(SchemaChange)
    /// Replaces a property of a class by another property of the same name. Every object gets the
    /// default value of the new property's type; the values of the old property are lost.
    case replaceProperty(String, PropertyDescription)

    /// Makes the schema change of this step in a transaction.
    func apply(_ transaction: WriteTransaction) throws(RealmError) {
        switch self {
        case .change(let change): try change.apply(transaction)
        case .replaceProperty(let name, let property):
            try SchemaChange.dropProperty(name, property.name).apply(transaction)
            try SchemaChange.addProperty(name, property).apply(transaction)
        }
    }
}
