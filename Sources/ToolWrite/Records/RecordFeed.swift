import RealmEngine
import ToolKit

/// Reads the records of an input batch by batch, and checks and converts them if they are of one
/// class; on threads of its own if there are any, some way ahead of the writer.
///
/// Several threads take turns in reading, where records are found without a look at them, and each
/// converts what it has read; batches are handed over in the order of the input.
///
/// `monitor` guards the queue and what is used to convert, `reading` the input, or the one thread that
/// reads it does. Each thread has a stage of its own.
final class RecordFeed: @unchecked Sendable {
    /// What records are converted with; nil leaves them as they are written.
    struct Conversion {
        let stage: RecordStage
        let table: TableInfo

        fileprivate var columns: Int { max(1, table.columns.count) }
    }

    private let input: RecordInput
    private let request: WriteRequest
    /// One for each thread.
    private var conversions: [Conversion]
    private let wake: @Sendable () -> Void
    /// For change records: what lets whole versions through.
    private let versions: VersionBuffer?

    private let monitor = Monitor()
    private var queue: [RecordBatch] = []
    private var queuedBytes = 0
    /// How many times batches were handed over.
    private var handed = 0
    private var isStopped = false
    private(set) var isThreaded = false

    /// Reading and converting are two steps.
    private var isConvertedApart = false
    private let reading = Monitor()
    /// How many times batches were read.
    private var taken = 0
    private var isReadOver = false

    /// Records and bytes since the last batch that was due.
    private var records = 0
    private var bytes = 0

    private static let largestBatch = 512
    /// Values of the records that are converted together: a record of few fields takes room for each property
    /// of its class.
    private static let mostValues = 1 << 17
    /// Bytes from which on a batch is finished.
    private static let fullBatch = 1 << 19
    /// Batches, and bytes of them, that are handed over together while there is more to read.
    private static let mostTogether = 16
    private static let mostTogetherBytes = 1 << 18
    private static let mostQueuedBytes = 4 << 20

    /// - Parameters:
    ///   - conversions: as many as there may be threads; none leaves records as they are.
    ///   - wake: called when batches have been read by a thread of the feed.
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

    /// Records of a batch at most.
    private func capacity(_ conversion: Conversion?) -> Int {
        guard let conversion else { return Self.largestBatch }
        let most = Self.mostValues / conversion.columns
        return max(1, min(Self.largestBatch, request.limits.records, most))
    }

    /// Threads that can be used for the records of a command, besides the one that writes: as many as
    /// there are processors keep it busy while it waits for the disk itself.
    static func threads(_ request: WriteRequest) -> Int {
        let workers = request.command.workers
        return workers == 1 ? 0 : request.format == .ndjson ? workers : 1
    }

    /// Begins to read ahead on threads. Otherwise batches are read when they are asked for.
    func start() {
        let count = max(1, conversions.count)
        isConvertedApart = count > 1
        isThreaded = true
        var started = 0
        for thread in 0..<count where Threads.detach({ self.run(thread) }) { started += 1 }
        isThreaded = started > 0
        if started == 0 { isConvertedApart = false }
    }

    /// The next batches, in their order; none if there are none within that time. With a thread, as
    /// many as it has read.
    func take(within milliseconds: Int32) -> [RecordBatch] {
        guard isThreaded else {
            return input.isReady(within: milliseconds) ? readTogether().filter { !$0.isEmpty } : []
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
    func change(_ conversions: [Conversion]) { monitor.signal { self.conversions = conversions } }

    /// Ends the threads once their current reads return.
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
                        && (queue.isEmpty || queuedBytes + size <= Self.mostQueuedBytes))
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

    /// Batches, and their place in the order of all; nil behind the last.
    private func readNext() -> (batches: [RecordBatch], number: Int)? {
        reading.locked {
            if isReadOver || monitor.locked({ isStopped }) { return nil }
            let batches = readTogether()
            isReadOver = isOver(batches[batches.count - 1])
            taken += 1
            return (batches, taken - 1)
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
    private func readTogether() -> [RecordBatch] {
        var batches: [RecordBatch] = []
        var (size, values) = (0, 0)
        let columns = monitor.locked { conversions.first?.columns ?? 0 }
        repeat {
            let batch = fill()
            batches.append(batch)
            size += batch.byteCount
            values += batch.count * columns
            if isOver(batch) { break }
        } while batches.count < Self.mostTogether && size < Self.mostTogetherBytes
            && values < Self.mostValues && input.isReady(within: 0)
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
            batch.isDue = true
            records = 0
            bytes = 0
        }
        return batch
    }

    @_optimize(speed)
    private func fill(
        _ batch: RecordBatch, _ input: RecordInput, _ stage: RecordStage?, capacity: Int
    ) throws(RealmError) {
        // Locals: every access to an object would cost more than a record's share of the work.
        let (mostRecords, mostBytes) = (request.limits.records, request.limits.bytes)
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
                if stage != nil || isConvertedApart { return }
                batch.dues.append(batch.count)
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
