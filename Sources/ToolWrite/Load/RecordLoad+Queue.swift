import RealmEngine
import ToolKit

/// Main loop of a load. Takes the batches of records that `RecordFeed` reads, and writes them in
/// transactions.
extension RecordLoad {
    /// Batches of records that have been read but not yet written.
    struct Queue {
        fileprivate var waiting: [RecordBatch] = []
        /// Memory of the batches in `waiting`, in bytes.
        fileprivate(set) var waitingBytes = 0
        /// Number of transactions that end within the batches in `waiting`.
        fileprivate var endings = 0
        /// Whether the last batch has been written.
        fileprivate(set) var isOver = false
    }

    /// Reads and writes all records.
    func load() throws(RealmError) {
        while !queue.isOver {
            try checkInterruption()
            if isNextReady || mayBeginEarly {
                try step.perform(self)
            } else {
                try waitForMore()
            }
        }
        try step.finish(self)
        try stream.resumption?.settle()
    }

    // MARK: Reading

    /// Whether the next transaction can be written: all of its records have been read, or the
    /// deadline for its commit has passed.
    var isNextReady: Bool {
        if queue.endings > 0 { return true }
        guard let first = queue.waiting.first else { return false }
        return remainingMilliseconds(until: deadline(first.time)) == 0
    }

    /// Whether a transaction may begin before all of its records have been read.
    private var mayBeginEarly: Bool {
        if step.isEager { return !queue.waiting.isEmpty }
        return !step.hasPendingCommits && isNextLarge
    }

    /// Whether the waiting records take so much memory that the load must not wait for the rest of
    /// their transaction.
    private var isNextLarge: Bool { queue.waitingBytes >= min(4 << 20, request.memoryLimit / 16) }

    /// Takes batches from `feed` until the next transaction can be written, or until the batches
    /// take too much memory. Returns whether the next transaction can be written.
    func collectNext() -> Bool {
        while !queue.isOver, !isNextReady, !isNextLarge, collect(within: 0) {}
        return isNextReady && !queue.isOver
    }

    /// Moves the batches that `feed` has read to `queue`. Returns false if there are none.
    @discardableResult
    private func collect(within milliseconds: Int32) -> Bool {
        let batches = feed.take(within: milliseconds)
        for batch in batches {
            queue.waiting.append(batch)
            queue.waitingBytes += batch.byteCount
            queue.endings += endings(batch)
        }
        endWithoutTransaction()
        return !batches.isEmpty
    }

    /// Ends the load if no transaction is open and the queue contains only the end of the input.
    private func endWithoutTransaction() {
        guard case .nothing = open, let only = queue.waiting.first, only.isEmptyEnd else { return }
        if only.isCutOff, !queue.isOver { report.reportIncompleteVersion() }
        queue.isOver = true
    }

    /// Returns the number of transactions that end in the unwritten records of a batch.
    private func endings(_ batch: RecordBatch) -> Int {
        batch.commitPositionsLeft + (batch.isUsedUp ? 0 : endsTransaction(batch) ? 1 : 0)
    }

    private func endsTransaction(_ batch: RecordBatch) -> Bool {
        if case .rejected = batch.ending, !request.skipsErrors { return true }
        return batch.isCommitDue || batch.endsInput
    }

    /// Waits for input and for commits to become durable.
    private func waitForMore() throws(RealmError) {
        if queue.waiting.isEmpty, !step.hasPendingCommits {
            try step.idle()
            try stream.resumption?.settle()
        }
        let milliseconds = remainingMilliseconds(
            until: queue.waiting.first.flatMap { deadline($0.time) })
        if !step.isEager, feed.isThreaded || step.hasPendingCommits {
            // Reading continues during a sync, which may take longer than reading the whole input.
            if !isNextLarge { collect(within: 0) }
            if !isNextReady { try step.work(self, milliseconds) }
        } else {
            try step.work(self, 0)
            collect(within: milliseconds)
        }
    }

    // MARK: Writing

    /// Writes one transaction and commits it.
    func writeTransaction() throws(RealmError) {
        guard let first = queue.waiting.first else { return }
        let batch = try begin(first.time)
        while self.batch === batch {
            if queue.waiting.isEmpty {
                try checkInterruption()
                if let milliseconds = try timeLeft() { collect(within: milliseconds) }
                continue
            }
            if try writeWaiting(batch), ending == nil { continue }
            queue.isOver = true
            return try commit()
        }
        endWithoutTransaction()
    }

    /// Writes records of the first batch in the queue. Returns false at the end of the input.
    private func writeWaiting(_ batch: Batch) throws(RealmError) -> Bool {
        let incoming = queue.waiting[0]
        let before = endings(incoming)
        defer { queue.endings -= before - endings(incoming) }
        let hasMore = queue.waiting.count > 1 || incoming.commitPositionsLeft > 0
        let goesOn = try write(incoming, batch, hasMore: hasMore)
        if incoming.isUsedUp { queue.waitingBytes -= queue.waiting.removeFirst().byteCount }
        return goesOn
    }

    // MARK: Settlements

    func pendingCommit(_ version: UInt64?) -> PendingCommits.Item {
        PendingCommits.Item(
            counts: counts.current, version: version, rejects: report.takeRejects(),
            reached: stream.reached)
    }

    /// Counts and reports the records of a transaction whose commit is durable.
    func settle(_ item: PendingCommits.Item) throws(RealmError) {
        counts.durable = item.counts
        try report.committed(item)
    }
}
