import RealmEngine

/// Converts the records of an input into rows of their classes. Confined to its thread.
final class RecordStage {
    let plans: ClassPlans
    let json: JSONStage
    private var table: TableStage?

    /// - Parameter header: of a table; empty for JSON.
    init(
        _ plans: ClassPlans, className: String, header: [String], _ request: WriteRequest
    ) throws(RealmError) {
        self.plans = plans
        let table = className == "-" ? nil : try plans.table(named: className)
        if let table, table.kind == .embedded {
            throw .misuse(
                "class \(className) is embedded: its objects stand inside their parents",
                code: "IllegalOperation", reason: "embedded")
        }
        json = JSONStage(plans, table, request)
        if request.format == .csv || request.format == .tsv {
            self.table = try TableStage(json, header, request)
        }
    }

    /// The next record, converted.
    @inline(__always)
    func next(_ input: RecordInput) throws(RealmError) -> RecordEvent<ClassPlan> {
        try input.next(
            json: { (reader, value) throws(RecordError) in
                do throws(ValueMismatch) { return try json.take(value) } catch {
                    throw reader.error(error)
                }
            },
            table: { (reader, row) throws(RecordError) in
                guard let table else { preconditionFailure("tables have a stage") }
                return try table.take(reader, row)
            })
    }
}
