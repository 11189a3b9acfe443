import RealmEngine

/// Reads, checks and converts the records of an input batch by batch, on a thread of its own if there
/// is one, a few batches ahead of the writer.
///
/// `monitor` guards the queue and the wishes of the writer; input and stage belong to whoever fills
/// batches.
final class RecordFeed: @unchecked Sendable {
    private let input: RecordInput
    private let request: WriteRequest
    private let capacity: Int
    private var stage: RecordStage
    private var table: TableInfo
    private let isThreaded: Bool

    private let monitor = Monitor()
    private var queue: [RecordBatch] = []
    private var queuedBytes = 0
    private var isStopped = false
    private var nextStage: (RecordStage, TableInfo)?

    /// Records and bytes since the last batch that was due.
    private var records = 0
    private var bytes = 0

    private static let largestBatch = 512
    /// Bytes from which on a batch is handed over.
    private static let fullBatch = 1 << 19
    private static let mostQueued = 4
    private static let mostQueuedBytes = 4 << 20

    /// - Parameter isThreaded: read ahead on a thread.
    init(
        _ input: RecordInput, _ stage: RecordStage, _ table: TableInfo, _ request: WriteRequest,
        isThreaded: Bool
    ) {
        self.input = input
        self.stage = stage
        self.table = table
        self.request = request
        capacity = max(1, min(Self.largestBatch, request.limits.records))
        self.isThreaded = isThreaded
    }

    /// Begins to read ahead. Without a thread each batch is read when it is asked for.
    func start() -> Bool {
        isThreaded && Threads.detach { self.run() }
    }

    /// The next batch; nil if there is none within that time.
    func next(within milliseconds: Int32, isRunning: Bool) -> RecordBatch? {
        guard isRunning else {
            return input.isReady(within: milliseconds) ? fill() : nil
        }
        guard monitor.wait(milliseconds: milliseconds, until: { !queue.isEmpty }) else {
            return nil
        }
        var batch: RecordBatch?
        monitor.signal {
            batch = queue.removeFirst()
            queuedBytes -= batch!.byteCount
        }
        return batch
    }

    /// From the next batch on records are converted for another schema.
    func change(_ stage: RecordStage, _ table: TableInfo) {
        monitor.signal { nextStage = (stage, table) }
    }

    /// Ends the thread once its current read returns.
    func stop() { monitor.signal { isStopped = true } }

    private func run() {
        while true {
            let batch = fill()
            let size = batch.byteCount
            monitor.wait {
                isStopped || queue.isEmpty
                    || (queue.count < Self.mostQueued
                        && queuedBytes + size <= Self.mostQueuedBytes)
            }
            var isLast = false
            monitor.signal {
                queue.append(batch)
                queuedBytes += size
                isLast = isStopped
            }
            if isLast || isOver(batch) { return }
        }
    }

    /// Nothing is read behind the batch.
    private func isOver(_ batch: RecordBatch) -> Bool {
        switch batch.ending {
        case .more: false
        case .end, .failed: true
        case .rejected: !request.skipsErrors
        }
    }

    // MARK: Filling

    private func fill() -> RecordBatch {
        var wanted: (RecordStage, TableInfo)?
        monitor.locked { swap(&wanted, &nextStage) }
        if let wanted { (stage, table) = wanted }
        let batch = RecordBatch(stage.plans, table, input, capacity: capacity)
        do throws(RealmError) {
            try fill(batch, input, stage)
        } catch {
            batch.ending = .failed(error)
        }
        batch.bytesRead = input.bytesRead
        if records >= request.limits.records || bytes >= request.limits.bytes {
            batch.isDue = true
            records = 0
            bytes = 0
        }
        return batch
    }

    private func fill(
        _ batch: RecordBatch, _ input: RecordInput, _ stage: RecordStage
    ) throws(RealmError) {
        // Locals: every access to an object would cost more than a record's share of the work.
        let (mostRecords, mostBytes) = (request.limits.records, request.limits.bytes)
        let capacity = capacity
        var (records, bytes) = (records, bytes)
        defer { (self.records, self.bytes) = (records, bytes) }
        while true {
            // What is there is not kept back while nothing more comes.
            if batch.count > 0, !input.isReady(within: 0) { return }
            let event = try stage.next(input)
            if case .end = event {
                batch.ending = .end
                return
            }
            records &+= 1
            bytes &+= input.recordBytes.count &+ 1
            switch event {
            case .rejected(let error):
                batch.ending = .rejected(error, input.recordBytes.bytes)
                return
            case .record(let plan?): batch.append(plan, input)
            case .record(nil), .end: break
            }
            if records >= mostRecords || bytes >= mostBytes { return }
            if batch.count >= capacity || batch.byteCount >= Self.fullBatch { return }
        }
    }
}
