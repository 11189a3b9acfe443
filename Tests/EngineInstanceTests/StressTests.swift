import Foundation
import RealmActors
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Threads, queues, an actor and other processes read and write one database, synchronously and
/// asynchronously, in groups and alone. Runs for ten minutes with `REALM_TEST_SCALE=300`.
@Suite struct StressTests {
    @Test("THR-03 THR-90 ACT-20 CD-01: readers never see a part of a transaction")
    func everyReaderSeesWholeTransactions() async throws {
        let seed =
            ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0 ... .max)
        let stress = try Stress(seed: seed, seconds: 2 * ModelShapes.scale)
        let writer = ActorWriter()
        let parts = stress.start()
        await writer.run(stress)
        // The parts run on their own threads; this task waits without blocking a thread.
        while !stress.isDone(parts) { try await Task.sleep(for: .milliseconds(20)) }
        try stress.check()
    }
}

/// One run, and the violations found.
private final class Stress: @unchecked Sendable {
    private let folder: ScratchFolder
    private let path: String
    private let counters: Counters
    private let seed: UInt64
    private let end: ContinuousClock.Instant
    private let monitor = Monitor()
    private var done = 0
    private var violations: [String] = []
    private var completed = 0
    private var reads = 0

    init(seed: UInt64, seconds: Int) throws {
        self.seed = seed
        folder = try ScratchFolder()
        path = folder.file("stress.realm")
        counters = try Counters(path, isDurable: false)
        end = .now.advanced(by: .seconds(seconds))
        print("stress for \(seconds) s, seed \(seed)")
    }

    var goesOn: Bool { ContinuousClock.now < end && monitor.locked { violations.isEmpty } }

    func isDone(_ parts: Int) -> Bool { monitor.locked { done == parts } }

    private func noteViolation(_ what: String) { monitor.signal { violations.append(what) } }

    /// Starts all parts except the actor; returns their number.
    func start() -> Int {
        let parts: [(Stress) -> (inout SeededRandom) throws -> Void] = [
            Stress.writeOnQueue, Stress.writeOnQueue, Stress.writeOnThread, Stress.readOnThread,
            Stress.readOnThread, Stress.runProcesses,
        ]
        for (i, part) in parts.enumerated() {
            let body = Unchecked(part)
            let isStarted = Threads.detach { [self] in
                var random = SeededRandom(seed: seed &+ UInt64(i))
                do { try body.value(self)(&random) } catch { noteViolation("part \(i): \(error)") }
                monitor.signal { done += 1 }
            }
            if !isStarted { noteViolation("no thread") }
        }
        return parts.count
    }

    func open(on confinement: Confinement = .thread) throws -> Instance {
        var configuration = Instance.Configuration(path: path)
        configuration.isDurable = false
        return try Instance.open(configuration, on: confinement)
    }

    // MARK: Writing

    /// Requests one transaction, which may be rolled back half-done.
    func request(_ instance: Instance, _ random: inout SeededRandom) throws {
        let isTakenBack = random.next() % 6 == 0
        try instance.writeAsync(allowGrouping: random.next() % 8 != 0) { [self] transaction in
            do throws(RealmError) {
                try counters.add(isTakenBack ? 100 : 1, in: transaction)
                if isTakenBack { return instance.cancelWrite() }
            } catch { noteViolation("adding: \(error.message)") }
        } onComplete: { [self] error in
            if let error { noteViolation("commit: \(error.message)") }
            monitor.signal { completed += 1 }
            checkSnapshot(instance.snapshot(), "completion")
        }
    }

    private func writeOnQueue(_ random: inout SeededRandom) throws {
        let queue = WorkQueue("writer")
        let kept = Unchecked(Kept())
        let place = queue.confinement
        queue.sync { [self] in
            do {
                let instance = try open(on: place)
                kept.value.instance = instance
                kept.value.token = instance.observe { [self] _ in
                    checkSnapshot(instance.snapshot(), "notice")
                }
            } catch { noteViolation("\(error)") }
        }
        var box = random
        while goesOn {
            let count = Int(random.next() % 100)
            box = queue.sync { [self, box] in
                var random = box
                do {
                    // Limits the number of pending requests.
                    let instance = kept.value.instance!
                    if instance.isPerformingAsynchronousWriteOperations { return random }
                    for _ in 0..<count { try request(instance, &random) }
                } catch { noteViolation("\(error)") }
                return random
            }
            Deadline.sleep(milliseconds: Int(random.next() % 20))
        }
        while queue.sync({ kept.value.instance!.isPerformingAsynchronousWriteOperations }) {
            Deadline.sleep(milliseconds: 5)
        }
        queue.sync { kept.value.release() }
        queue.close()
    }

