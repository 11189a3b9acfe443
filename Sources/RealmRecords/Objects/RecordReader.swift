import RealmEngine

/// Reads JSON records of one class and converts them, in batches. A thread does so while the caller
/// stores the batches before, unless the input is small.
///
/// The batches and the end of the input pass through `queue`, which `monitor` guards. All other
/// state is used by the caller until it starts the thread, and by the thread from then on.
final class RecordReader: @unchecked Sendable {
    struct Batch {
        let records: ConvertedRecords
        /// Positions of the records in the input.
        var places: [RecordLocation] = []
        var isLast = false
    }

    typealias Failure = RecordLoader.Failure

    private let reader: JSONReader
    private let stage: JSONStage
    private let plan: ClassPlan
    private let complete: ((ClassPlan) -> Void)?
    private let capacity: Int

    private let monitor = Monitor()
    private var queue: [Result<Batch, Failure>] = []
    private var isStopped = false
    /// Whether the thread will not use the input again.
    private var isInputFree = false
    private var hasThread = false

    /// Maximum number of batches in the queue.
    private static let maximumQueueCount = 4

    /// - Parameter complete: called with the plan after each record was converted. All records are
    ///   then read on the calling thread.
    init(
        _ source: ByteSource, _ stage: JSONStage, _ plan: ClassPlan,
        complete: ((ClassPlan) -> Void)?
    ) {
        reader = JSONReader(source, layout: .lines)
        (self.stage, self.plan, self.complete) = (stage, plan, complete)
        capacity = BatchLimits.recordCount(of: plan.table)
    }

    /// Returns the next batch. No batch follows after one that is the last, or after an error.
    func next() throws(Failure) -> Batch {
        if hasThread { return try take().get() }
        let batch = try fill()
        if !batch.isLast, complete == nil {
            hasThread = Threads.detachReusingThread { self.run() }
        }
        return batch
    }

    /// Ends the thread and waits until it no longer uses the input.
    func finish() {
        if !hasThread { return }
        monitor.signal { isStopped = true }
        monitor.wait { isInputFree }
    }

    private func take() -> Result<Batch, Failure> {
        monitor.wait { !queue.isEmpty }
        var first: Result<Batch, Failure>?
        monitor.signal { first = queue.removeFirst() }
        return first!
    }

    private func run() {
        var isOver = false
        while !isOver {
            let result = Result { () throws(Failure) in try fill() }
            monitor.wait { isStopped || queue.count < Self.maximumQueueCount }
            monitor.signal {
                queue.append(result)
                isOver = isStopped || ((try? result.get().isLast) ?? true)
                if isOver { isInputFree = true }
            }
        }
    }

    /// Reads records until the batch is complete.
    @_optimize(speed)
    private func fill() throws(Failure) -> Batch {
        var batch = Batch(records: ConvertedRecords(stage.plans, plan.table, capacity: capacity))
        let rows = batch.records.rows
        while rows.count < rows.capacity, rows.byteCount < BatchLimits.byteCount {
            guard try read(into: &batch) else {
                batch.isLast = true
                break
            }
        }
        return batch
    }

    /// Adds the next record to the batch; false at the end of the input.
    private func read(into batch: inout Batch) throws(Failure) -> Bool {
        let event: RecordEvent<JSONValue>
        do throws(RealmError) { event = try reader.next() } catch { throw .engine(error) }
        switch event {
        case .end: return false
        case .rejected(let error): throw .record(error)
        case .record(let value):
            do throws(ValueMismatch) { _ = try stage.take(value) } catch {
                throw .record(reader.error(error))
            }
            complete?(plan)
            batch.records.append(plan)
            batch.places.append(
                RecordLocation(record: reader.recordNumber, position: reader.recordStart))
            return true
        }
    }
}
