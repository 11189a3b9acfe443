import RealmEngine
import ToolKit

/// Reads the records of an input in batches, and checks and converts them if they are of one class.
/// With threads, it reads ahead of the writer.
///
/// If records can be found without parsing, several threads take turns in reading, and each
/// converts the records that it has read. Batches are delivered in the order of the input.
///
/// `monitor` guards the queue and the conversions. The input is guarded by `reading`, or confined
/// to the single thread that reads. Each thread has its own stage.
final class RecordFeed: @unchecked Sendable {
    /// Converter for records; without one, records are delivered as written.
    struct Conversion {
        let stage: RecordStage
        let table: TableInfo

        fileprivate var columns: Int { max(1, table.columns.count) }
    }

    private let input: RecordInput
    private let request: WriteRequest
    /// A converter for each thread.
    private var conversions: [Conversion]
    private let wake: @Sendable () -> Void
    /// For change records: delivers whole versions; nil for other formats.
    private let versions: VersionBuffer?

    private let monitor = Monitor()
    private var queue: [RecordBatch] = []
    private var queuedBytes = 0
    /// Number of groups of batches that were put into the queue.
    private var handed = 0
    private var isStopped = false
    private(set) var isThreaded = false

    /// Whether converting is a separate step from reading, done outside of `reading`.
    private var isConvertedApart = false
    private let reading = Monitor()
    /// Number of groups of batches that were read.
    private var taken = 0
    private var isInputRead = false

    /// Records and bytes since the last due commit.
    private var records = 0
    private var bytes = 0

    private static let maximumBatchCount = 512
    /// Maximum number of values in a batch. A record with few fields takes memory for every
    /// property of its class.
    private static let maximumValueCount = 1 << 17
    /// Size in bytes from which a batch is complete.
    private static let fullBatch = 1 << 19
    /// Maximum number and total size of batches that are delivered together.
    private static let maximumBatchesPerDelivery = 16
    private static let maximumBytesPerDelivery = 1 << 18
    private static let maximumQueuedBytes = 4 << 20

    /// - Parameters:
    ///   - conversions: one for each possible thread; empty to deliver records unconverted.
    ///   - wake: called when a thread of the feed has read batches.
    init(
        _ input: RecordInput, _ conversions: [Conversion], _ request: WriteRequest,
        _ gate: StreamDeduplicator?, wake: @escaping @Sendable () -> Void = {}
    ) {
        self.input = input
        self.conversions = conversions
        self.request = request
        self.wake = wake
        versions = gate.map { VersionBuffer($0, input, request.limits) }
    }

    /// Maximum number of records in a batch.
    private func capacity(_ conversion: Conversion?) -> Int {
        guard let conversion else { return Self.maximumBatchCount }
        let most = Self.maximumValueCount / conversion.columns
        return max(1, min(Self.maximumBatchCount, request.limits.records, most))
    }

    /// Number of threads for reading the records of a command. The writing thread is not counted,
    /// because reading should use all processors while the writer waits for the disk.
    static func threads(_ request: WriteRequest) -> Int {
        let workers = request.command.workers
        return workers == 1 ? 0 : request.format == .ndjson ? workers : 1
    }

    /// Starts threads that read ahead. Without them, `take` reads.
    func start() {
        let count = max(1, conversions.count)
        isConvertedApart = count > 1
        isThreaded = true
        var started = 0
        for thread in 0..<count where Threads.detach({ self.run(thread) }) { started += 1 }
        isThreaded = started > 0
        if started == 0 { isConvertedApart = false }
    }

