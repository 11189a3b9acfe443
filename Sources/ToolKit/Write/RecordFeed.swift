import RealmEngine

/// Reads the records of an input batch by batch, and checks and converts them if they are of one
/// class; on a thread of its own if there is one, some way ahead of the writer.
///
/// `monitor` guards the queue and the wishes of the writer; input and stage belong to whoever fills
/// batches.
final class RecordFeed: @unchecked Sendable {
    /// What records are converted with; nil leaves them as they are written.
    struct Conversion {
        let stage: RecordStage
        let table: TableInfo
    }

    private let input: RecordInput
    private let request: WriteRequest
    private let capacity: Int
    private var conversion: Conversion?
    private let wake: @Sendable () -> Void

    private let monitor = Monitor()
    private var queue: [RecordBatch] = []
    private var queuedBytes = 0
    private var isStopped = false
    private var nextConversion: Conversion?
    private(set) var isThreaded = false

    /// Records and bytes since the last batch that was due.
    private var records = 0
    private var bytes = 0

    private static let largestBatch = 512
    /// Bytes from which on a batch is finished.
    private static let fullBatch = 1 << 19
    /// Batches, and bytes of them, that are handed over together while there is more to read.
    private static let mostTogether = 16
    private static let mostTogetherBytes = 1 << 18
    private static let mostQueuedBytes = 4 << 20

    /// - Parameter wake: called when batches have been read by the feed's thread.
    init(
        _ input: RecordInput, _ conversion: Conversion?, _ request: WriteRequest,
        wake: @escaping @Sendable () -> Void = {}
    ) {
        self.input = input
        self.conversion = conversion
        self.request = request
        self.wake = wake
        capacity =
            conversion == nil
            ? Self.largestBatch : max(1, min(Self.largestBatch, request.limits.records))
    }

    /// Begins to read ahead on a thread. Otherwise batches are read when they are asked for.
    func start() {
        isThreaded = true
        isThreaded = Threads.detach { self.run() }
    }

    /// The next batches, in their order; none if there are none within that time. With a thread, as
    /// many as it has read.
    func take(within milliseconds: Int32) -> [RecordBatch] {
        guard isThreaded else {
            return input.isReady(within: milliseconds) ? readTogether().batches : []
        }
        guard monitor.wait(milliseconds: milliseconds, until: { !queue.isEmpty }) else {
            return []
        }
        var batches: [RecordBatch] = []
        monitor.signal {
            swap(&batches, &queue)
            queuedBytes = 0
        }
        return batches
    }

    /// From the next batch on records are converted for another schema.
    func change(_ conversion: Conversion) { monitor.signal { nextConversion = conversion } }

    /// Ends the thread once its current read returns.
    func stop() { monitor.signal { isStopped = true } }

    private func run() {
        while true {
            let (batches, size) = readTogether()
            monitor.wait {
                isStopped || queue.isEmpty || queuedBytes + size <= Self.mostQueuedBytes
            }
            var isLast = isOver(batches[batches.count - 1])
            monitor.signal {
                queue += batches
                queuedBytes += size
                isLast = isLast || isStopped
            }
            wake()
            if isLast { return }
        }
    }

    /// Nothing is read behind the batch.
    private func isOver(_ batch: RecordBatch) -> Bool {
        if case .rejected = batch.ending { return !request.skipsErrors }
        return batch.endsInput
    }

    // MARK: Filling

    /// Waits for one batch and goes on while reading does not have to wait: handing each over by
    /// itself would cost more than small ones take.
    private func readTogether() -> (batches: [RecordBatch], size: Int) {
        var batches: [RecordBatch] = []
        var size = 0
        repeat {
            let batch = fill()
            batches.append(batch)
            size += batch.byteCount
            if isOver(batch) { break }
        } while batches.count < Self.mostTogether && size < Self.mostTogetherBytes
            && input.isReady(within: 0)
        return (batches, size)
    }

    private func fill() -> RecordBatch {
        var wanted: Conversion?
        monitor.locked { swap(&wanted, &nextConversion) }
        if let wanted { conversion = wanted }
        let batch = RecordBatch(
            conversion.map { ($0.stage.plans, $0.table) }, input, capacity: capacity)
        do throws(RealmError) {
            try fill(batch, input, conversion?.stage)
        } catch {
            batch.ending = .failed(error)
        }
        batch.bytesRead = input.bytesRead
        batch.time = MonotonicClock.nanoseconds()
        if records >= request.limits.records || bytes >= request.limits.bytes {
            batch.isDue = true
            records = 0
            bytes = 0
        }
        return batch
    }

    private func fill(
        _ batch: RecordBatch, _ input: RecordInput, _ stage: RecordStage?
    ) throws(RealmError) {
        // Locals: every access to an object would cost more than a record's share of the work.
        let (mostRecords, mostBytes) = (request.limits.records, request.limits.bytes)
        let capacity = capacity
        var (records, bytes) = (records, bytes)
        defer { (self.records, self.bytes) = (records, bytes) }
        while true {
            // What is there is not kept back while nothing more comes.
            if batch.count > 0, !input.isReady(within: 0) { return }
            let event: RecordEvent<ClassPlan?>
            if let stage { event = try stage.next(input) } else { event = try pass(input) }
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
            case .record(nil), .end: batch.append(input)
            }
            if records >= mostRecords || bytes >= mostBytes {
                // What is converted is written as a whole.
                if stage != nil { return }
                batch.dues.append(batch.count)
                (records, bytes) = (0, 0)
            }
            if batch.count >= capacity || batch.textSize >= Self.fullBatch { return }
        }
    }

    private func pass(_ input: RecordInput) throws(RealmError) -> RecordEvent<ClassPlan?> {
        try input.skip().map { nil }
    }
}
