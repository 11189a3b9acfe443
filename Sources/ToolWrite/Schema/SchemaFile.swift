import RealmEngine
import RealmRecords
import ToolKit

/// A schema file in the JSON or text form of `realm-query --schema`.
struct SchemaFile {
    /// Schema version; nil if the file does not contain it.
    let version: UInt64?
    let classes: [ClassSpec]

    private static let maximumFileSize = 64 << 20

    /// Reads the schema at `path`. Throws `misuse` with the position of a mistake.
    init(path: String) throws(RealmError) {
        let buffer = try InputFile(path).readAll(limit: Self.maximumFileSize)
        let first = buffer.bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            do throws(SchemaText.Fault) {
                let text = try SchemaText(buffer.string)
                (version, classes) = (text.version, text.classes)
            } catch {
                throw Self.bad(
                    "line \(error.line): expected \(error.expected), got \(error.got)", path)
            }
            return
        }
        let tape = JSONTape()
        let root: JSONValue
        do throws(RecordError) {
            let bytes = buffer.bytes
            let start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!
            root = try tape.parse(copying: ByteView(start, count: bytes.count))
        } catch {
            throw Self.bad(
                "line \(error.line), column \(error.column): expected \(error.expected), got "
                    + error.got, path)
        }
        do throws(ValueMismatch) {
            version = try Self.version(root)
            classes = try Self.classes(root)
        } catch {
            let place = tape.path(to: error.value.index).map { $0 + ": " } ?? ""
            throw Self.bad("\(place)expected \(error.expected), got \(error.got)", path)
        }
    }

    private static func bad(_ message: String, _ path: String) -> RealmError {
        RealmError(
            .misuse, code: "SchemaMismatch", reason: "bad-schema-file", message, file: path,
            hint: "realm-query --schema prints a schema in the right form, with --json or without")
    }

    private static func version(_ root: JSONValue) throws(ValueMismatch) -> UInt64? {
        guard root.kind == .object else { throw ValueMismatch(root, expected: "an object") }
        guard let value = root.field("schemaVersion"), !value.isNull else { return nil }
        guard let number = value.int.flatMap({ UInt64(exactly: $0) }) ?? value.unsigned else {
            throw ValueMismatch(value, expected: "a schema version")
        }
        return number
    }

    private static func classes(_ root: JSONValue) throws(ValueMismatch) -> [ClassSpec] {
        guard let list = root.field("classes"), list.kind == .array else {
            throw ValueMismatch(root, expected: "the array \"classes\"")
        }
        var classes: [ClassSpec] = []
        var names: Set<String> = []
        for item in list.children {
            let spec = try classSpec(item)
            guard names.insert(spec.name).inserted else {
                throw ValueMismatch(item, expected: "every class once", got: spec.name + " twice")
            }
            classes.append(spec)
        }
        return classes
    }

    private static func classSpec(_ item: JSONValue) throws(ValueMismatch) -> ClassSpec {
        let name = try text(item, "name")
        var spec = ClassSpec(
            name: name, kind: try kind(item), primaryKey: try optionalText(item, "primaryKey"),
            properties: [])
        guard let list = item.field("properties"), list.kind == .array else {
            throw ValueMismatch(item, expected: "the array \"properties\"")
        }
        for item in list.children {
            let property = try self.property(item)
            guard spec.property(property.name) == nil else {
                throw ValueMismatch(
                    item, expected: "every property once", got: property.name + " twice")
            }
            spec.append(property)
            if try flag(item, "primaryKey"), spec.primaryKey == nil {
                spec.primaryKey = property.name
            }
        }
        if let key = spec.primaryKey, spec.property(key) == nil {
            throw ValueMismatch(item, expected: "a property \(key), the primary key", got: "none")
        }
        return spec
    }

    static func kind(_ item: JSONValue) throws(ValueMismatch) -> TableKind {
        switch try optionalText(item, "kind") {
        case nil, "class": return .topLevel
        case "embedded": return .embedded
        case "asymmetric": return .asymmetric
        default:
            throw ValueMismatch(
                item.field("kind")!, expected: "\"class\", \"embedded\" or \"asymmetric\"")
        }
    }

    static func property(_ item: JSONValue) throws(ValueMismatch) -> PropertyDescription {
        let typeName = try text(item, "type")
        guard let type = ColumnType(name: typeName) else {
            throw ValueMismatch(
                item.field("type")!,
                expected: "a type: \(ColumnType.names.joined(separator: ", ")) or "
                    + "\(ColumnType.link.name), a link to the class \"target\"")
        }
        var property = PropertyDescription(try text(item, "name"), type)
        property.isOptional = try flag(item, "optional")
        if let name = try optionalText(item, "collection") {
            guard let collection = CollectionKind(rawValue: name) else {
                throw ValueMismatch(
                    item.field("collection")!, expected: "\"list\", \"set\" or \"dictionary\"")
            }
            property.collection = collection
        }
        switch try optionalText(item, "keyType") {
        case nil, "string": break
        case "int" where property.collection == .dictionary: property.hasIntegerKeys = true
        default: throw ValueMismatch(item.field("keyType")!, expected: "\"string\" or \"int\"")
        }
        property.target = try optionalText(item, "target")
        guard (type == .link) == (property.target != nil) else {
            throw ValueMismatch(
                item, expected: "\"target\" with type \"object\" and no other", got: typeName)
        }
        property.isIndexed = try flag(item, "indexed")
        property.isFullText = try flag(item, "fulltext")
        return property
    }

    private static func text(
        _ item: JSONValue, _ name: StaticString
    ) throws(ValueMismatch) -> String {
        guard let text = try optionalText(item, name), !text.isEmpty else {
            throw ValueMismatch(item, expected: "the text \"\(name)\"")
        }
        return text
    }

    private static func optionalText(
        _ item: JSONValue, _ name: StaticString
    ) throws(ValueMismatch) -> String? {
        guard item.kind == .object else { throw ValueMismatch(item, expected: "an object") }
        guard let value = item.field(name), !value.isNull else { return nil }
        guard value.kind == .string else { throw ValueMismatch(value, expected: "a text") }
        return value.text.string
    }

    private static func flag(
        _ item: JSONValue, _ name: StaticString
    ) throws(ValueMismatch) -> Bool {
        guard let value = item.field(name), !value.isNull else { return false }
        guard let flag = value.bool else { throw ValueMismatch(value, expected: "true or false") }
        return flag
    }
}
