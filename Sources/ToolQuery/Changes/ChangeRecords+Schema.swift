import RealmEngine
import ToolKit

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
            out.append(",\"kind\":\"" + spec.kind.name + "\",\"primaryKey\":")
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
