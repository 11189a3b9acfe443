import RealmSwift
import ServerBase

/// Streams the balances to one client. A client that reads slowly gets several changes of an account
/// as one.
actor Watcher {
    private let configuration: Realm.Configuration

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    /// Sends lines until the client has gone away or the task is cancelled.
    func run(_ id: String, to client: Connection) async throws {
        let realm = try await Realm.open(configuration: configuration)
        for await change in realm.objects(Account.self).changes {
            var lines: [String] = []
            switch change {
            case .initial(let accounts): lines = accounts.map { line(id, $0) }
            case .update(let accounts, _, let insertions, let modifications):
                lines = (insertions + modifications).map { line(id, accounts[$0]) }
            case .error: return
            }
            guard client.send(lines.joined(separator: "\n")) else { return }
            await client.drained()
        }
    }

    private func line(_ id: String, _ account: Account) -> String {
        "\(id) balance \(account.number) \(account.balance)"
    }
}