    private final class Kept {
        var instance: Instance?
        var token: ObservationToken?

        func release() { (instance, token) = (nil, nil) }
    }

    private func writeOnThread(_ random: inout SeededRandom) throws {
        let instance = try open()
        while goesOn {
            if random.next() % 5 == 0 {
                try instance.beginWrite()
                try counters.add(100, in: instance.write)
                instance.cancelWrite()
            } else {
                try instance.write { (transaction) throws(RealmError) in
                    try counters.add(1, in: transaction)
                }
                monitor.signal { completed += 1 }
            }
            checkSnapshot(instance.snapshot(), "writer")
            Deadline.sleep(milliseconds: Int(random.next() % 8))
        }
        instance.close()
    }

    // MARK: Reading

    private func checkSnapshot(_ snapshot: Snapshot, _ who: String) {
        do {
            guard let sum = try Counters.sum(snapshot) else {
                return noteViolation(
                    "\(who): a part of a transaction in version \(snapshot.version)")
            }
            if UInt64(sum) + 2 != snapshot.version {
                noteViolation("\(who): sum \(sum) in version \(snapshot.version)")
            }
            monitor.signal { reads += 1 }
        } catch { noteViolation("\(who): \(error)") }
    }

    private func readOnThread(_ random: inout SeededRandom) throws {
        let instance = try open()
        let checker = WorkQueue("checker")
        while goesOn {
            try instance.refresh()
            checkSnapshot(instance.snapshot(), "reader")
            if random.next() % 10 == 0 {
                let frozen = Unchecked(try instance.freeze())
                checker.async { [self] in checkSnapshot(frozen.value.snapshot(), "frozen") }
            }
            if random.next() % 50 == 0 { instance.invalidate() }
            Deadline.sleep(milliseconds: Int(random.next() % 3))
        }
        instance.close()
        checker.close()
    }

    /// Starts other processes that write groups, write and read for a while.
    private func runProcesses(_ random: inout SeededRandom) throws {
        while goesOn {
            let peers = ["group", "write", "read"].map { PeerProcess([$0, path, "0", "1"]) }
            for peer in peers {
                let status = peer.wait()
                if status != 0 { noteViolation("a process ended with \(status): \(peer.text)") }
                let made = peer.lines.filter { $0.hasPrefix("made") }.count
                monitor.signal { completed += made }
            }
        }
    }

    func check() throws {
        let violations = monitor.locked { self.violations }
        let completed = monitor.locked { self.completed }
        let reads = monitor.locked { self.reads }
        #expect(violations.isEmpty, "seed \(seed): \(violations)")
        try counters.database.refresh()
        let sum = try #require(try Counters.sum(counters.database.snapshot()))
        #expect(sum == completed, "seed \(seed)")
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end, seed \(seed)")
        print("stress: \(completed) transactions, \(reads) looks")
    }
}

/// Writes asynchronously in the context of an actor.
private actor ActorWriter {
    private var instance: Instance?

    func run(_ stress: Stress) async {
        var random = SeededRandom(seed: 1)
        do {
            let instance = try stress.open(on: Confinement(self))
            self.instance = instance
            while stress.goesOn {
                if !instance.isPerformingAsynchronousWriteOperations {
                    for _ in 0..<10 { try stress.request(instance, &random) }
                }
                try await Task.sleep(for: .milliseconds(10))
            }
            while instance.isPerformingAsynchronousWriteOperations {
                try await Task.sleep(for: .milliseconds(5))
            }
        } catch { Issue.record("actor: \(error)") }
        instance = nil
    }
}