    /// Returns the next batches in order, all that the threads have read. Empty if there are none
    /// within `milliseconds`.
    func take(within milliseconds: Int32) -> [RecordBatch] {
        guard isThreaded else {
            return input.isReady(within: milliseconds)
                ? readAvailableBatches().filter { !$0.isEmpty } : []
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

    /// Replaces the converters from the next batch on, after a change of the schema.
    func change(_ conversions: [Conversion]) { monitor.signal { self.conversions = conversions } }

    /// Ends the threads after their current reads.
    func stop() { monitor.signal { isStopped = true } }

    private func run(_ thread: Int) {
        while let (batches, number) = readNext() {
            if isConvertedApart {
                let conversion = monitor.locked { conversions[thread] }
                for batch in batches {
                    batch.convert(conversion.stage, conversion.table, name: input.name)
                }
            }
            let size = batches.reduce(0) { $0 + $1.byteCount }
            monitor.wait {
                isStopped
                    || (handed == number
                        && (queue.isEmpty || queuedBytes + size <= Self.maximumQueuedBytes))
            }
            var isLast = false
            monitor.signal {
                queue += batches.filter { !$0.isEmpty }
                queuedBytes += size
                handed += 1
                isLast = isStopped
            }
            wake()
            if isLast { return }
        }
    }

    /// Reads a group of batches and returns it with its number; nil after the last one.
    private func readNext() -> (batches: [RecordBatch], number: Int)? {
        reading.locked {
            if isInputRead || monitor.locked({ isStopped }) { return nil }
            let batches = readAvailableBatches()
            isInputRead = isOver(batches[batches.count - 1])
            taken += 1
            return (batches, taken - 1)
        }
    }

    /// Whether reading ends after the batch.
    private func isOver(_ batch: RecordBatch) -> Bool {
        if case .rejected = batch.ending { return !request.skipsErrors }
        return batch.endsInput
    }

    // MARK: Filling

    /// Waits for one batch and reads more as long as input is available, since delivering small
    /// batches one by one would cost more than writing them.
    private func readAvailableBatches() -> [RecordBatch] {
        var batches: [RecordBatch] = []
        var (size, values) = (0, 0)
        let columns = monitor.locked { conversions.first?.columns ?? 0 }
        repeat {
            let batch = fill()
            batches.append(batch)
            size += batch.byteCount
            values += batch.count * columns
            if isOver(batch) { break }
        } while batches.count < Self.maximumBatchesPerDelivery
            && size < Self.maximumBytesPerDelivery
            && values < Self.maximumValueCount && input.isReady(within: 0)
        return batches
    }

    @_optimize(speed)
    private func fill() -> RecordBatch {
        let first = monitor.locked { conversions.first }
        let conversion = isConvertedApart ? nil : first
        let capacity = capacity(first)
        let batch = RecordBatch(
            conversion.map { ($0.stage.plans, $0.table) }, input, capacity: capacity)
        do throws(RealmError) {
            if let versions {
                try versions.fill(batch, input)
            } else {
                try fill(batch, input, conversion?.stage, capacity: capacity)
            }
        } catch {
            batch.ending = .failed(error)
        }
        batch.bytesRead = input.bytesRead
        batch.time = MonotonicClock.nanoseconds()
        if records >= request.limits.records || bytes >= request.limits.bytes {
            batch.isCommitDue = true
            records = 0
            bytes = 0
        }
        return batch
    }

    @_optimize(speed)
    private func fill(
        _ batch: RecordBatch, _ input: RecordInput, _ stage: RecordStage?, capacity: Int
    ) throws(RealmError) {
        // Local copies: accessing object properties for each record would cost more than the rest
        // of the loop.
        let (maximumBufferedRecords, maximumTotalBytes) = (
            request.limits.records, request.limits.bytes
        )
        var (records, bytes) = (records, bytes)
        defer { (self.records, self.bytes) = (records, bytes) }
        while true {
            // Records are not held back while no further input is available.
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
            if records >= maximumBufferedRecords || bytes >= maximumTotalBytes {
                // Converted records are written as a whole batch, so it must end here.
                if stage != nil || isConvertedApart { return }
                batch.commitPositions.append(batch.count)
                (records, bytes) = (0, 0)
            }
            if batch.count >= capacity || batch.textSize >= Self.fullBatch { return }
        }
    }

    @_optimize(speed)
    private func pass(_ input: RecordInput) throws(RealmError) -> RecordEvent<ClassPlan?> {
        try input.skip().map { nil }
    }
}
