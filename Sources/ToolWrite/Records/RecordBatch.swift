import RealmEngine
import RealmRecords
import ToolKit

/// Consecutive records that `RecordFeed` has read. If all records are of one class, their values
/// are also converted.
///
/// Owns all of its bytes. Used first by the thread that reads, then by the thread that writes, and
/// never by both at a time.
final class RecordBatch: @unchecked Sendable {
    /// The reason why the batch ends after its last record.
    enum Ending {
        case more, end
        /// The next record was rejected. The second value is the record as written.
        case rejected(RecordError, [UInt8])
        case failed(RealmError)
    }

    /// Part of a version of a stream that the batch contains. A version that is too large for
    /// memory is divided into several batches, and gets a transaction of its own. `none` for all
    /// other batches.
    enum Part {
        case none, beginning, middle, end
    }

    /// The records converted to property values; nil if the records are converted when they are
    /// written.
    private(set) var converted: ConvertedRecords?
    /// Copies of the records as they are in the input.
    private(set) var records: RawRecords
    /// Errors of rejected records, by index of the record in the batch.
    private var refusals: [Int: RecordError] = [:]
    var ending = Ending.more
    /// Whether a commit is due at the end of the batch.
    var isCommitDue = false
    /// Indexes of records before which a commit is due.
    var commitPositions: [Int] = []
    var part = Part.none
    /// Whether the transaction with the first part of an interrupted version must be discarded
    /// before this batch is written. Earlier batches contain that part.
    var discardsPart = false
    /// Whether the input ends inside a version of a stream, which is then not applied.
    var isCutOff = false
    /// Number of records that `take` has returned.
    private(set) var position = 0
    private var nextDue = 0
    /// Whether `take` has returned all records. Only the end of the batch (`ending`) then remains
    /// to be processed.
    private(set) var isUsedUp = false
    /// Reads the copies in `records` if the values in `converted` cannot be used; nil before the
    /// first copy is read. `readAgain` is the number of copies read.
    private var again: RecordInput?
    private var readAgain = 0
    /// Bytes of the input up to the end of the batch.
    var bytesRead = 0
    /// Time at which the batch was read, in nanoseconds.
    var time: UInt64 = 0

    /// Creates an empty batch.
    ///
    /// - Parameter conversion: converter, and the class of all records; nil if the records are not
    ///   converted.
    init(_ conversion: (ClassPlans, TableInfo)?, _ input: RecordInput, capacity: Int) {
        converted = conversion.map { plans, table in
            ConvertedRecords(plans, table, capacity: capacity)
        }
        records = RawRecords(input)
    }

    var count: Int { records.places.count }

    /// Size in bytes of the records, as written and as converted.
    var textSize: Int { (converted?.rows.byteCount ?? 0) + records.byteCount }

    /// Approximate memory in bytes.
    var byteCount: Int {
        guard let converted else { return records.byteCount + 512 }
        return converted.byteCount + 2 * records.byteCount
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

    /// Returns the next records to write: up to the next commit that is due, or all remaining
    /// records.
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

    /// Number of commits in `commitPositions` that `take` has not reached yet.
    var commitPositionsLeft: Int { commitPositions.count - nextDue }

    /// Returns a record as `stage` converts it. Uses the values in `converted` if they were made
    /// for the same schema; otherwise parses the record again. Must be called once for each record,
    /// in order.
    func record(
        _ index: Int, _ stage: RecordStage, name: String
    ) throws(RealmError) -> RecordEvent<ClassPlan?> {
        if let converted, converted.plans.schema === stage.plans.schema {
            if let refusal = refusals[index] { return .rejected(refusal) }
            let plan = stage.plans.plan(converted.rows.table)
            converted.restore(index, into: plan)
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

    /// Appends the current record of the input, and its converted values, which are in `plan`.
    @_optimize(speed)
    func append(_ plan: ClassPlan, _ input: RecordInput) {
        converted?.append(plan)
        append(input)
    }

    /// Converts all records of the batch, on another thread than the one that read them.
    @_optimize(speed)
    func convert(_ stage: RecordStage, _ table: TableInfo, name: String) {
        guard count > 0, let input = try? records.input(name: name) else { return }
        let fresh = ConvertedRecords(stage.plans, table, capacity: count)
        for row in 0..<count where !convert(row, input, stage, to: fresh) { return }
        converted = fresh
    }

    /// Converts one record. Returns false if there are no more.
    @_optimize(speed)
    private func convert(
        _ row: Int, _ input: RecordInput, _ stage: RecordStage, to fresh: ConvertedRecords
    ) -> Bool {
        let event = try? stage.next(input)
        switch event?.relocated(to: records.places[row], from: input) {
        case .record(let plan?):
            fresh.append(plan)
        case .rejected(let error):
            refusals[row] = error
            fresh.appendRejected(stage.plans.plan(fresh.rows.table))
        case nil, .record(nil), .end: return false
        }
        return true
    }
}

extension RecordEvent {
    /// Returns this event. If it has an error, converts the error's position in `input`, a copy of
    /// some records, to the position in the whole input.
    func relocated(to place: RecordLocation, from input: RecordInput) -> RecordEvent {
        guard case .rejected(let error) = self else { return self }
        return .rejected(error.relocated(to: place, from: input.position))
    }
}
