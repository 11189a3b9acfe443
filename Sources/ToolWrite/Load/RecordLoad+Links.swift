import RealmEngine
import ToolKit

/// Delays commits in streams of changes. There, a record may link to an object that a much later
/// record of the same version creates. A commit that is due waits until the later record is
/// written.
extension RecordLoad {
    /// Nanoseconds without a new record after which a delayed commit no longer waits for missing
    /// link targets.
    private static var linkPatience: UInt64 { 10_000_000_000 }
    /// Milliseconds between checks for new records while a commit is delayed.
    static var linkPause: Int32 { 100 }

    /// Whether the commit of the batch must be delayed, because targets of its links are missing,
    /// or because a version is incomplete.
    ///
    /// - Parameter isIdle: whether no other work is waiting, so that a search for missing targets
    ///   delays nothing.
    func waitsForLinks(_ batch: Batch, isIdle: Bool) throws(RealmError) -> Bool {
        if batch.isInPart { return true }
        guard request.mode == .apply, batch.writer.pendingCount > 0 else { return false }
        if MonotonicClock.nanoseconds() &- batch.lastRecord >= Self.linkPatience { return false }
        // A search takes time in proportion to the number of pending links, so it is repeated only
        // after as many new records.
        if counts.current.records == batch.lastLinkSearch { return true }
        if !isIdle, counts.current.records < batch.nextLinkSearch { return true }
        try batch.writer.storeFound()
        let waiting = batch.writer.pendingCount
        let records = counts.current.records
        (batch.lastLinkSearch, batch.nextLinkSearch) = (records, records + waiting)
        return waiting > 0
    }
}
