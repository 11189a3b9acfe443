import RealmEngine
import ToolKit

/// An instance for asynchronous writes, and the loop of the thread to which it is confined.
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
        // The load needs no notifications, and checking for commits would cost time while no record
        // comes.
        configuration.autorefresh = false
        instance = try Instance.open(configuration, on: loop.confinement)
    }

    /// Discards the open transaction, if there is one.
    func cancelWrite() {
        if instance.isInWriteTransaction { instance.cancelWrite() }
    }
}

/// Batches that have been written and are not settled yet. A commit is settled when it is durable,
/// a transaction without changes when all commits before it are settled.
struct PendingCommits {
    struct Item {
        /// Counts up to the end of the batch.
        let counts: LoadCounts
        /// Version of the commit; nil for a transaction without changes.
        let version: UInt64?
        /// Lines for the file of rejected records.
        let rejects: [UInt8]
        /// Stream position at the end of the batch.
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
