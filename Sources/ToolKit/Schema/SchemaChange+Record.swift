import RealmEngine

extension SchemaChange {
    /// Name of the kind of schema change in change records, such as `add-class`.
    package var recordName: StaticString {
        switch self {
        case .addClass: "add-class"
        case .addProperty: "add-property"
        case .dropClass: "remove-class"
        case .dropProperty: "remove-property"
        case .setOptional(_, _, true): "make-optional"
        case .setOptional(_, _, false): "make-required"
        case .setIndex: "set-index"
        case .setType: "set-type"
        case .setPrimaryKey: "set-primary-key"
        case .setKind: "set-kind"
        case .setVersion: "set-version"
        case .renameClass, .renameProperty: "rename"
        }
    }

    /// Property that the change concerns; nil for a change of a class or of the schema version.
    package var property: String? {
        switch self {
        case .addProperty(_, let property), .setType(_, let property, _): property.name
        case .setPrimaryKey(_, let name): name
        case .dropProperty(_, let name), .setOptional(_, let name, _), .setIndex(_, let name, _):
            name
        case .renameProperty(_, let name, _): name
        case .addClass, .dropClass, .renameClass, .setKind, .setVersion: nil
        }
    }
}

extension IndexKind {
    /// Name of the kind of index in change records.
    package var recordName: StaticString {
        switch self {
        case .none: "none"
        case .general: "general"
        case .fullText: "fulltext"
        }
    }
}
