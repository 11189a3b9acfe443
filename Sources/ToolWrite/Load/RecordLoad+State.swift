import RealmEngine
import RealmRecords
import ToolKit

/// State of a load.
extension RecordLoad {
    /// The transaction that a load has open, if any.
    enum Open {
        case nothing
        /// A transaction in which schema changes requested by options have been made. The first
        /// records are written in the same transaction.
        case prepared(WriteTransaction)
        case batch(Batch)
    }

    /// Reason why a load ends before the end of the input.
    enum Ending {
        /// The number of rejected records has reached `--max-errors` with this error. The open
        /// transaction is committed first.
        case tooManyErrors(last: RecordError)
        /// A record was rejected, and the load must stop. The second value is the record as in the
        /// input.
        case refused(RecordError, [UInt8])
        case interrupted(signal: Int32)
    }

    /// Numbers of records and changes at three points in time.
    struct Counts {
        /// Numbers of records and changes up to the record that was written last.
        var current = LoadCounts()
        /// Numbers of records and changes at the last commit.
        private(set) var committed = LoadCounts()
        /// Numbers of records and changes at the last durable commit.
        var durable = LoadCounts()

        /// Counts the first `count` records as read, because they are skipped.
        mutating func skip(_ count: Int) {
            current.records = count
            committed.records = count
            durable.records = count
        }

        /// Updates the counts of the last commit, because the open batch was committed.
        mutating func commit() { committed = current }

        /// Sets the counts to the counts of the last commit, because the open batch is written
        /// again.
        mutating func restart() { current.restart(from: committed) }

        /// Whether the open batch has changed anything.
        var hasChanges: Bool { current.changes > committed.changes }
    }

    /// Positions in a stream of change records.
    struct Stream {
        /// File that stores the position for the next run; nil without `--resume`.
        let resumption: Resumption?
        /// Position in the stream of change records after the last commit; nil if no commit has
        /// reached one.
        var reached: StreamPosition?

        init(_ request: WriteRequest, version: UInt64) throws(RealmError) {
            resumption = request.resumes ? try Resumption(request, version: version) : nil
        }

        var deduplicator: StreamDeduplicator {
            if let resumption { return StreamDeduplicator(resuming: resumption.position) }
            return StreamDeduplicator()
        }
    }

    /// An open transaction, and the state of the records in it.
    final class Batch {
        var writer: ObjectWriter
        let deadline: UInt64?
        /// Whether the transaction began with schema changes that options requested.
        let isPrepared: Bool
        /// Time at which records were last written, in nanoseconds.
        var lastRecord = MonotonicClock.nanoseconds()
        /// Number of records at the last search for the missing targets of pending links.
        /// `nextLinkSearch` is the number of records at which the next search begins.
        var lastLinkSearch = -1
        var nextLinkSearch = 0
        /// Position in the stream at the end of the last complete version of this transaction; nil
        /// without a stream. `isInPart` is true while the records of a further version are read.
        var reached: StreamPosition?
        var isInPart = false
        var resync: Resync?

        init(_ writer: ObjectWriter, deadline: UInt64?, isPrepared: Bool) {
            self.writer = writer
            self.deadline = deadline
            self.isPrepared = isPrepared
        }

        /// Ends the version of a stream that is being written, whether its records are complete or
        /// discarded.
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
