import RealmEngine

/// Records of what happened to classes and properties (realm-tools(7), CHANGE RECORDS).
extension ChangeRecords {
    /// What `SchemaChange(record:)` reads.
    static func append(
        _ step: SchemaDifference.Step, version: UInt64, to out: inout ByteBuffer
    ) {
        out.append("{\"op\":\"schema\",\"version\":")
        out.append(number: Int(clamping: version))
        if let name = step.className {
            out.append(",\"class\":")
            out.append(json: name)
        }
        out.append(",\"change\":\"")
        out.append(step.change.recordName)
        out.append("\"")
        if let property = step.change.property {
            out.append(",\"property\":")
            out.append(json: property)
        }
        if let reason = step.reason {
            out.append(",\"reason\":\"")
            out.append(reason)
            out.append("\"")
        }
        switch step.change {
        case .addClass(let spec):
            out.append(",\"kind\":\"" + spec.kindName + "\",\"primaryKey\":")
            if let key = spec.primaryKey.flatMap({ spec.property($0) }) {
                key.appendJSON(to: &out)
            } else {
                out.append("null")
            }
        case .addProperty(_, let property):
            out.append(",\"definition\":")
            property.appendJSON(to: &out)
        case .setIndex(_, _, let kind):
            out.append(",\"index\":\"")
            out.append(kind.recordName)
            out.append("\"")
        case .setVersion(let version):
            out.append(",\"schemaVersion\":")
            out.append(number: version)
        case .dropClass, .dropProperty, .setOptional, .renameClass, .renameProperty: break
        }
        out.append("}")
    }
}

extension SchemaChange {
    /// What a change record calls it.
    var recordName: StaticString {
        switch self {
        case .addClass: "add-class"
        case .addProperty: "add-property"
        case .dropClass: "remove-class"
        case .dropProperty: "remove-property"
        case .setOptional(_, _, true): "make-optional"
        case .setOptional(_, _, false): "make-required"
        case .setIndex: "set-index"
        case .setVersion: "set-version"
        case .renameClass, .renameProperty: "rename"
        }
    }

    /// The property it is about.
    var property: String? {
        switch self {
        case .addProperty(_, let property): property.name
        case .dropProperty(_, let name), .setOptional(_, let name, _), .setIndex(_, let name, _):
            name
        case .renameProperty(_, let name, _): name
        case .addClass, .dropClass, .renameClass, .setVersion: nil
        }
    }
}

extension IndexKind {
    /// What a change record calls it.
    var recordName: StaticString {
        switch self {
        case .none: "none"
        case .general: "general"
        case .fullText: "fulltext"
        }
    }
}

extension ClassSpec {
    var kindName: String {
        switch kind {
        case .topLevel: "class"
        case .embedded: "embedded"
        case .asymmetric: "asymmetric"
        }
    }
}
