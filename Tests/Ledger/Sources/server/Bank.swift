import RealmSwift
import ServerBase
import Synchronization

/// The actor that owns all writes. Transfers that arrive during a commit are one transaction, the
/// next one: the more clients there are, the fewer syncs each of them needs.
actor Bank {
    struct Order: Sendable {
        let id: String
        let from: Int
        let to: Int
        let amount: Int
        /// Receives the reply once the transfer is durable, or refused.
        let client: Connection
    }

    private struct Inbox {
        var orders: [Order] = []
        var isWriting = false
    }

    /// A frozen realm, which any thread may read.
    private struct Version: @unchecked Sendable {
        let realm: Realm
    }

    private var realm: Realm!
    private let inbox = Mutex(Inbox())
    private let newest = Mutex<Version?>(nil)

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    /// Creates the accounts of a new file.
    func open() async throws {
        try await realm.asyncWrite {
            guard realm.objects(Account.self).isEmpty else { return }
            for number in 0..<Store.accounts {
                realm.create(
                    Account.self, value: ["number": number, "balance": Store.openingBalance])
            }
        }
        publish()
    }

    /// The newest durable version, frozen. May be called on any thread.
    nonisolated func read() -> Realm { newest.withLock { $0! }.realm }

    private func publish() {
        let version = Version(realm: realm.freeze())
        newest.withLock { $0 = version }
    }

    /// Accepts a transfer. May be called on any thread.
    nonisolated func submit(_ order: Order) {
        let mustBegin = inbox.withLock { inbox in
            inbox.orders.append(order)
            defer { inbox.isWriting = true }
            return !inbox.isWriting
        }
        if mustBegin { Task { await write() } }
    }

    /// Commits the waiting transfers, until there are none.
    private func write() async {
        while let orders = next() {
            var replies: [String] = []
            do {
                try await realm.asyncWrite { replies = orders.map { perform($0) } }
            } catch {
                replies = orders.map { "\($0.id) error \(error.localizedDescription)" }
            }
            // The transfers are durable: a reply is never taken back. A client that has its reply
            // reads this version or a later one.
            publish()
            for (order, reply) in zip(orders, replies) { order.client.reply(reply) }
        }
    }

    private func next() -> [Order]? {
        inbox.withLock { inbox in
            defer { inbox.orders = [] }
            inbox.isWriting = !inbox.orders.isEmpty
            return inbox.isWriting ? inbox.orders : nil
        }
    }

    private func perform(_ order: Order) -> String {
        // A client that has had no reply sends its request again.
        if realm.object(ofType: Transfer.self, forPrimaryKey: order.id) != nil {
            return "\(order.id) ok"
        }
        guard let from = realm.object(ofType: Account.self, forPrimaryKey: order.from),
            let to = realm.object(ofType: Account.self, forPrimaryKey: order.to)
        else { return "\(order.id) error no such account" }
        guard order.amount > 0, from.balance >= order.amount else {
            return "\(order.id) error not enough money"
        }
        from.balance -= order.amount
        to.balance += order.amount
        let transfer = Transfer()
        (transfer.id, transfer.from, transfer.to) = (order.id, order.from, order.to)
        transfer.amount = order.amount
        realm.add(transfer)
        return "\(order.id) ok"
    }

    func close() {
        newest.withLock { $0 = nil }
        realm = nil
    }
}
