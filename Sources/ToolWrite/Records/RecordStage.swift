import RealmEngine
import RealmRecords
import ToolKit

/// Converts the records of an input to values of their classes. Confined to its thread.
final class RecordStage {
    let plans: ClassPlans
    /// Write mode of the record that was converted last.
    private(set) var mode: WriteRequest.Mode
    /// Schema change of the record that was converted last; nil if it has none.
    private(set) var schemaChange: SchemaChange?
    /// Mark in the record that was converted last, such as the beginning or end of a version of the
    /// stream; nil if the record is not a mark.
    private(set) var mark: StreamMark?
    private let json: JSONStage
    private var table: TableStage?
    private var changes: ChangeStage?

    /// - Parameter header: column names of a table; empty for JSON.
    init(
        _ plans: ClassPlans, className: String, header: [String], _ request: WriteRequest
    ) throws(RealmError) {
        self.plans = plans
        mode = request.mode
        let table = className == "-" ? nil : try plans.table(named: className)
        if let table, table.kind == .embedded {
            throw .misuse(
                "class \(className) is embedded: its objects are parts of their parents",
                code: "IllegalOperation", reason: "embedded")
        }
        json = JSONStage(plans, table, request.rules)
        switch request.format {
        case .csv, .tsv: self.table = try TableStage(json, header, request)
        case .changes: changes = ChangeStage(json)
        case .ndjson, .json: break
        }
    }

    /// Converts the next record. Returns the `ClassPlan` of the record's class, which contains the
    /// values; nil for a record that writes no object.
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
