import RealmEngine
import ToolKit

/// Consecutive records, read and, if they are of one class, checked and converted: what `RecordFeed`
/// hands over.
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

    /// What the records were converted with, and to; nil if they are only read.
    private(set) var converted: Conversion?
    /// The records as written.
    private(set) var records: KeptRecords
    private(set) var structures: [Structure] = []
    /// All objects may be created in one go.
    private(set) var isPlain: Bool
    var ending = Ending.more
    /// Whatever was read has to be committed with these.
    var isDue = false
    /// Numbers of records of the batch at which a commit is due before its end.
    var dues: [Int] = []
    /// What has been written so far.
    private(set) var position = 0
    private var nextDue = 0
    /// All of it has been taken, and its ending is next.
    private(set) var isUsedUp = false
    private var again: RecordInput?
    /// Of the input, up to here.
    var bytesRead = 0
    /// When it had been read.
    var time: UInt64 = 0
    private let arena = ScratchArena()

    struct Conversion {
        let plans: ClassPlans
        let rows: RowBatch
    }

    /// - Parameter conversion: plans, and the class of all records.
    init(_ conversion: (ClassPlans, TableInfo)?, _ input: RecordInput, capacity: Int) {
        converted = conversion.map { plans, table in
            Conversion(plans: plans, rows: RowBatch(table, capacity: capacity))
        }
        isPlain = conversion != nil
        records = KeptRecords(input)
    }

    var count: Int { records.places.count }

    /// Bytes of the records, as written and as converted.
    var textSize: Int { (converted?.rows.byteCount ?? 0) + records.byteCount }

    /// Bytes the batch takes, about: values that are kept apart take several times their text.
    var byteCount: Int {
        guard let rows = converted?.rows else { return records.byteCount + 512 }
        return 16 * rows.capacity * rows.table.columns.count
            + 2 * textSize + 512 * structures.count
    }

    /// Nothing follows, in the whole input.
    var endsInput: Bool {
        switch ending {
        case .more, .rejected: false
        case .end, .failed: true
        }
    }

    /// There is nothing but the end of the input.
    var isEmptyEnd: Bool {
        if case .end = ending { return count == 0 }
        return false
    }

    // MARK: Using up

    /// The records up to where a commit is due, or all that are left.
    func take() -> (records: Range<Int>, isDue: Bool) {
        let start = position
        guard nextDue < dues.count else {
            position = count
            isUsedUp = true
            return (start..<count, isDue)
        }
        position = dues[nextDue]
        nextDue += 1
        if case .more = ending { isUsedUp = position == count }
        return (start..<position, true)
    }

    /// Commits that are due in what has not been taken, the one at its end left out.
    var duesLeft: Int { dues.count - nextDue }

    /// An input of the records as written, for reading them once, in order.
    func input(name: String) throws(RealmError) -> RecordInput {
        if let again { return again }
        let fresh = try records.input(name: name)
        again = fresh
        return fresh
    }

    // MARK: Filling

    /// Takes the current record of the input as it is written.
    func append(_ input: RecordInput) {
        records.add(input.recordBytes, input.place)
    }

    private func addStructures(_ plan: ClassPlan, _ plans: ClassPlans, row: Int) {
        for structure in plan.structures {
            // Collections of a new object are empty anyway.
            if structure.value.isEmptyCollection, plan.isCollection[structure.column] { continue }
            if structure.value.mayMakeObjects(plans) { isPlain = false }
            structures.append(
                Structure(
                    row: row, column: structure.column,
                    value: structure.value.kept(in: arena)))
        }
    }

    /// Takes the current record of the input, which fills the plan's row.
    func append(_ plan: ClassPlan, _ input: RecordInput) {
        if let converted { add(plan, to: converted, row: count) }
        append(input)
    }

    private func add(_ plan: ClassPlan, to converted: Conversion, row: Int) {
        if plan.hasStructures { addStructures(plan, converted.plans, row: row) }
        // Objects that are named, or not named, take a closer look.
        if plan.objectKey != nil { isPlain = false }
        if plan.table.primaryKey != nil, plan.primaryKey == nil { isPlain = false }
        converted.rows.append(UnsafeBufferPointer(plan.row))
    }

    /// Converts the records, all of which are there; not if one of them is refused, which is found
    /// out again, and told, when they are written one by one.
    func convert(_ stage: RecordStage, _ table: TableInfo, name: String) {
        guard count > 0, let input = try? records.input(name: name) else { return }
        let fresh = Conversion(plans: stage.plans, rows: RowBatch(table, capacity: count))
        isPlain = true
        for row in 0..<count {
            guard case .record(let plan?)? = try? stage.next(input) else {
                isPlain = false
                structures = []
                return
            }
            add(plan, to: fresh, row: row)
        }
        converted = fresh
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
