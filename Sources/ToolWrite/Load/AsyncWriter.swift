import RealmEngine
import ToolKit

/// An instance of the database that writes asynchronously, and the event loop of the thread to
/// which the instance is confined.
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

/// Transactions of a load whose commits are not known to be durable yet.
///
/// When a commit is durable, the load removes its transaction from this list, counts its records
/// and reports them (`RecordLoad.settle`). A transaction without changes needs no commit; it is
/// removed together with the transactions before it.
struct PendingCommits {
    struct Item {
        /// Number of records and changes up to the end of the transaction.
        let counts: LoadCounts
        /// Version of the commit; nil for a transaction without changes.
        let version: UInt64?
        /// Lines for the file of rejected records (`--rejects`), to be written once the commit is
        /// durable.
        let rejects: [UInt8]
        /// Position in the stream of changes at the end of the transaction; nil if the input is not
        /// a stream.
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
