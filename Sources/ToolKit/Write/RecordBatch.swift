import RealmEngine

/// Consecutive records of one class, read, checked and converted: what `RecordFeed` hands over.
///
/// Owns all its bytes. Made on the thread that reads, used up on the one that writes.
final class RecordBatch: @unchecked Sendable {
    /// What follows the last record.
    enum Ending {
        case more, end
        /// A record that is refused, as written.
        case rejected(RecordError, [UInt8])
        case failed(RealmError)
    }

    /// A value that needs more than its place in the row.
    struct Structure {
        let row: Int
        let column: Int
        let value: StagedValue
    }

    let plans: ClassPlans
    let rows: RowBatch
    /// The records as written.
    private(set) var records: KeptRecords
    private(set) var structures: [Structure] = []
    /// All objects may be created in one go.
    private(set) var isPlain = true
    var ending = Ending.more
    /// Whatever was converted has to be committed with these.
    var isDue = false
    /// Of the input, up to here.
    var bytesRead = 0
    private let arena = ScratchArena()

    init(_ plans: ClassPlans, _ table: TableInfo, _ input: RecordInput, capacity: Int) {
        self.plans = plans
        rows = RowBatch(table, capacity: capacity)
        records = KeptRecords(input)
    }

    var count: Int { rows.count }

    /// Bytes the batch takes, about.
    var byteCount: Int { rows.byteCount + records.byteCount }

    private func addStructures(_ plan: ClassPlan) {
        for structure in plan.structures {
            // Collections of a new object are empty anyway.
            if structure.value.isEmptyCollection, plan.isCollection[structure.column] { continue }
            if structure.value.mayMakeObjects(plans) { isPlain = false }
            structures.append(
                Structure(
                    row: rows.count, column: structure.column,
                    value: structure.value.kept(in: arena)))
        }
    }

    /// Takes the record that fills the plan's row.
    func append(_ plan: ClassPlan, _ input: RecordInput) {
        if plan.hasStructures { addStructures(plan) }
        // Objects that are named, or not named, take a closer look.
        if plan.objectKey != nil { isPlain = false }
        if plan.table.primaryKey != nil, plan.primaryKey == nil { isPlain = false }
        rows.append(UnsafeBufferPointer(plan.row))
        records.add(input.recordBytes, input.place)
    }
}

extension StagedValue {
    /// Storing the value may create objects that stand on their own.
    func mayMakeObjects(_ plans: ClassPlans) -> Bool {
        switch self {
        case .value, .reference: return false
        case .list(let elements): return elements.contains { $0.mayMakeObjects(plans) }
        case .dictionary(let entries): return entries.contains { $0.value.mayMakeObjects(plans) }
        case .object(let object):
            if plans.schema.table(object.table)?.kind != .embedded { return true }
            return object.fields.contains { $0.value.mayMakeObjects(plans) }
        }
    }
}
