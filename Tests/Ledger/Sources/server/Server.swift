import Dispatch
import Foundation
import RealmSwift
import ServerBase
import Synchronization

/// Serves clients at a socket. Each client has a thread, which reads its requests in turn. Reads
/// are answered there, from the newest frozen version; transfers go to the bank.
final class Server: Sendable {
    private struct State {
        var clients: [ObjectIdentifier: Connection] = [:]
        var isEnding = false
    }

    private let configuration: Realm.Configuration
    private let bank: Bank
    private let listener: UnixSocket
    private let state = Mutex(State())
    /// The threads of clients.
    private let threads = DispatchGroup()

    init(_ configuration: Realm.Configuration, _ bank: Bank, _ listener: UnixSocket) {
        (self.configuration, self.bank, self.listener) = (configuration, bank, listener)
    }

    /// Accepts clients until `end` is called, and waits for their last replies.
    func run() async {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                while let socket = self.listener.accept() { self.begin(Connection(socket)) }
                done.resume()
            }
        }
        await withCheckedContinuation { done in
            threads.notify(queue: .global()) { @Sendable in done.resume() }
        }
        await bank.close()
    }

    /// Ends the server gracefully: requests that have arrived are answered, others are not read.
    func end() {
        let clients = state.withLock { state in
            state.isEnding = true
            return Array(state.clients.values)
        }
        listener.endReading()
        for client in clients { client.socket.endReading() }
    }

    private func begin(_ client: Connection) {
        let isEnding = state.withLock { state in
            state.clients[ObjectIdentifier(client)] = client
            return state.isEnding
        }
        if isEnding { client.socket.endReading() }
        threads.enter()
        Thread.detachNewThread {
            var lines = LineReader(client.socket)
            var watchers: [Task<Void, any Error>] = []
            while let line = lines.next() {
                if let watcher = self.answer(Request(line), client) { watchers.append(watcher) }
            }
            for watcher in watchers { watcher.cancel() }
            _ = self.state.withLock { $0.clients.removeValue(forKey: ObjectIdentifier(client)) }
            client.finish()
            self.threads.leave()
        }
    }

    /// Answers a request. Returns the task of a watch, which ends with the client.
    private func answer(
        _ request: Request, _ client: Connection
    ) -> Task<Void, any Error>? {
        client.beginRequest()
        switch request {
        case .transfer(let id, let from, let to, let amount):
            bank.submit(
                Bank.Order(id: id, from: from, to: to, amount: amount, client: client))
        case .balance(let id, let number):
            let account = bank.read().object(ofType: Account.self, forPrimaryKey: number)
            client.reply(
                account.map { "\(id) ok \($0.balance)" } ?? "\(id) error no such account")
        case .report(let id): client.reply(report(id, bank.read()))
        case .watch(let id): return watch(id, client)
        case .mistake(let id): client.reply("\(id) error not a request")
        }
        return nil
    }

    /// All balances and their sum. The version is frozen: nothing moves it while lines are made.
    private func report(_ id: String, _ version: Realm) -> String {
        let accounts = version.objects(Account.self)
        let lines = accounts.map { "\(id) balance \($0.number) \($0.balance)" }
        let sum: Int = accounts.sum(of: \.balance)
        return (lines + ["\(id) ok \(sum)"]).joined(separator: "\n")
    }

    private func watch(_ id: String, _ client: Connection) -> Task<Void, any Error> {
        let watcher = Watcher(configuration)
        return Task {
            defer { client.reply("\(id) ok") }
            try await watcher.run(id, to: client)
        }
    }
}
