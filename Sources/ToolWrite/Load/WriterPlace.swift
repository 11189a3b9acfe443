import RealmEngine
import ToolKit

/// Where a load writes asynchronously: an instance, and the loop of the thread it is confined to.
final class WriterPlace {
    let loop: ThreadLoop
    let instance: Instance

    /// For the calling thread.
    init(_ session: WriteSession, _ request: WriteRequest) throws(RealmError) {
        loop = ThreadLoop()
        var configuration = Instance.Configuration(path: session.database.path)
        configuration.isDurable = request.isDurable
        configuration.patience = request.patience
        configuration.key = session.database.encryptionKey
        // It has nothing to be told, and looking for commits would cost while no record comes.
        configuration.autorefresh = false
        instance = try Instance.open(configuration, on: loop.confinement)
    }

    /// Forgets the open transaction, if there is one.
    func cancelWrite() {
        if instance.isInWriteTransaction { instance.cancelWrite() }
    }
}

/// Batches that were written and await their turn to count: commits until they are durable, what
/// changed nothing until the commits before it are.
struct Settlements {
    struct Item {
        /// Of everything up to here.
        let counts: LoadCounts
        /// Of the commit; nil when nothing had changed.
        let version: UInt64?
        /// Lines for the file of refused records.
        let rejects: [UInt8]
        /// How far a stream has come with it.
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
