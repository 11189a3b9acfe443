import RealmEngine
import ToolKit

/// State of a load.
extension RecordLoad {
    /// The open transaction of the load, at most one.
    enum Open {
        case nothing
        /// A transaction with schema changes, which becomes the first batch.
        case prepared(WriteTransaction)
        case batch(Batch)
    }

    /// Reason for which a load ends early.
    enum Ending {
        /// `--max-errors` is reached by this error; the batch is committed first.
        case tooManyErrors(last: RecordError)
        /// A record is rejected; its bytes follow.
        case refused(RecordError, [UInt8])
        case interrupted(signal: Int32)
    }

    /// Numbers of records and changes at three points.
    struct Counts {
        /// Counts including the open batch.
        var current = LoadCounts()
        /// Counts at the last commit.
        private(set) var committed = LoadCounts()
        /// Counts at the last durable commit.
        var durable = LoadCounts()

        /// Records that the first `count` records are skipped.
        mutating func skip(_ count: Int) {
            current.records = count
            committed.records = count
            durable.records = count
        }

        /// Records that the open batch is committed.
        mutating func commit() { committed = current }

        /// Resets the counts before the open batch is written again.
        mutating func restart() { current.restart(from: committed) }

        /// Whether the open batch has changed anything.
        var hasChanges: Bool { current.changes > committed.changes }
    }

    /// Positions in a stream of change records.
    struct Stream {
        /// File that stores the position for the next run; nil without `--resume`.
        let resumption: Resumption?
        /// Stream position of the last commit.
        var reached: StreamPosition?

        init(_ request: WriteRequest, version: UInt64) throws(RealmError) {
            resumption = request.resumes ? try Resumption(request, version: version) : nil
        }

        var deduplicator: StreamDeduplicator {
            if let resumption { return StreamDeduplicator(resuming: resumption.position) }
            return StreamDeduplicator()
        }
    }

    /// An open transaction and the state of its records.
    final class Batch {
        var writer: ObjectWriter
        let deadline: UInt64?
        /// Whether the transaction began with changes of the schema.
        let isPrepared: Bool
        /// Time of the last write of records, in nanoseconds.
        var lastRecord = MonotonicClock.nanoseconds()
        /// Number of records at the last search for missing link targets, and the number from which
        /// another search is worthwhile.
        var lastLinkSearch = -1
        var nextLinkSearch = 0
        /// In a stream: the position of the last complete version, and whether another version has
        /// begun.
        var reached: StreamPosition?
        var isInPart = false
        var resync: Resync?

        init(_ writer: ObjectWriter, deadline: UInt64?, isPrepared: Bool) {
            self.writer = writer
            self.deadline = deadline
            self.isPrepared = isPrepared
        }

        /// Ends the open version of a stream, whether complete or cancelled.
        func endVersion() {
            isInPart = false
            resync = nil
        }
    }

    /// The open batch; nil between batches.
    var batch: Batch? {
        if case .batch(let batch) = open { batch } else { nil }
    }
}
