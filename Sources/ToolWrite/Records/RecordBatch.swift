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

    /// Which part of a version the batch is that has a transaction of its own.
    enum Part {
        case none, beginning, middle, end
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
    /// By row the object keys that records ask for, and why they are refused.
    private var objectKeys: [Int: ObjectKey] = [:]
    private var refusals: [Int: RecordError] = [:]
    /// All objects may be created in one go.
    private(set) var isPlain: Bool
    var ending = Ending.more
    /// Whatever was read has to be committed with these.
    var isDue = false
    /// Numbers of records of the batch at which a commit is due before its end.
    var dues: [Int] = []
    var part = Part.none
    /// The version whose parts came before was broken off.
    var forgetsPart = false
    /// The input ends inside a version, which is left out.
    var isCutOff = false
    /// What has been written so far.
    private(set) var position = 0
    private var nextDue = 0
    /// All of it has been taken, and its ending is next.
    private(set) var isUsedUp = false
    /// For records that are not converted: how many of them have been read again.
    private var again: RecordInput?
    private var readAgain = 0
    /// The structures of rows before it have been given back.
    private var nextStructure = 0
    /// Of the input, up to here.
    var bytesRead = 0
    /// When it had been read.
    var time: UInt64 = 0
    private let arena = ScratchArena()

    /// Rows, and which of their columns the records gave a value.
    final class Conversion {
        let plans: ClassPlans
        let rows: RowBatch
        private let columns: Int
        private let given: UnsafeMutablePointer<FieldPresence>

        init(_ plans: ClassPlans, _ table: TableInfo, capacity: Int) {
            self.plans = plans
            rows = RowBatch(table, capacity: capacity)
            columns = table.columns.count
            given = .allocate(capacity: capacity * columns)
        }

        deinit { given.deallocate() }

        @_optimize(speed)
        func append(_ plan: ClassPlan) {
            let place = given + rows.count &* columns
            rows.append(UnsafeBufferPointer(plan.row))
            for column in 0..<columns { place[column] = plan.given[column] }
        }

        func given(_ row: Int) -> UnsafeBufferPointer<FieldPresence> {
            precondition(row >= 0 && row < rows.count)
            return UnsafeBufferPointer(start: given + row * columns, count: columns)
        }
    }

    /// - Parameter conversion: plans, and the class of all records.
    init(_ conversion: (ClassPlans, TableInfo)?, _ input: RecordInput, capacity: Int) {
        converted = conversion.map { plans, table in
            Conversion(plans, table, capacity: capacity)
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
        return (16 * rows.capacity + RowBatch.bytesPerColumn) * rows.table.columns.count
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
        if case .end = ending { return count == 0 && !forgetsPart }
        return false
    }

    /// There is nothing to do.
    var isEmpty: Bool {
        if case .more = ending { return count == 0 && !forgetsPart && !isDue }
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

    /// A record, converted for `stage`: as it is in its row, or read now if it has none that holds for
    /// the schema. Records are asked for in their order, each once.
    func record(
        _ index: Int, _ stage: RecordStage, name: String
    ) throws(RealmError) -> RecordEvent<ClassPlan?> {
        if let converted, converted.plans.schema === stage.plans.schema {
            if let refusal = refusals[index] { return .rejected(refusal) }
            let plan = stage.plans.plan(converted.rows.table)
            restore(index, converted, plan)
            return .record(plan)
        }
        let input: RecordInput
        if let again { input = again } else { input = try records.input(name: name) }
        again = input
        while readAgain < index {
            _ = try input.skip()
            readAgain += 1
        }
        readAgain += 1
        return try stage.next(input).relocated(to: records.places[index], from: input)
    }

    /// Fills the plan's row as the record did.
    private func restore(_ row: Int, _ converted: Conversion, _ plan: ClassPlan) {
        plan.begin()
        converted.rows.read(row, into: plan.row)
        while nextStructure < structures.count, structures[nextStructure].row < row {
            nextStructure += 1
        }
        let first = nextStructure
        while nextStructure < structures.count, structures[nextStructure].row == row {
            nextStructure += 1
        }
        plan.restore(
            converted.given(row), structures[first..<nextStructure], objectKeys[row])
    }

    // MARK: Filling

    /// Takes the current record of the input as it is written.
    @_optimize(speed)
    func append(_ input: RecordInput) {
        records.add(input.recordBytes, input.place)
    }

    /// Takes records that were held.
    @_optimize(speed)
    func append(_ held: borrowing KeptRecords) {
        for index in held.places.indices { records.add(held.record(index), held.places[index]) }
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
    @_optimize(speed)
    func append(_ plan: ClassPlan, _ input: RecordInput) {
        if let converted { add(plan, to: converted, row: count) }
        append(input)
    }

    @_optimize(speed)
    private func add(_ plan: ClassPlan, to converted: Conversion, row: Int) {
        if plan.hasStructures { addStructures(plan, converted.plans, row: row) }
        // Objects that are named, or not named, take a closer look.
        if let key = plan.objectKey {
            isPlain = false
            objectKeys[row] = key
        }
        if plan.table.primaryKey != nil, plan.primaryKey == nil { isPlain = false }
        converted.append(plan)
    }

    /// Converts the records, all of which are there.
    @_optimize(speed)
    func convert(_ stage: RecordStage, _ table: TableInfo, name: String) {
        guard count > 0, let input = try? records.input(name: name) else { return }
        let fresh = Conversion(stage.plans, table, capacity: count)
        isPlain = true
        for row in 0..<count where !convert(row, input, stage, to: fresh) {
            isPlain = false
            return
        }
        converted = fresh
    }

    /// False when there is no record.
    @_optimize(speed)
    private func convert(
        _ row: Int, _ input: RecordInput, _ stage: RecordStage, to fresh: Conversion
    ) -> Bool {
        let event = try? stage.next(input)
        switch event?.relocated(to: records.places[row], from: input) {
        case .record(let plan?):
            add(plan, to: fresh, row: row)
        case .rejected(let error):
            isPlain = false
            refusals[row] = error
            let plan = stage.plans.plan(fresh.rows.table)
            plan.begin()
            add(plan, to: fresh, row: row)
        case nil, .record(nil), .end: return false
        }
        return true
    }
}

extension RecordEvent {
    /// The same of a record that stands elsewhere in the whole input.
    func relocated(to place: RecordPlace, from input: RecordInput) -> RecordEvent {
        guard case .rejected(let error) = self else { return self }
        return .rejected(error.relocated(to: place, from: input.position))
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
