import RealmEngine
import ToolKit

/// Output format: JSON lines that `realm-write -m apply` can apply (realm-query(1), CHANGE
/// RECORDS).
struct ChangeLines: ChangeForm {
    static let format = OutputFormat.ndjson

    private let showsBefore: Bool
    private let terminator: UInt8

    init(_ request: ChangeRequest) {
        showsBefore = request.showsBefore
        terminator = request.request.terminator
    }

    func append(_ step: SchemaDifference.Step, version: UInt64, to out: inout ByteBuffer) {
        step.json(version: version).append(to: &out)
        out.append(terminator)
    }

    func append(
        _ change: ObjectChange, _ object: ChangedObject, version: UInt64, to out: inout ByteBuffer
    ) throws(RealmError) {
        let isInserted = change == .inserted
        try begin(isInserted ? "insert" : "delete", object, version, to: &out)
        if isInserted || showsBefore {
            out.append(isInserted ? ",\"object\":" : ",\"before\":")
            try object.side.appendObject(
                object.key, of: object.table, object.table.columns, to: &out)
        }
        end(to: &out)
    }

    func append(
        _ object: ChangedObject, _ changed: [Int], before: ChangedObject,
        to out: inout ByteBuffer
    ) throws(RealmError) {
        try begin("update", object, object.side.snapshot.version, to: &out)
        out.append(",\"changed\":[")
        for (position, column) in changed.enumerated() {
            if position > 0 { out.append(UInt8(ascii: ",")) }
            out.append(object.table.name(column))
        }
        out.append("],\"object\":")
        try object.side.appendObject(object.key, of: object.table, changed, to: &out)
        if showsBefore {
            out.append(",\"before\":")
            let columns = object.table.columns(changed, in: before.table.info)
            try before.side.appendObject(before.key, of: before.table, columns, to: &out)
        }
        end(to: &out)
    }

    private func begin(
        _ op: StaticString, _ object: ChangedObject, _ version: UInt64, to out: inout ByteBuffer
    ) throws(RealmError) {
        out.append("{\"op\":\"")
        out.append(op)
        out.append("\",\"version\":")
        out.append(number: Int(clamping: version))
        out.append(object.table.keyPrefix)
        try object.side.appendKey(object.key, of: object.table.info, to: &out)
    }

    private func end(to out: inout ByteBuffer) {
        out.append("}")
        out.append(terminator)
    }
}

extension SchemaDifference.Step {
    /// Returns the record of a schema change, which `SchemaChange(record:)` can read.
    fileprivate func json(version: UInt64) -> JSONItem {
        var members: JSONItem.Members = [("op", .text("schema")), ("version", .number(version))]
        if let name = className { members.append(("class", .text(name))) }
        members.append(("change", .text("\(change.recordName)")))
        if let property = change.property { members.append(("property", .text(property))) }
        if let reason = reason { members.append(("reason", .text("\(reason)"))) }
        switch change {
        case .addClass(let spec):
            let key = spec.primaryKey.flatMap { spec.property($0) }
            members += [("kind", .text(spec.kind.name)), ("primaryKey", key?.json ?? .null)]
        case .addProperty(_, let property): members.append(("definition", property.json))
        case .setIndex(_, _, let kind): members.append(("index", .text("\(kind.recordName)")))
        case .setVersion(let version): members.append(("schemaVersion", .number(version)))
        case .dropClass, .dropProperty, .setOptional, .renameClass, .renameProperty, .setType,
            .setPrimaryKey, .setKind:
            break
        }
        return .object(members)
    }
}
