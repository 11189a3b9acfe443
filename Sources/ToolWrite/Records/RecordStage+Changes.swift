import RealmEngine
import RealmRecords
import ToolKit

/// Checks and converts change records, as printed by `--watch` and `--diff` (realm-tools(7), CHANGE
/// RECORDS).
struct ChangeStage {
    private let json: JSONStage

    init(_ json: JSONStage) { self.json = json }

    /// Effect of a change record: an object written with the values in a `ClassPlan`, a schema
    /// change, or a mark between versions of the stream.
    enum Change {
        case object(ClassPlan, WriteRequest.Mode)
        case schema(SchemaChange)
        case mark(StreamMark)
    }

    /// Converts a change record. Returns nil for a record without effect.
    func take(_ record: JSONValue) throws(ValueMismatch) -> Change? {
        guard let op = record.field("op"), op.kind == .string else {
            throw ValueMismatch(record, expected: "a change record with the field \"op\"")
        }
        let mode: WriteRequest.Mode
        switch op.text {
        // An insert overwrites an existing object: if the record is delivered twice, the state is
        // the same.
        case let text where text.equals("insert"): mode = .upsert
        case let text where text.equals("update"): mode = .update
        case let text where text.equals("delete"): mode = .delete
        case let text where text.equals("schema"):
            return .schema(try SchemaRecord.change(record, only: json.table?.className))
        case let text where text.equals("ready") || text.equals("heartbeat"): return nil
        case let text where text.equals("commit") || text.equals("resync"):
            return try StreamMark(record).map { .mark($0) }
        default: throw ValueMismatch(op, expected: "insert, update, delete or schema")
        }
        let plan = json.plans.plan(try table(record))
        plan.begin()
        if mode != .delete { try fill(plan, record) }
        if let key = record.field("key") { try identify(plan, key) }
        return .object(plan, mode)
    }

    private func table(_ record: JSONValue) throws(ValueMismatch) -> TableInfo {
        guard let name = record.field("class") else {
            throw ValueMismatch(
                record, .missingPropertyValue, expected: "the field \"class\"", got: "none")
        }
        let table = try json.table(named: name)
        if let only = json.table, only.key != table.key {
            throw ValueMismatch(name, .noSuchTable, expected: "class \(only.className)")
        }
        return table
    }

    private func fill(_ plan: ClassPlan, _ record: JSONValue) throws(ValueMismatch) {
        guard let object = record.field("object"), object.kind == .object else {
            throw ValueMismatch(record, expected: "the object \"object\"")
        }
        try json.fill(plan, object)
    }

    /// Sets the primary key or object key in `plan` to the member `key` of the record, whatever the
    /// member `object` contains.
    private func identify(_ plan: ClassPlan, _ key: JSONValue) throws(ValueMismatch) {
        guard let column = plan.table.primaryKey else {
            plan.objectKey = try json.objectKey(key)
            return
        }
        let info = plan.table.columns[column]
        plan.row[column] = try key.scalar(info.type, isNullable: info.isNullable)
        plan.given[column] = .inRow
    }
}
