import RealmEngine
import RealmRecords
import ToolKit

/// Reads the records of an input in batches, for `RecordLoad`. If the records are of one class,
/// also checks and converts them. With threads, it reads while the load writes.
///
/// If the boundaries of records can be found without parsing, several threads take turns in
/// reading, and each converts the records that it has read. `take` returns the batches in the order
/// of the input.
///
/// The lock `monitor` protects the queue and the converters. The lock `reading` protects the input,
/// unless a single thread reads. Each thread has its own converter.
final class RecordFeed: @unchecked Sendable {
    /// Converts records of one class.
    struct Conversion {
        let stage: RecordStage
        let table: TableInfo

        fileprivate var columns: Int { max(1, table.columns.count) }
    }

    private let input: RecordInput
    private let request: WriteRequest
    /// A converter for each thread; empty if the thread that writes converts the records.
    private var conversions: [Conversion]
    private let wake: @Sendable () -> Void
    /// For streams of changes: decides which records are written. Nil for other inputs.
    private let versions: VersionBuffer?

    private let monitor = Monitor()
    private var queue: [RecordBatch] = []
    private var queuedBytes = 0
    /// Number of calls of `readNext` whose batches have been appended to `queue`. A thread waits
    /// until this is the number of its own call, so `queue` has the order of the input.
    private var handed = 0
    private var isStopped = false
    private(set) var isThreaded = false

    /// Whether records are converted after the lock `reading` was released, so that other threads
    /// can read meanwhile.
    private var isConvertedApart = false
    private let reading = Monitor()
    /// Number of calls of `readNext` that have read batches.
    private var taken = 0
    private var isInputRead = false

    /// Number of records since the last record at which a commit was due. `bytes` is their size.
    private var records = 0
    private var bytes = 0

    /// Maximum number of batches that a thread reads before it appends them to the queue.
    /// `maximumBytesPerDelivery` is the maximum total size of these batches.
    private static let maximumBatchesPerDelivery = 16
    private static let maximumBytesPerDelivery = 1 << 18
    private static let maximumQueuedBytes = 4 << 20

    /// - Parameters:
    ///   - conversions: one for each possible thread; empty to leave records unconverted.
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
        guard let conversion else { return BatchLimits.recordCount }
        return max(1, min(request.limits.records, BatchLimits.recordCount(of: conversion.table)))
    }

    /// Number of threads that read the records of a command. The thread that writes is not counted:
    /// it often waits for the disk, while reading can use all processors.
    static func threads(_ request: WriteRequest) -> Int {
        let workers = request.command.workers
        return workers == 1 ? 0 : request.format == .ndjson ? workers : 1
    }

    /// Starts threads that read ahead. Without this call, `take` reads on the calling thread.
    func start() {
        let count = max(1, conversions.count)
        isConvertedApart = count > 1
        isThreaded = true
        var started = 0
        for thread in 0..<count where Threads.detach({ self.run(thread) }) { started += 1 }
        isThreaded = started > 0
        if started == 0 { isConvertedApart = false }
    }

    /// Returns all batches that the threads have read, in order. Waits for them up to
    /// `milliseconds`; returns an empty array if there are none.
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

    /// Replaces the converters after a change of the schema, from the next batch on.
    func change(_ conversions: [Conversion]) { monitor.signal { self.conversions = conversions } }

    /// Ends the threads after the batches that they are reading.
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

    /// Reads some batches. Returns them and the number of the call, from 0; nil at the end of the
    /// input.
    private func readNext() -> (batches: [RecordBatch], number: Int)? {
        reading.locked {
            if isInputRead || monitor.locked({ isStopped }) { return nil }
            let batches = readAvailableBatches()
            isInputRead = isOver(batches[batches.count - 1])
            taken += 1
            return (batches, taken - 1)
        }
    }

    /// Whether no batch follows this batch.
    private func isOver(_ batch: RecordBatch) -> Bool {
        if case .rejected = batch.ending { return !request.skipsErrors }
        return batch.endsInput
    }

    // MARK: Filling

    /// Waits for one batch, and reads more batches as long as input is available. Passing small
    /// batches to the writing thread one by one would take more time than writing them.
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
            && values < BatchLimits.valueCount && input.isReady(within: 0)
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
        // Local copies, because accessing properties of an object for each record would take more
        // time than the rest of the loop.
        let (maximumBufferedRecords, maximumTotalBytes) = (
            request.limits.records, request.limits.bytes
        )
        var (records, bytes) = (records, bytes)
        defer { (self.records, self.bytes) = (records, bytes) }
        while true {
            // If no further input is available, the batch ends, so that the load can write its
            // records at once.
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
                // A converted batch is written as a whole, so it must end where a commit is due.
                if stage != nil || isConvertedApart { return }
                batch.commitPositions.append(batch.count)
                (records, bytes) = (0, 0)
            }
            if batch.count >= capacity || batch.textSize >= BatchLimits.byteCount { return }
        }
    }

    @_optimize(speed)
    private func pass(_ input: RecordInput) throws(RealmError) -> RecordEvent<ClassPlan?> {
        try input.skip().map { nil }
    }
}
