import RealmEngine
import ToolKit

/// Consecutive records from `RecordFeed`, checked and converted if they are of one class.
///
/// Owns all its bytes. Filled by the thread that reads, then used by the thread that writes, never
/// by both at a time.
final class RecordBatch: @unchecked Sendable {
    /// Event after the last record.
    enum Ending {
        case more, end
        /// A rejected record and its bytes.
        case rejected(RecordError, [UInt8])
        case failed(RealmError)
    }

    /// Part of a version that has its own transaction.
    enum Part {
        case none, beginning, middle, end
    }

    /// A value that does not fit into the row.
    struct Structure {
        let row: Int
        let column: Int
        let value: StagedValue
    }

    /// Plans and rows of converted records; nil if the records are only read.
    private(set) var converted: Conversion?
    /// The records as written.
    private(set) var records: RawRecords
    private(set) var structures: [Structure] = []
    /// Object keys that records give and errors of rejected records, by row.
    private var objectKeys: [Int: ObjectKey] = [:]
    private var refusals: [Int: RecordError] = [:]
    /// Whether the records do nothing but create objects, so that all can be created at once.
    private(set) var isPlain: Bool
    var ending = Ending.more
    /// Whether a commit is due after the batch.
    var isCommitDue = false
    /// Indexes of records in the batch before which a commit is due.
    var commitPositions: [Int] = []
    var part = Part.none
    /// Whether the version to which earlier parts belong was interrupted, so that they are to be
    /// discarded.
    var discardsPart = false
    /// Whether the input ends inside a version, which is left out.
    var isCutOff = false
    /// Number of records that have been taken.
    private(set) var position = 0
    private var nextDue = 0
    /// Whether all records have been taken, so that the ending is next.
    private(set) var isUsedUp = false
    /// Input that parses records that are not converted, and the number of records read from it.
    private var again: RecordInput?
    private var readAgain = 0
    /// Index of the first structure that belongs to a row not yet restored.
    private var nextStructure = 0
    /// Bytes of the input up to the end of the batch.
    var bytesRead = 0
    /// Time at which the batch was read, in nanoseconds.
    var time: UInt64 = 0
    private let arena = ScratchArena()

    /// Rows, and the presence of each column in their records.
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

    /// - Parameter conversion: plans, and the class of all records; nil to keep records
    ///   unconverted.
    init(_ conversion: (ClassPlans, TableInfo)?, _ input: RecordInput, capacity: Int) {
        converted = conversion.map { plans, table in
            Conversion(plans, table, capacity: capacity)
        }
        isPlain = conversion != nil
        records = RawRecords(input)
    }

    var count: Int { records.places.count }

    /// Size in bytes of the records, as written and as converted.
    var textSize: Int { (converted?.rows.byteCount ?? 0) + records.byteCount }

    /// Approximate memory in bytes: structures take several times the size of their text.
    var byteCount: Int {
        guard let rows = converted?.rows else { return records.byteCount + 512 }
        return (16 * rows.capacity + RowBatch.bytesPerColumn) * rows.table.columns.count
            + 2 * textSize + 512 * structures.count
    }

    /// Whether the input ends after the batch.
    var endsInput: Bool {
        switch ending {
        case .more, .rejected: false
        case .end, .failed: true
        }
    }

    /// Whether the batch consists only of the end of the input.
    var isEmptyEnd: Bool {
        if case .end = ending { return count == 0 && !discardsPart }
        return false
    }

    /// Whether the batch has no records and no other effect.
    var isEmpty: Bool {
        if case .more = ending { return count == 0 && !discardsPart && !isCommitDue }
        return false
    }

    // MARK: Consumption

    /// Takes the records up to the next due commit, or all remaining ones.
    func take() -> (records: Range<Int>, isCommitDue: Bool) {
        let start = position
        guard nextDue < commitPositions.count else {
            position = count
            isUsedUp = true
            return (start..<count, isCommitDue)
        }
        position = commitPositions[nextDue]
        nextDue += 1
        if case .more = ending { isUsedUp = position == count }
        return (start..<position, true)
    }

    /// Number of commits due before the end of the remaining records.
    var commitPositionsLeft: Int { commitPositions.count - nextDue }

    /// Converts a record for `stage`. Uses its row if that was made for the same schema, otherwise
    /// parses the record again. Must be called once per record, in order.
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

    /// Restores the plan's row for a record that was converted earlier.
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

    /// Adds the current record of the input unconverted.
    @_optimize(speed)
    func append(_ input: RecordInput) {
        records.add(input.recordBytes, input.place)
    }

    /// Adds copies of records.
    @_optimize(speed)
    func append(_ held: borrowing RawRecords) {
        for index in held.places.indices { records.add(held.record(index), held.places[index]) }
    }

    private func addStructures(_ plan: ClassPlan, _ plans: ClassPlans, row: Int) {
        for structure in plan.structures {
            // Collections of a new object are empty by default.
            if structure.value.isEmptyCollection, plan.isCollection[structure.column] { continue }
            if structure.value.mayCreateObjects(plans) { isPlain = false }
            structures.append(
                Structure(
                    row: row, column: structure.column,
                    value: structure.value.copied(in: arena)))
        }
    }

    /// Adds the current record of the input, converted in the plan's row.
    @_optimize(speed)
    func append(_ plan: ClassPlan, _ input: RecordInput) {
        if let converted { add(plan, to: converted, row: count) }
        append(input)
    }

    @_optimize(speed)
    private func add(_ plan: ClassPlan, to converted: Conversion, row: Int) {
        if plan.hasStructures { addStructures(plan, converted.plans, row: row) }
        // A record with an object key, or without a primary key, is not plain.
        if let key = plan.objectKey {
            isPlain = false
            objectKeys[row] = key
        }
        if plan.table.primaryKey != nil, plan.primaryKey == nil { isPlain = false }
        converted.append(plan)
    }

    /// Converts all records of the batch, on another thread than the one that read them.
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

    /// Converts one record; false if there is none.
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
    /// Returns this event with the position of an error in the whole input.
    func relocated(to place: RecordLocation, from input: RecordInput) -> RecordEvent {
        guard case .rejected(let error) = self else { return self }
        return .rejected(error.relocated(to: place, from: input.position))
    }
}

extension StagedValue {
    /// Whether storing the value may create objects that are not embedded.
    func mayCreateObjects(_ plans: ClassPlans) -> Bool {
        switch self {
        case .value, .reference: return false
        case .list(let elements): return elements.contains { $0.mayCreateObjects(plans) }
        case .dictionary(let entries): return entries.contains { $0.value.mayCreateObjects(plans) }
        case .object(let object):
            if plans.schema.table(object.table)?.kind != .embedded { return true }
            return object.fields.contains { $0.value.mayCreateObjects(plans) }
        }
    }
}
