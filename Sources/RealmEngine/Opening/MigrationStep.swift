/// A step of a migration: a change of the schema as anybody may plan one, or one that only the way from
/// one set of models to another needs.
enum MigrationStep {
    case change(SchemaChange)
    /// Another property of the same name takes the place of one, with the values of a new object.
    case replaceProperty(String, PropertyDescription)
    case setPrimaryKey(String, String?)
    case setKind(String, TableKind)

    /// Carries the step out.
    func apply(_ transaction: WriteTransaction) throws(RealmError) {
        switch self {
        case .change(let change): try change.apply(transaction)
        case .replaceProperty(let name, let property):
            try SchemaChange.dropProperty(name, property.name).apply(transaction)
            try SchemaChange.addProperty(name, property).apply(transaction)
        case .setPrimaryKey(let name, let property):
            let table = try transaction.existing(name)
            let column = try property.map { property throws(RealmError) in
                try transaction.existing(property, in: table)
            }
            try transaction.setPrimaryKey(table, column)
        case .setKind(let name, let kind):
            try transaction.setKind(try transaction.existing(name), kind)
        }
    }
}
