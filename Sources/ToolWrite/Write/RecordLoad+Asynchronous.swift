import RealmEngine
import ToolKit

/// Writing batches as asynchronous transactions of an instance, which share their syncs.
///
/// A transaction is asked for when its batch has been read as a whole, so that nobody waits for input
/// with the writer's turn; only batches too large to be kept are read while they are written. As long
/// as whole batches are at hand, one transaction asks for the next, and all become durable together.
extension RecordLoad {
    struct Queue {
        /// Read, but not written yet.
        fileprivate var waiting: [RecordBatch] = []
        fileprivate var waitingBytes = 0
        /// How many of those end a transaction.
        fileprivate var endings = 0
        /// The transaction that was asked for and has not begun.
        fileprivate var asked: Instance.AsyncID?
        fileprivate var settlements = Settlements()
        /// When the first of them was committed.
        fileprivate var groupStart: UInt64 = 0
        fileprivate var failure: RealmError?
        /// The last batch has been written.
        fileprivate var isOver = false
    }

    func loadAsynchronously(_ place: WriterPlace) throws(RealmError) {
        while !queue.isOver {
            try checkInterruption()
            if isNextReady || (queue.settlements.isEmpty && isNextLarge) {
                try ask(place)
                try serve(place)
            } else {
                try waitForMore(place)
            }
        }
        while place.instance.isPerformingAsynchronousWriteOperations { try runWork(place) }
        place.instance.waitForEndOfTurn()
    }

    /// What was committed becomes durable, or fails to, and is told.
    func drain() {
        guard let place else { return }
        let asked = queue.asked
        queue.asked = nil
        if let asked { place.instance.cancelAsyncWrite(asked) }
        while place.instance.isPerformingAsynchronousWriteOperations {
            _ = try? runWork(place)
        }
        // A turn that has not come is not waited for.
        if asked == nil { place.instance.waitForEndOfTurn() }
    }

    // MARK: Reading

    /// Records of a whole transaction are at hand, or its time is up.
    private var isNextReady: Bool {
        if queue.endings > 0 { return true }
        guard let first = queue.waiting.first else { return false }
        return patience(until: deadline(first.time)) == 0
    }

    /// Too much of a transaction is at hand to wait for the rest.
    private var isNextLarge: Bool { queue.waitingBytes >= min(4 << 20, request.mostMemory / 16) }

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

    /// The mere end of the input needs no transaction.
    private func passEmptyEnd() {
        guard let only = queue.waiting.first, only.isEmptyEnd else { return }
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

    /// Writes some of what waits; false at the end of the input.
    private func writeWaiting(_ batch: Batch) throws(RealmError) -> Bool {
        let incoming = queue.waiting[0]
        let before = endings(incoming)
        defer { queue.endings -= before - endings(incoming) }
        let hasMore = queue.waiting.count > 1 || incoming.duesLeft > 0
        let goesOn = try write(incoming, batch, hasMore: hasMore)
        if incoming.isUsedUp { dropFirstWaiting() }
        return goesOn
    }

    private func dropFirstWaiting() {
        queue.waitingBytes -= queue.waiting.removeFirst().byteCount
    }

    /// Waits for input, and for commits that become durable.
    private func waitForMore(_ place: WriterPlace) throws(RealmError) {
        // The version an idle writer has seen is not kept for it.
        if queue.waiting.isEmpty, queue.settlements.isEmpty { try place.instance.refresh() }
        let milliseconds = patience(until: queue.waiting.first.flatMap { deadline($0.time) })
        if feed.isThreaded || !queue.settlements.isEmpty {
            collect(within: 0)
            if !isNextReady { try runWork(place, milliseconds) }
        } else {
            try runWork(place, 0)
            collect(within: milliseconds)
        }
    }

    /// Runs what was delivered here.
    private func runWork(_ place: WriterPlace, _ milliseconds: Int32 = 200) throws(RealmError) {
        place.loop.run(milliseconds: milliseconds)
        try report.flushAcknowledgements()
        if let failure = queue.failure { throw failure }
    }

    // MARK: Writing

    private func ask(_ place: WriterPlace) throws(RealmError) {
        queue.asked = try place.instance.beginAsyncWrite { (error) in
            self.queue.asked = nil
            self.fail(error)
        } _: {
            self.queue.asked = nil
            self.runTransaction(place)
        }
    }

    /// Until the transaction that was asked for, and those it asked for, have been written.
    private func serve(_ place: WriterPlace) throws(RealmError) {
        while queue.asked != nil {
            try runWork(place)
            try checkInterruption()
        }
    }

    private func fail(_ error: RealmError) {
        if queue.failure == nil { queue.failure = error }
    }

    /// The block of a transaction.
    private func runTransaction(_ place: WriterPlace) {
        do throws(RealmError) {
            try checkInterruption()
            try writeTransaction()
            if queue.isOver || queue.failure != nil { return }
            passEmptyEnd()
            while !queue.isOver, !isNextReady, !isNextLarge, collect(within: 0) {}
            if isNextReady, !queue.isOver { try ask(place) }
        } catch {
            abandon()
            fail(error)
        }
    }

    private func writeTransaction() throws(RealmError) {
        guard let first = queue.waiting.first else { return }
        let batch = try begin(first.time)
        while self.batch === batch {
            if queue.waiting.isEmpty {
                try checkInterruption()
                if let milliseconds = try timeLeft() { collect(within: milliseconds) }
                continue
            }
            if try writeWaiting(batch), last == nil { continue }
            queue.isOver = true
            try commit()
        }
    }

    /// Commits the batch, durable with those that follow at once; a group does not grow beyond its
    /// memory nor for longer than records may wait.
    func commit(_ batch: Batch, _ place: WriterPlace) throws(RealmError) {
        let transaction = batch.writer.transaction
        guard counts.changes > written.changes else {
            place.instance.cancelWrite()
            queue.settlements.add(settlement(nil))
            return try settleUnchanged()
        }
        let version = transaction.version
        let now = MonotonicClock.nanoseconds()
        if queue.settlements.isEmpty { queue.groupStart = now }
        let isLong = now &- queue.groupStart >= longestGroup
        try place.instance.commitAsyncWrite(
            allowGrouping: !isLong && transaction.size < request.mostMemory / 8
        ) { self.complete($0) }
        queue.settlements.add(settlement(version))
    }

    /// How long a group may grow, in nanoseconds: not so short that syncs take most of the time.
    private var longestGroup: UInt64 { max(request.limits.interval, 20_000_000) }

    /// The first commit that was waiting is durable, or failed.
    private func complete(_ error: RealmError?) {
        if let error {
            // Nothing becomes durable any more.
            queue.settlements.removeAll()
            return fail(error)
        }
        do throws(RealmError) {
            if !queue.settlements.isEmpty { try settle() }
            try settleUnchanged()
        } catch { fail(error) }
    }

    private func settle() throws(RealmError) {
        let item = queue.settlements.removeFirst()
        settled = item.counts
        try report.committed(item)
    }

    /// What changed nothing counts as soon as all before it does.
    private func settleUnchanged() throws(RealmError) {
        while let first = queue.settlements.first, first.version == nil { try settle() }
    }
}
