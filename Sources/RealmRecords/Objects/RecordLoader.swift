import RealmEngine

/// Adds JSON records of one class in an open transaction. Confined to the thread of the
/// transaction.
///
/// Records are read and converted in batches, by a thread if there are many. A batch whose records
/// only create objects is stored at once, other batches record by record.
package final class RecordLoader {
    /// Reason why a load ends early.
    package enum Failure: Error {
        case record(RecordError)
        case engine(RealmError)
    }

    private let writer: ObjectWriter
    /// Plan into which single records are restored from a batch.
    private let plan: ClassPlan
    /// Converter of the records, with a plan of its own, since another thread may use it.
    private let stage: JSONStage
    private let stagePlan: ClassPlan
    private let mode: RecordRules.Mode
    private let complete: ((ClassPlan) -> Void)?

    package private(set) var created = 0
    package private(set) var updated = 0
    /// Number of records whose objects already had the values.
    package private(set) var unchanged = 0

    /// - Parameters:
    ///   - table: class of the records, which is not embedded.
    ///   - schema: schema of the transaction.
    ///   - complete: called with the plan after each record was converted, to complete its row.
    package init(
        _ transaction: WriteTransaction, _ table: TableInfo, _ schema: Schema, _ rules: RecordRules,
        complete: ((ClassPlan) -> Void)? = nil
    ) throws(RealmError) {
        let plans = try ClassPlans(schema, rules)
        writer = ObjectWriter(transaction, plans, rules)
        plan = plans.plan(table)
        stage = JSONStage(try ClassPlans(schema, rules), table, rules)
        stagePlan = stage.plans.plan(table)
        mode = rules.mode
        self.complete = complete
    }

    /// Sets the value of a property in new objects whose records do not give it. The bytes of the
    /// value must be valid as long as this loader.
    package func setDefault(_ column: Int, _ value: Value) {
        plan.setDefault(column, value)
        stagePlan.setDefault(column, value)
    }

    /// Reads all records of `source` and stores them.
    ///
    /// Throws the first error. Some of the records before the error are then stored already.
    package func load(_ source: ByteSource) throws(Failure) {
        let reader = RecordReader(source, stage, stagePlan, complete: complete)
        defer { reader.finish() }
        var isLast = false
        while !isLast {
            let batch = try reader.next()
            isLast = batch.isLast
            try store(batch)
        }
        let refused = try engine { () throws(RealmError) in try writer.storeAll() }
        if let first = refused.first { throw .record(first) }
    }

    private func store(_ batch: RecordReader.Batch) throws(Failure) {
        let (records, places) = (batch.records, batch.places)
        if places.isEmpty { return }
        if let rest = try engine({ () throws(RealmError) in try writer.create(records, places) }) {
            created += places.count
            for structure in rest {
                let place = places[structure.row]
                try record(place) { () throws(RealmError) in
                    try writer.store(structure, of: records, place)
                }
            }
        } else {
            for row in places.indices {
                records.restore(row, into: plan)
                try write(places[row])
            }
        }
        try engine { () throws(RealmError) in try writer.storeFoundIfWorthwhile() }
    }

    private func write(_ place: RecordLocation) throws(Failure) {
        writer.place = place
        let outcome = try record(place) { () throws(RealmError) in
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

    /// Calls `body`. Throws an error of kind `data` as `Failure.record` with the position `place`,
    /// and any other error as `Failure.engine`.
    private func record<T>(
        _ place: RecordLocation, _ body: () throws(RealmError) -> T
    ) throws(Failure) -> T {
        do throws(RealmError) { return try body() } catch {
            guard error.kind == .data else { throw .engine(error) }
            throw .record(writer.refusal(error, record: place.record, place.position))
        }
    }
}
