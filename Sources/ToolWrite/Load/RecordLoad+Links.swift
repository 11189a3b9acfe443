import RealmEngine
import ToolKit

/// Change records lead to objects that come later in the same difference, however far: a commit that
/// is due waits for those.
extension RecordLoad {
    /// How long nothing may come while a commit waits, in nanoseconds: what is missing then does not
    /// come any more.
    private static var linkPatience: UInt64 { 10_000_000_000 }
    /// How long one look for more takes then, in milliseconds.
    static var linkPause: Int32 { 100 }

    /// Whether the batch has links to objects that may still come, or the rest of its version may.
    ///
    /// - Parameter isIdle: there is nothing else to do, so looking costs nothing.
    func waitsForLinks(_ batch: Batch, isIdle: Bool) throws(RealmError) -> Bool {
        if batch.isInPart { return true }
        guard request.mode == .apply, batch.writer.pending.count > 0 else { return false }
        if MonotonicClock.nanoseconds() &- batch.lastRecord >= Self.linkPatience { return false }
        // Looking takes as long as there is much that waits.
        if counts.current.records == batch.lastLook { return true }
        if !isIdle, counts.current.records < batch.nextLook { return true }
        try batch.writer.settleFound()
        let waiting = batch.writer.pending.count
        let records = counts.current.records
        (batch.lastLook, batch.nextLook) = (records, records + waiting)
        return waiting > 0
    }
}
