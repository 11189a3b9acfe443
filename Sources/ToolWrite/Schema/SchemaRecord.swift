import RealmEngine
import RealmRecords
import ToolKit

/// Parses schema changes in streams of change records (realm-tools(7), CHANGE RECORDS).
enum SchemaRecord {
    /// Parses a record with `"op":"schema"`.
    ///
    /// - Parameter only: the only class that a change may concern; nil for any class.
    static func change(
        _ record: JSONValue, only: String?
    ) throws(ValueMismatch) -> SchemaChange {
        let kind = try required(record, "change")
        if kind.text.equals("set-version") {
            let value = try required(record, "schemaVersion", isText: false)
            guard let number = value.int.flatMap({ UInt64(exactly: $0) }) ?? value.unsigned else {
                throw ValueMismatch(value, expected: "a schema version")
            }
            return .setVersion(number)
        }
        let named = try required(record, "class")
        let name = named.text.string
        if let only, only != name {
            throw ValueMismatch(named, .noSuchTable, expected: "class \(only)")
        }
        switch kind.text {
        case let text where text.equals("add-class"): return .addClass(try spec(name, record))
        case let text where text.equals("remove-class"): return .dropClass(name)
        case let text where text.equals("add-property"):
            let definition = try required(record, "definition", isText: false)
            return .addProperty(name, try SchemaFile.property(definition))
        default: return try change(kind, name, try required(record, "property").text.string, record)
        }
    }

    private static func change(
        _ kind: JSONValue, _ name: String, _ property: String, _ record: JSONValue
    ) throws(ValueMismatch) -> SchemaChange {
        switch kind.text {
        case let text where text.equals("remove-property"): return .dropProperty(name, property)
        case let text where text.equals("make-optional"):
            return .setOptional(name, property, true)
        case let text where text.equals("make-required"):
            return .setOptional(name, property, false)
        case let text where text.equals("set-index"):
            let index = try required(record, "index")
            for kind in [IndexKind.none, .general, .fullText]
            where index.text.string == "\(kind.recordName)" {
                return .setIndex(name, property, kind)
            }
            throw ValueMismatch(index, expected: "\"none\", \"general\" or \"fulltext\"")
        default: throw ValueMismatch(kind, expected: "a schema change")
        }
    }

    private static func spec(
        _ name: String, _ record: JSONValue
    ) throws(ValueMismatch) -> ClassSpec {
        var spec = ClassSpec(
            name: name, kind: try SchemaFile.kind(record), primaryKey: nil, properties: [])
        if let key = record.field("primaryKey"), !key.isNull {
            let property = try SchemaFile.property(key)
            spec.primaryKey = property.name
            spec.properties = [property]
        }
        return spec
    }

    private static func required(
        _ record: JSONValue, _ name: StaticString, isText: Bool = true
    ) throws(ValueMismatch) -> JSONValue {
        guard let value = record.field(name), !isText || value.kind == .string else {
            throw ValueMismatch(
                record, .missingPropertyValue, expected: "the field \"\(name)\"", got: "none")
        }
        return value
    }
}
