/// A change of the schema, as a step of a plan. Classes and properties are identified by the names
/// that they have at that step.
package enum SchemaChange: Sendable {
    case renameClass(String, to: String)
    case renameProperty(String, String, to: String)
    case dropClass(String)
    case dropProperty(String, String)
    case addClass(ClassSpec)
    case addProperty(String, PropertyDescription)
    case setIndex(String, String, IndexKind)
    case setOptional(String, String, Bool)
    case setType(String, PropertyDescription, MisfitRule)
    /// Sets the primary key of a class; nil removes it.
    case setPrimaryKey(String, String?)
    case setKind(String, TableKind)
    case setVersion(UInt64)
}

/// A schema change of a plan, and its effect on the data.
package struct PlannedChange: Sendable {
    package let change: SchemaChange
    /// Description of the effect for users, such as `48211 values kept`.
    package var note: String?
    /// Whether the step deletes values that the database contains.
    package var losesData = false

    package init(change: SchemaChange, note: String? = nil, losesData: Bool = false) {
        self.change = change
        self.note = note
        self.losesData = losesData
    }

    /// Name of the change for users, such as `rename property`.
    package var action: String {
        switch change {
        case .renameClass: "rename class"
        case .renameProperty: "rename property"
        case .dropClass: "drop class"
        case .dropProperty: "drop property"
        case .addClass: "add class"
        case .addProperty: "add property"
        case .setIndex(_, _, .none): "remove index"
        case .setIndex(_, _, .fullText): "add full-text index"
        case .setIndex(_, _, .general): "add index"
        case .setOptional(_, _, true): "make optional"
        case .setOptional(_, _, false): "make required"
        case .setType: "change type"
        case .setPrimaryKey(_, nil): "remove primary key"
        case .setPrimaryKey: "set primary key"
        case .setKind(_, .embedded): "embed class"
        case .setKind: "make class top-level"
        case .setVersion: "set version"
        }
    }

    /// The class or property that is changed, such as `Email.subject -> Email.title`.
    package var subject: String {
        switch change {
        case .renameClass(let old, let new): "\(old) -> \(new)"
        case .renameProperty(let table, let old, let new): "\(table).\(old) -> \(table).\(new)"
        case .dropClass(let table): table
        case .addClass(let spec): spec.name
        case .addProperty(let table, let property): "\(table).\(property.name)"
        case .dropProperty(let table, let name), .setIndex(let table, let name, _),
            .setOptional(let table, let name, _):
            "\(table).\(name)"
        case .setType(let table, let property, _):
            "\(table).\(property.name) -> \(property.typeText)"
        case .setPrimaryKey(let table, let name): name.map { "\(table).\($0)" } ?? table
        case .setKind(let table, _): table
        case .setVersion(let version): "\(version)"
        }
    }
}

extension SchemaChange {
    /// Makes this change in a transaction.
    package func apply(_ transaction: WriteTransaction) throws(RealmError) {
        switch self {
        case .renameClass(let old, let new):
            try transaction.renameClass(try transaction.existing(old), to: new)
        case .renameProperty(let name, let old, let new):
            let table = try transaction.existing(name)
            try transaction.renameProperty(
                table, try transaction.existing(old, in: table), to: new)
        case .dropClass(let name):
            try transaction.removeClass(try transaction.existing(name))
        case .dropProperty(let name, let property):
            let table = try transaction.existing(name)
            try transaction.removeProperty(table, try transaction.existing(property, in: table))
        case .addClass(let spec): try Self.add(spec, transaction)
        case .addProperty(let name, let property):
            let table = try transaction.existing(name)
            try transaction.addProperty(table, try property.engineSpec(transaction))
        case .setIndex(let name, let property, let kind):
            let table = try transaction.existing(name)
            try transaction.setIndex(
                table, try transaction.existing(property, in: table), kind)
        case .setOptional(let name, let property, let isOptional):
            let table = try transaction.existing(name)
            try transaction.setOptional(
                table, try transaction.existing(property, in: table), isOptional)
        case .setType(let name, let property, let rule):
            let table = try transaction.existing(name)
            try transaction.changeType(
                table, try transaction.existing(property.name, in: table), to: property, rule)
        case .setPrimaryKey(let name, let property):
            let table = try transaction.existing(name)
            try transaction.setPrimaryKey(
                table,
                try property.map { (name) throws(RealmError) in
                    try transaction.existing(name, in: table)
                })
        case .setKind(let name, let kind):
            try transaction.setKind(try transaction.existing(name), kind)
        case .setVersion(let version): try transaction.setSchemaVersion(version)
        }
    }

    /// Adds the class with only its primary key. The other properties are added later, because they
    /// may link to classes that do not exist yet.
    private static func add(
        _ spec: ClassSpec, _ transaction: WriteTransaction
    ) throws(RealmError) {
        let key = try spec.primaryKey.flatMap { spec.property($0) }
            .map { property throws(RealmError) in try property.engineSpec(transaction) }
        _ = try transaction.createClass(spec.name, kind: spec.kind, primaryKey: key)
    }
}

extension PropertyDescription {
    func engineSpec(_ transaction: WriteTransaction) throws(RealmError) -> PropertySpec {
        var spec = PropertySpec(name, type)
        spec.isOptional = isOptional
        spec.collection = collection
        if let target { spec.target = try transaction.existing(target) }
        spec.hasIntegerKeys = hasIntegerKeys
        spec.isIndexed = isIndexed
        spec.isFullText = isFullText
        return spec
    }
}

extension WriteTransaction {
    func existing(_ name: String) throws(RealmError) -> TableKey {
        guard let key = table(named: name) else {
            throw .misuse(
                "there is no class \(name)", code: "NoSuchTable", reason: "unknown-class")
        }
        return key
    }

    func existing(
        _ property: String, in table: TableKey
    ) throws(RealmError) -> Int {
        guard let column = try column(named: property, in: table) else {
            throw .misuse(
                "there is no property \(property)", code: "InvalidProperty",
                reason: "unknown-property")
        }
        return column
    }
}
