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
            while try take(batch) {}
        } catch {
            batch.ending = .failed(error)
        }
        batch.bytesRead = input.bytesRead
        return batch
    }

    /// Takes one record; false when the batch is to be handed over.
    @inline(__always)
    private func take(_ batch: RecordBatch) throws(RealmError) -> Bool {
        // What is there is not kept back while nothing more comes.
        if batch.count > 0, !input.isReady(within: 0) { return false }
        switch try stage.next(input) {
        case .end:
            batch.ending = .end
            return false
        case .rejected(let error):
            count(batch)
            batch.ending = .rejected(error, input.recordBytes.bytes)
            return false
        case .record(let plan):
            count(batch)
            if let plan { batch.append(plan, input) }
        }
        return !batch.isDue && batch.count < capacity && batch.byteCount < Self.fullBatch
    }

    @inline(__always)
    private func count(_ batch: RecordBatch) {
        records &+= 1
        bytes &+= input.recordBytes.count &+ 1
        guard records >= request.limits.records || bytes >= request.limits.bytes else { return }
        batch.isDue = true
        records = 0
        bytes = 0
    }
}
