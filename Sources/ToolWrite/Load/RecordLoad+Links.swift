import RealmEngine
import ToolKit

/// Delayed commits. Change records can link to objects that come much later in the same version, so
/// a due commit waits for them.
extension RecordLoad {
    /// Nanoseconds without a new record after which a delayed commit stops waiting for missing
    /// targets.
    private static var linkPatience: UInt64 { 10_000_000_000 }
    /// Milliseconds between checks for new records while a commit is delayed.
    static var linkPause: Int32 { 100 }

    /// Whether the commit of the batch must wait, because it has links to missing objects or an
    /// incomplete version.
    ///
    /// - Parameter isIdle: whether there is nothing else to do, so that searching for targets is
    ///   free.
    func waitsForLinks(_ batch: Batch, isIdle: Bool) throws(RealmError) -> Bool {
        if batch.isInPart { return true }
        guard request.mode == .apply, batch.writer.pending.count > 0 else { return false }
        if MonotonicClock.nanoseconds() &- batch.lastRecord >= Self.linkPatience { return false }
        // The cost of a search is proportional to the number of pending links.
        if counts.current.records == batch.lastLinkSearch { return true }
        if !isIdle, counts.current.records < batch.nextLinkSearch { return true }
        try batch.writer.storeFound()
        let waiting = batch.writer.pending.count
        let records = counts.current.records
        (batch.lastLinkSearch, batch.nextLinkSearch) = (records, records + waiting)
        return waiting > 0
    }
}
