import Foundation
import ServerBase
import Synchronization

/// Results of all clients.
final class Results: Sendable {
    struct State {
        /// Transfers that the server has confirmed, and all that were sent.
        var confirmed: Set<String> = []
        var sent: Set<String> = []
        var latencies: [Double] = []
        var mistakes: [String] = []
    }

    let state = Mutex(State())
}

/// A client with one request at a time. A request without a reply is sent again to the next server.
struct Client {
    let number: Int
    let socketPath: String
    let results: Results
    /// Share of reads among the requests, from 0 to 1.
    let reads: Double

    private struct Open {
        let id: String
        let line: String
        let isTransfer: Bool
    }

    /// Sends requests until the time `end`.
    func run(until end: Date) {
        var own = Results.State()
        var count = 0
        var open: Open?
        while open != nil || Date() < end {
            guard let socket = UnixSocket.connect(to: socketPath) else {
                usleep(2000)
                continue
            }
            var replies = LineReader(socket)
            while open != nil || Date() < end {
                let request = open ?? make(count)
                if open == nil { count += 1 }
                open = request
                if request.isTransfer { own.sent.insert(request.id) }
                let begin = DispatchTime.now().uptimeNanoseconds
                guard socket.sendAll(request.line.utf8), let reply = replies.next() else { break }
                let time = DispatchTime.now().uptimeNanoseconds - begin
                own.latencies.append(Double(time) / 1e6)
                check(reply, request, &own)
                open = nil
            }
            socket.close()
        }
        results.state.withLock { all in
            all.confirmed.formUnion(own.confirmed)
            all.sent.formUnion(own.sent)
            all.latencies += own.latencies
            all.mistakes += own.mistakes
        }
    }

    private func make(_ count: Int) -> Open {
        let id = "\(ProcessInfo.processInfo.processIdentifier)-\(number)-\(count)"
        let account = Int.random(in: 0..<Store.accounts)
        if Double.random(in: 0..<1) < reads {
            return Open(id: id, line: "\(id) balance \(account)\n", isTransfer: false)
        }
        let other = (account + Int.random(in: 1..<Store.accounts)) % Store.accounts
        return Open(id: id, line: "\(id) transfer \(account) \(other) 1\n", isTransfer: true)
    }

    private func check(_ reply: String, _ request: Open, _ own: inout Results.State) {
        guard reply.hasPrefix("\(request.id) ok") else {
            own.mistakes.append("'\(request.line.dropLast())' was answered with '\(reply)'")
            return
        }
        if request.isTransfer { own.confirmed.insert(request.id) }
    }
}

/// A client that keeps the balances up to date from the lines of a `watch`.
final class WatchingClient: Sendable {
    private let balances = Mutex<[Int: Int]>([:])

    var sum: Int { balances.withLock { $0.values.reduce(0, +) } }

    /// Follows one server until it ends.
    func run(_ socketPath: String) {
        var found = UnixSocket.connect(to: socketPath)
        while found == nil {
            usleep(1000)
            found = UnixSocket.connect(to: socketPath)
        }
        let socket = found!
        defer { socket.close() }
        _ = socket.sendAll("w watch\n".utf8)
        var lines = LineReader(socket)
        while let line = lines.next() {
            let words = line.split(separator: " ")
            guard words.count == 4, let number = Int(words[2]), let balance = Int(words[3]) else {
                continue
            }
            balances.withLock { $0[number] = balance }
        }
    }
}
