import Foundation
import RealmSwift
import ServerBase

// Measures the server of this package and kills it under load:
//
//     server-check [SECONDS [CLIENTS [READS]]]
//
// CLIENTS threads (32) send requests for SECONDS (10); READS percent (50) of the requests read. Then
// they go on for as long, while the server is killed and started again several times. At last the
// server is ended gracefully. Exits with 1 if the file lacks a confirmed transfer, contains one
// that no client sent, or has lost money.

let numbers = CommandLine.arguments.dropFirst().compactMap { Double($0) }
let seconds = numbers.first ?? 10
let clients = numbers.count > 1 ? Int(numbers[1]) : 32
let reads = numbers.count > 2 ? numbers[2] / 100 : 0.5
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("server-\(UUID().uuidString.prefix(8))")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
let socketPath = folder.appendingPathComponent("socket").path
let file = folder.appendingPathComponent("bank.realm").path

func startServer() throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("server")
    process.arguments = [socketPath, file]
    try process.run()
    return process
}

/// Runs `body` in a thread each for all clients, calls `meanwhile`, and waits for the threads.
func runClients(
    _ results: Results, first: Int = 0, for seconds: Double, meanwhile: () throws -> Void
) rethrows {
    let group = DispatchGroup()
    let end = Date() + seconds
    for number in 0..<clients {
        group.enter()
        let client = Client(
            number: first + number, socketPath: socketPath, results: results, reads: reads)
        Thread.detachNewThread {
            client.run(until: end)
            group.leave()
        }
    }
    try meanwhile()
    group.wait()
}

let (measured, loaded) = (Results(), Results())
var server = try startServer()
while UnixSocket.connect(to: socketPath).map({ $0.close() }) == nil { usleep(1000) }

let (watcher, lastWatcher) = (WatchingClient(), WatchingClient())
let watching = DispatchGroup()
watching.enter()
let path = socketPath
Thread.detachNewThread {
    watcher.run(path)
    watching.leave()
}

// Speed.
runClients(measured, for: seconds) {}
let latencies = measured.state.withLock { $0.latencies.sorted() }
func percentile(_ share: Double) -> String {
    String(format: "%.2f ms", latencies[Int(Double(latencies.count - 1) * share)])
}
print(
    "\(Int(Double(latencies.count) / seconds)) requests a second of \(clients) clients; median "
        + "\(percentile(0.5)), p99 \(percentile(0.99)), longest \(percentile(1))")

// Kills.
var kills = 0
try runClients(loaded, first: clients, for: seconds) {
    let end = Date() + seconds
    while Date() < end {
        usleep(UInt32.random(in: 100_000...700_000))
        kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
        kills += 1
        server = try startServer()
    }
}
watching.wait()

// Graceful end of a server with a watcher.
watching.enter()
Thread.detachNewThread {
    lastWatcher.run(path)
    watching.leave()
}
while lastWatcher.sum != Store.accounts * Store.openingBalance { usleep(1000) }
server.terminate()
server.waitUntilExit()
watching.wait()

var mistakes: [String] = []
if server.terminationStatus != 0 { mistakes.append("the server ended with an error") }
let realm = try Realm(configuration: Store.configuration(file))
let stored = Set(realm.objects(Transfer.self).map(\.id))
var (sent, confirmed) = (Set<String>(), Set<String>())
for results in [measured, loaded] {
    results.state.withLock { state in
        sent.formUnion(state.sent)
        confirmed.formUnion(state.confirmed)
        mistakes += state.mistakes
    }
}
let lost = confirmed.subtracting(stored)
if !lost.isEmpty { mistakes.append("\(lost.count) confirmed transfers are lost") }
let invented = stored.subtracting(sent)
if !invented.isEmpty { mistakes.append("\(invented.count) transfers were never sent") }
let sum: Int = realm.objects(Account.self).sum(of: \.balance)
if sum != Store.accounts * Store.openingBalance { mistakes.append("the sum is \(sum)") }
print(
    "\(confirmed.count) transfers confirmed, \(stored.count) stored, \(lost.count) lost after "
        + "\(kills) kills; the watcher's sum is \(lastWatcher.sum)")
for mistake in Set(mistakes).sorted().prefix(10) { print(mistake) }
try FileManager.default.removeItem(at: folder)
exit(mistakes.isEmpty ? 0 : 1)
