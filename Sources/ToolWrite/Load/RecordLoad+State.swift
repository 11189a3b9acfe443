import RealmEngine
import ToolKit

/// The states of a load.
extension RecordLoad {
    /// The transaction of the load: at most one at a time.
    enum Open {
        case nothing
        /// One with changes of the schema, which becomes the first batch.
        case prepared(WriteTransaction)
        case batch(Batch)
    }

    /// Why a run ends early.
    enum Ending {
        /// `--max-errors` was reached with this one; the batch is committed first.
        case tooManyErrors(last: RecordError)
        /// A record is refused, as it was written.
        case refused(RecordError, [UInt8])
        case interrupted(signal: Int32)
    }

    /// Numbers of records and changes at three moments.
    struct Counts {
        /// Including the open batch.
        var current = LoadCounts()
        /// As of the last commit.
        private(set) var committed = LoadCounts()
        /// As of the last commit that is durable.
        var durable = LoadCounts()

        /// The first `count` records were skipped.
        mutating func skip(_ count: Int) {
            current.records = count
            committed.records = count
            durable.records = count
        }

        /// The open batch is committed.
        mutating func commit() { committed = current }

        /// The records of the open batch are going to be written again.
        mutating func restart() { current.restart(from: committed) }

        /// Whether the open batch has changed anything.
        var hasChanges: Bool { current.changes > committed.changes }
    }

    /// Positions in a stream of change records.
    struct Stream {
        /// The file that has the position for the next run, with `--resume`.
        let resumption: Resumption?
        /// Position up to which the last commit applied the stream.
        var reached: StreamPosition?

        init(_ request: WriteRequest, version: UInt64) throws(RealmError) {
            resumption = request.resumes ? try Resumption(request, version: version) : nil
        }

        var deduplicator: StreamDeduplicator {
            if let resumption { return StreamDeduplicator(resuming: resumption.position) }
            return StreamDeduplicator()
        }
    }

    /// A transaction, and what is known of its records so far.
    final class Batch {
        var writer: ObjectWriter
        let deadline: UInt64?
        /// Whether the transaction began with changes of the schema.
        let isPrepared: Bool
        /// Time of the last write of records.
        var lastRecord = MonotonicClock.nanoseconds()
        /// Numbers of records at which missing targets of links were searched for last, and at which the next
        /// search is worth its time.
        var lastLook = -1
        var nextLook = 0
        /// In a stream, the end of the last complete version, and whether another one has begun.
        var reached: StreamPosition?
        var isInPart = false
        var resync: Resync?

        init(_ writer: ObjectWriter, deadline: UInt64?, isPrepared: Bool) {
            self.writer = writer
            self.deadline = deadline
            self.isPrepared = isPrepared
        }

        /// Ends the open version of a stream, complete or cancelled.
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
