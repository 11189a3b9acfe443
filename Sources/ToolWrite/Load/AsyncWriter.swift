import RealmEngine
import ToolKit

/// An instance of the database for asynchronous writes, and the event loop of the thread to which
/// the instance is confined.
final class AsyncWriter {
    let loop: ThreadLoop
    let instance: Instance

    /// Opens an instance for the calling thread.
    init(_ session: WriteSession, _ request: WriteRequest) throws(RealmError) {
        loop = ThreadLoop()
        var configuration = Instance.Configuration(path: session.database.path)
        configuration.isDurable = request.isDurable
        configuration.lockTimeout = request.lockTimeout
        configuration.key = session.database.encryptionKey
        // The load needs no notifications. Checking for commits of other processes would cost time
        // while it waits for input.
        configuration.autorefresh = false
        instance = try Instance.open(configuration, on: loop.confinement)
    }

    /// Discards the open transaction, if there is one.
    func cancelWrite() {
        if instance.isInWriteTransaction { instance.cancelWrite() }
    }
}

/// Batches whose commits are not yet known to be durable. A commit is settled (counted and
/// reported) when it is durable. A transaction without changes is settled when all commits before
/// it are settled.
struct PendingCommits {
    struct Item {
        /// Number of records and changes up to the end of the batch.
        let counts: LoadCounts
        /// Version of the commit; nil for a transaction without changes.
        let version: UInt64?
        /// Lines for the file of rejected records, to be written when the batch is settled.
        let rejects: [UInt8]
        /// Stream position at the end of the batch; nil if the input is not a stream.
        var reached: StreamPosition?
    }

    private var items: [Item] = []
    private var next = 0

    var first: Item? { next < items.count ? items[next] : nil }
    var isEmpty: Bool { next == items.count }

    mutating func add(_ item: Item) { items.append(item) }

    mutating func removeFirst() -> Item {
        defer {
            next += 1
            if next == items.count { removeAll() }
        }
        return items[next]
    }

    mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
        next = 0
    }
}
