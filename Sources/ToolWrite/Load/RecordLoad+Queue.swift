import RealmEngine
import ToolKit

/// The driver: takes in what has been read, and writes it transaction by transaction.
extension RecordLoad {
    /// Batches that were read and not written yet.
    struct Queue {
        fileprivate var waiting: [RecordBatch] = []
        /// Bytes that these batches take.
        fileprivate(set) var waitingBytes = 0
        /// How many of those end a transaction.
        fileprivate var endings = 0
        /// The last batch has been written.
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

    /// Records of a whole transaction are at hand, or its time is up.
    var isNextReady: Bool {
        if queue.endings > 0 { return true }
        guard let first = queue.waiting.first else { return false }
        return patience(until: deadline(first.time)) == 0
    }

    /// A transaction of which only the beginning is at hand is not waited for.
    private var mayBeginEarly: Bool {
        if step.isEager { return !queue.waiting.isEmpty }
        return !step.hasUnsettled && isNextLarge
    }

    /// Too much of a transaction is at hand to wait for the rest.
    private var isNextLarge: Bool { queue.waitingBytes >= min(4 << 20, request.mostMemory / 16) }

    /// Takes in whatever there is until a transaction is at hand, or much of one; whether one is.
    func collectNext() -> Bool {
        while !queue.isOver, !isNextReady, !isNextLarge, collect(within: 0) {}
        return isNextReady && !queue.isOver
    }

    /// Takes in what has been read; false when there was nothing.
    @discardableResult
    private func collect(within milliseconds: Int32) -> Bool {
        let batches = feed.take(within: milliseconds)
        for batch in batches {
            queue.waiting.append(batch)
            queue.waitingBytes += batch.byteCount
            queue.endings += endings(batch)
        }
        passEmptyEnd()
        return !batches.isEmpty
    }

    /// The mere end of the input needs no transaction, unless one is open.
    private func passEmptyEnd() {
        guard case .nothing = open, let only = queue.waiting.first, only.isEmptyEnd else { return }
        if only.isCutOff, !queue.isOver { report.leaveOut() }
        queue.isOver = true
    }

    /// Transactions that end in what is left of the batch.
    private func endings(_ batch: RecordBatch) -> Int {
        batch.duesLeft + (batch.isUsedUp ? 0 : endsTransaction(batch) ? 1 : 0)
    }

    private func endsTransaction(_ batch: RecordBatch) -> Bool {
        if case .rejected = batch.ending, !request.skipsErrors { return true }
        return batch.isDue || batch.endsInput
    }

    /// Waits for input, and for commits that become durable.
    private func waitForMore() throws(RealmError) {
        if queue.waiting.isEmpty, !step.hasUnsettled {
            try step.idle()
            try stream.resumption?.settle()
        }
        let milliseconds = patience(until: queue.waiting.first.flatMap { deadline($0.time) })
        if !step.isEager, feed.isThreaded || step.hasUnsettled {
            // A sync may take longer than reading the whole input.
            if !isNextLarge { collect(within: 0) }
            if !isNextReady { try step.work(self, milliseconds) }
        } else {
            try step.work(self, 0)
            collect(within: milliseconds)
        }
    }

    // MARK: Writing

    /// Writes one transaction, with the turn to do so, and commits it.
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
        passEmptyEnd()
    }

    /// Writes some of what waits; false at the end of the input.
    private func writeWaiting(_ batch: Batch) throws(RealmError) -> Bool {
        let incoming = queue.waiting[0]
        let before = endings(incoming)
        defer { queue.endings -= before - endings(incoming) }
        let hasMore = queue.waiting.count > 1 || incoming.duesLeft > 0
        let goesOn = try write(incoming, batch, hasMore: hasMore)
        if incoming.isUsedUp { queue.waitingBytes -= queue.waiting.removeFirst().byteCount }
        return goesOn
    }

    // MARK: Settling

    func settlement(_ version: UInt64?) -> Settlements.Item {
        Settlements.Item(
            counts: counts.current, version: version, rejects: report.takeRejects(),
            reached: stream.reached)
    }

    /// What was committed is durable.
    func settle(_ item: Settlements.Item) throws(RealmError) {
        counts.durable = item.counts
        try report.committed(item)
    }
}
