import Dispatch
import Foundation
import RealmSwift

// A small server in one file. Many tasks write through one actor, a queue writes as well, threads
// read each version that they see and keep frozen ones, and a watcher is notified of all changes.
//
//     ledger [SECONDS]
//
// Exits with 1 if a version violates a rule.

let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 10
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("ledger-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
defer { try? FileManager.default.removeItem(at: folder) }
Realm.Configuration.defaultConfiguration = Realm.Configuration(
    fileURL: folder.appendingPathComponent("ledger.realm"))

/// Counts reads and writes of all threads and collects violations.
final class Tally: @unchecked Sendable {
    private let lock = NSLock()
    private var state = (reads: 0, writes: 0, violations: [String]())

    func read() { lock.withLock { state.reads += 1 } }
    func wrote() { lock.withLock { state.writes += 1 } }
    func violated(_ what: String?) {
        if let what { lock.withLock { state.violations.append(what) } }
    }
    var all: (reads: Int, writes: Int, violations: [String]) { lock.withLock { state } }
}

let tally = Tally()
let end = Date().addingTimeInterval(seconds)
let bank = try await Bank()
try await bank.open()

let watcher = Watcher()
let watched = try Realm().objects(Account.self)
let token = await watched.observe(on: watcher) { watcher, change in watcher.heard(change) }

// Threads that read live versions, and frozen versions that they keep.
let readers = (0..<2).map { number in
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        do {
            var kept: [(realm: Realm, sum: Int)] = []
            while Date() < end {
                try autoreleasepool {
                    let realm = try Realm()
                    realm.refresh()
                    tally.violated(Rules.violation(in: realm))
                    tally.read()
                    kept.append((realm.freeze(), Rules.total))
                    if kept.count > 3 { kept.removeFirst() }
                    for (frozen, sum) in kept
                    where frozen.objects(Account.self).sum(of: \.balance) != sum {
                        tally.violated("a frozen version changed")
                    }
                }
            }
        } catch { tally.violated("reader \(number): \(error)") }
        done.signal()
    }
    return done
}

// A queue that writes asynchronously.
let queue = DispatchQueue(label: "standing orders")
let orders = DispatchGroup()
@Sendable func order(_ number: Int) {
    guard Date() < end else { return orders.leave() }
    do {
        let realm = try Realm(configuration: .defaultConfiguration, queue: queue)
        realm.writeAsync {
            Rules.transfer(1, from: number % 100, to: (number + 7) % 100, by: "queue", in: realm)
        } onComplete: { error in
            tally.violated(error.map { "queue: \($0)" })
            tally.wrote()
            queue.async { order(number + 1) }
        }
    } catch {
        tally.violated("queue: \(error)")
        orders.leave()
    }
}
orders.enter()
queue.async { order(0) }

/// Checks an account that the actor has handed over; nil if it is correct.
@Sendable func handedOver(_ reference: ThreadSafeReference<Account>, _ number: Int) throws
    -> String?
{
    let account = try Realm().resolve(reference)
    return account?.number == number ? nil : "a reference led elsewhere"
}

// Clients.
await withTaskGroup(of: Void.self) { group in
    for client in 0..<10 {
        group.addTask {
            var random = SystemRandomNumberGenerator()
            while Date() < end {
                do {
                    let (from, to) = (
                        Int.random(in: 0..<100, using: &random),
                        Int.random(in: 0..<100, using: &random)
                    )
                    try await bank.transfer(client + 1, from: from, to: to)
                    tally.wrote()
                    if from == 0 { try? await bank.fail() }
                    if from == 1, let reference = await bank.reference(to: to) {
                        tally.violated(try handedOver(reference, to))
                    }
                } catch { tally.violated("client \(client): \(error)") }
            }
        }
    }
}

for reader in readers { await wait(for: reader) }
await withCheckedContinuation { done in orders.notify(queue: queue) { @Sendable in done.resume() } }

// The watcher receives its last notifications a little later.
let balances = await bank.balances
var tries = 0
while await watcher.balances != balances, tries < 2000 {
    try await Task.sleep(nanoseconds: 5_000_000)
    tries += 1
}
if await watcher.balances != balances { tally.violated("the watcher knows other balances") }
token.invalidate()
tally.violated(await bank.violation)

let (reads, writes, violations) = tally.all
if await bank.transfers > writes { tally.violated("more transfers than were made") }
print(
    "\(writes) writes, \(reads) versions read, \(await watcher.updates) updates heard, "
        + "\(violations.count) violations")
for violation in Set(violations).sorted() { print(violation) }
await bank.close()
exit(violations.isEmpty ? 0 : 1)

/// Waits for a semaphore without blocking a thread that runs tasks.
func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { done in
        DispatchQueue.global().async {
            semaphore.wait()
            done.resume()
        }
    }
}
