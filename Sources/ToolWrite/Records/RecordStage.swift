import RealmEngine
import ToolKit

/// Converts the records of an input into rows of their classes. Confined to its thread.
final class RecordStage {
    let plans: ClassPlans
    /// What to do with the record converted last.
    private(set) var mode: WriteRequest.Mode
    /// What the record converted last does to the schema.
    private(set) var schemaChange: SchemaChange?
    /// What it says of the stream.
    private(set) var mark: StreamMark?
    private let json: JSONStage
    private var table: TableStage?
    private var changes: ChangeStage?

    /// - Parameter header: of a table; empty for JSON.
    init(
        _ plans: ClassPlans, className: String, header: [String], _ request: WriteRequest
    ) throws(RealmError) {
        self.plans = plans
        mode = request.mode
        let table = className == "-" ? nil : try plans.table(named: className)
        if let table, table.kind == .embedded {
            throw .misuse(
                "class \(className) is embedded: its objects stand inside their parents",
                code: "IllegalOperation", reason: "embedded")
        }
        json = JSONStage(plans, table, request)
        switch request.format {
        case .csv, .tsv: self.table = try TableStage(json, header, request)
        case .changes: changes = ChangeStage(json)
        case .ndjson, .json: break
        }
    }

    /// The next record, converted; nil in its place if there is nothing to do.
    @inline(__always)
    func next(_ input: RecordInput) throws(RealmError) -> RecordEvent<ClassPlan?> {
        try input.next(
            json: { (reader, value) throws(RecordError) in
                do throws(ValueMismatch) {
                    if changes != nil { return try nextChange(value) }
                    return try json.take(value)
                } catch {
                    throw reader.error(error)
                }
            },
            table: { (reader, row) throws(RecordError) in
                guard let table else { preconditionFailure("tables have a stage") }
                return try table.take(reader, row)
            })
    }

    private func nextChange(_ value: JSONValue) throws(ValueMismatch) -> ClassPlan? {
        schemaChange = nil
        mark = nil
        switch try changes?.take(value) {
        case nil: return nil
        case .schema(let change)?:
            schemaChange = change
            return nil
        case .mark(let found)?:
            mark = found
            return nil
        case .object(let plan, let mode)?:
            self.mode = mode
            return plan
        }
    }
}
