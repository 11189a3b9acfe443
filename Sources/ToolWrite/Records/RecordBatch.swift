import RealmEngine
import ToolKit

/// Consecutive records that `RecordFeed` has read. If all records are of one class, they are also
/// checked and converted.
///
/// Owns all of its bytes. Used first by the thread that reads, then by the thread that writes, and
/// never by both at a time.
final class RecordBatch: @unchecked Sendable {
    /// Event that follows the last record.
    enum Ending {
        case more, end
        /// The next record was rejected. The second value is the record as written.
        case rejected(RecordError, [UInt8])
        case failed(RealmError)
    }

    /// Part of a version of a stream that is alone in its transaction, because it is too large to
    /// be held back.
    enum Part {
        case none, beginning, middle, end
    }

    /// A value of a record that does not fit into its row: a link, a collection or a nested object.
    struct Structure {
        let row: Int
        let column: Int
        let value: StagedValue
    }

    /// Converted records; nil if the batch is not converted.
    private(set) var converted: Conversion?
    /// The records as written.
    private(set) var records: RawRecords
    private(set) var structures: [Structure] = []
    /// Object keys in the records, by the index of the record. `refusals` are the errors of
    /// rejected records.
    private var objectKeys: [Int: ObjectKey] = [:]
    private var refusals: [Int: RecordError] = [:]
    /// Whether each record only creates an object, so that all objects can be created by one call.
    private(set) var isPlain: Bool
    var ending = Ending.more
    /// Whether a commit is due at the end of the batch.
    var isCommitDue = false
    /// Indexes of records before which a commit is due.
    var commitPositions: [Int] = []
    var part = Part.none
    /// Whether earlier batches with a part of the same version must be discarded, because the
    /// version was interrupted.
    var discardsPart = false
    /// Whether the input ends inside a version of a stream, which is then not applied.
    var isCutOff = false
    /// Number of records that `take` has returned.
    private(set) var position = 0
    private var nextDue = 0
    /// Whether `take` has returned all records, so that `ending` is next.
    private(set) var isUsedUp = false
    /// Input that parses the records if they are not converted. `readAgain` is the number of
    /// records read from it.
    private var again: RecordInput?
    private var readAgain = 0
    /// Index of the first structure whose record has not yet been restored.
    private var nextStructure = 0
    /// Number of bytes of the input up to the end of the batch.
    var bytesRead = 0
    /// Time at which the batch was read, in nanoseconds.
    var time: UInt64 = 0
    private let arena = ScratchArena()

    /// The converted records: values of their columns, and for each column whether the record
    /// contains a value.
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

    /// Creates an empty batch.
    ///
    /// - Parameter conversion: converter, and the class of all records; nil if the records are not
    ///   converted.
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

    /// Approximate memory of the batch in bytes. A structure takes several times the size of its
    /// text.
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

    /// Whether the batch contains nothing but the end of the input.
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

    /// Returns the range of records up to the next commit that is due, or of all remaining records.
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

    /// Number of commits that are due before the end of the remaining records.
    var commitPositionsLeft: Int { commitPositions.count - nextDue }

    /// Returns a record as `stage` converts it. Uses the converted record if it was made for the
    /// same schema; otherwise parses the record again. Must be called once for each record, in
    /// order.
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

    /// Restores the plan's state after an earlier record was converted.
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

    /// Appends the current record of the input without converting it.
    @_optimize(speed)
    func append(_ input: RecordInput) {
        records.add(input.recordBytes, input.place)
    }

    /// Appends copies of records without converting them.
    @_optimize(speed)
    func append(_ held: borrowing RawRecords) {
        for index in held.places.indices { records.add(held.record(index), held.places[index]) }
    }

    private func addStructures(_ plan: ClassPlan, _ plans: ClassPlans, row: Int) {
        for structure in plan.structures {
            // The collections of a new object are empty anyway.
            if structure.value.isEmptyCollection, plan.isCollection[structure.column] { continue }
            if structure.value.mayCreateObjects(plans) { isPlain = false }
            structures.append(
                Structure(
                    row: row, column: structure.column,
                    value: structure.value.copied(in: arena)))
        }
    }

    /// Appends the current record of the input. The plan contains its converted values.
    @_optimize(speed)
    func append(_ plan: ClassPlan, _ input: RecordInput) {
        if let converted { add(plan, to: converted, row: count) }
        append(input)
    }

    @_optimize(speed)
    private func add(_ plan: ClassPlan, to converted: Conversion, row: Int) {
        if plan.hasStructures { addStructures(plan, converted.plans, row: row) }
        // A record with an object key cannot be created together with others; nor can a record of a
        // class with primary keys that lacks its primary key.
        if let key = plan.objectKey {
            isPlain = false
            objectKeys[row] = key
        }
        if plan.table.primaryKey != nil, plan.primaryKey == nil { isPlain = false }
        converted.append(plan)
    }

    /// Converts all records of the batch. Called on another thread than the one that read them.
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

    /// Converts one record. Returns false if there are no more.
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
    /// Returns this event with the position of its error in the whole input.
    func relocated(to place: RecordLocation, from input: RecordInput) -> RecordEvent {
        guard case .rejected(let error) = self else { return self }
        return .rejected(error.relocated(to: place, from: input.position))
    }
}

extension StagedValue {
    /// Whether storing the value may create objects other than embedded ones.
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
