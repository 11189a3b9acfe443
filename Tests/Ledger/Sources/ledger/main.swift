import Dispatch
import Foundation
import RealmSwift

// A small server in one file: many tasks write through one actor, a queue writes on its own, threads read
// every version they come to and take frozen ones along, and a watcher is told of all that happens.
//
//     ledger [SECONDS]
//
// Exits with 1 when a version breaks a rule.

let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 10
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("ledger-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
defer { try? FileManager.default.removeItem(at: folder) }
Realm.Configuration.defaultConfiguration = Realm.Configuration(
    fileURL: folder.appendingPathComponent("ledger.realm"))

/// What everybody counts, and finds wrong.
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

// Threads that read: live ones, and frozen objects that went from one to another.
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

/// What is wrong with an account that came from the actor; nil when nothing is.
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

// The watcher has heard of everything, or will soon.
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

/// Without holding up a thread that tasks run on.
func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { done in
        DispatchQueue.global().async {
            semaphore.wait()
            done.resume()
        }
    }
}
