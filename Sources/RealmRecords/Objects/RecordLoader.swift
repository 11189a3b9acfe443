import RealmEngine

/// Adds JSON records of one class in an open transaction. Confined to the thread of the
/// transaction.
///
/// Records are collected in batches. A batch whose records only create objects is stored at once,
/// other batches record by record.
package final class RecordLoader {
    /// Reason why a load ends early.
    package enum Failure: Error {
        case record(RecordError)
        case engine(RealmError)
    }

    private let writer: ObjectWriter
    private let stage: JSONStage
    private let plan: ClassPlan
    private let mode: RecordRules.Mode
    /// Called with the plan after each record was converted. May set values in `plan.row` for
    /// properties that the record does not give.
    private let complete: ((ClassPlan) -> Void)?
    private var batch: ConvertedRecords
    /// Positions in the input of the records of the batch.
    private var places: [RecordLocation] = []

    package private(set) var created = 0
    package private(set) var updated = 0
    /// Number of records whose objects already had the values.
    package private(set) var unchanged = 0

    /// Maximum number of records and of values in a batch.
    private static let maximumBatchCount = 512
    private static let maximumValueCount = 1 << 17
    /// Size in bytes from which a batch is complete.
    private static let fullBatch = 1 << 19

    /// - Parameters:
    ///   - table: class of the records, which is not embedded.
    ///   - schema: schema of the transaction.
    ///   - complete: called with the plan after each record was converted. May set values in
    ///     `plan.row` for properties that the record does not give.
    package init(
        _ transaction: WriteTransaction, _ table: TableInfo, _ schema: Schema, _ rules: RecordRules,
        complete: ((ClassPlan) -> Void)? = nil
    ) throws(RealmError) {
        let plans = try ClassPlans(schema, rules)
        writer = ObjectWriter(transaction, plans, rules)
        stage = JSONStage(plans, table, rules)
        plan = plans.plan(table)
        mode = rules.mode
        self.complete = complete
        batch = Self.batch(plans, table)
    }

    private static func batch(_ plans: ClassPlans, _ table: TableInfo) -> ConvertedRecords {
        let most = maximumValueCount / max(1, table.columns.count)
        return ConvertedRecords(
            plans, table, capacity: max(1, min(maximumBatchCount, most)))
    }

    /// Sets the value that a property gets if a record does not give it. The bytes of the value
    /// must be valid as long as this loader.
    package func setDefault(_ column: Int, _ value: Value) { plan.setDefault(column, value) }

    /// Reads all records of `source` and stores them.
    ///
    /// Throws the first error. Some of the records before it are stored then.
    package func load(_ source: ByteSource) throws(Failure) {
        let reader = JSONReader(source, layout: .lines)
        while try read(reader) {
            let rows = batch.rows
            if rows.count == rows.capacity || rows.byteCount >= Self.fullBatch { try flush() }
        }
        try flush()
        let refused = try engine { () throws(RealmError) in try writer.storeAll() }
        if let first = refused.first { throw .record(first) }
    }

    /// Adds the next record to the batch; false at the end of the input.
    private func read(_ reader: JSONReader) throws(Failure) -> Bool {
        switch try engine({ () throws(RealmError) in try reader.next() }) {
        case .end: return false
        case .rejected(let error): throw .record(error)
        case .record(let value):
            do throws(ValueMismatch) { _ = try stage.take(value) } catch {
                throw .record(reader.error(error))
            }
            complete?(plan)
            batch.append(plan)
            places.append(
                RecordLocation(record: reader.recordNumber, position: reader.recordStart))
            return true
        }
    }

    /// Stores the batch.
    private func flush() throws(Failure) {
        if batch.rows.count == 0 { return }
        if let rest = try engine({ () throws(RealmError) in try writer.create(batch, places) }) {
            created += batch.rows.count
            for structure in rest {
                let place = places[structure.row]
                try record(place) { () throws(RealmError) in
                    try writer.store(structure, of: batch, place)
                }
            }
        } else {
            for row in places.indices { try write(row) }
        }
        batch = Self.batch(stage.plans, plan.table)
        places.removeAll(keepingCapacity: true)
        try engine { () throws(RealmError) in try writer.storeFoundIfWorthwhile() }
    }

    private func write(_ row: Int) throws(Failure) {
        batch.restore(row, into: plan)
        writer.place = places[row]
        let outcome = try record(places[row]) { () throws(RealmError) in
            if plan.hasReferences { try writer.resolve(plan) }
            return try writer.write(plan, mode)
        }
        switch outcome {
        case .inserted: created += 1
        case .updated: updated += 1
        case .unchanged, .deleted: unchanged += 1
        }
    }

    private func engine<T>(_ body: () throws(RealmError) -> T) throws(Failure) -> T {
        do throws(RealmError) { return try body() } catch { throw .engine(error) }
    }

    /// Calls `body`. Throws an error of kind `data` as `Failure.record`, an error of the record at
    /// `place`, and any other error as `Failure.engine`.
    private func record<T>(
        _ place: RecordLocation, _ body: () throws(RealmError) -> T
    ) throws(Failure) -> T {
        do throws(RealmError) { return try body() } catch {
            guard error.kind == .data else { throw .engine(error) }
            throw .record(writer.refusal(error, record: place.record, place.position))
        }
    }
}
