import Foundation
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Processes and threads that use one file concurrently.
@Suite struct ConcurrencyTests {
    /// Seconds per run; `REALM_TEST_SCALE=30` makes it a minute.
    private static let seconds = 2 * ModelShapes.scale

    /// Readers never see a part of a transaction, all writers get turns, and the file stays small.
    @Test func readersOfOtherProcessesSeeWholeTransactions() throws {
        let folder = try ScratchFolder()
        let path = folder.file("busy.realm")
        _ = try Counters(path, isDurable: false)
        let words = [path, "0", String(Self.seconds)]
        var options = Database.Options()
        options.isDurable = false
        // Keeps the database open throughout, so that readers find a session.
        var database: Database? = try Database.open(path, options)
        let writers = (0..<2).map { _ in PeerProcess(["write"] + words) }
        let readers = (0..<6).map { _ in PeerProcess(["read"] + words) }
        // An open database keeps its version alive until it is refreshed.
        while !(writers + readers).allSatisfy(\.hasEnded) {
            try database!.refresh()
            usleep(2000)
        }
        for peer in writers + readers { #expect(peer.wait() == 0, "\(peer.text.suffix(500))") }
        let made = writers.map { done($0) }
        let seen = readers.map { done($0) }
        print("\(Self.seconds) s: versions made \(made), seen \(seen)")
        try database!.refresh()
        #expect(database!.version == UInt64(2 + made.reduce(0, +)))
        #expect(try Counters.sum(database!.snapshot()) == Int64(made.reduce(0, +)))
        // The order of turns is random: no writer may get only a small part.
        #expect(made.min()! * 4 > made.max()!)
        #expect(seen.allSatisfy { $0 > 0 })
        database = nil
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end", crashed: true)
        let size = try Data(contentsOf: URL(filePath: path)).count
        #expect(size <= 1 << 20, "bounded by what six readers keep, not by the commits")
    }

    private func done(_ peer: PeerProcess) -> Int {
        peer.lines.last.flatMap { Int($0.dropFirst(4)) } ?? -1
    }

    /// Threads of one process share the database and have their own snapshots.
    @Test("THR-04: eight threads open and read while two write")
    func readersOfOtherThreadsSeeWholeTransactions() throws {
        try threads(nil)
    }

    /// Threads at an encrypted file; half of the readers have decrypted pages of their own.
    @Test func threadsReadWholeTransactionsOfAnEncryptedFile() throws {
        try threads(try EncryptedImage.key())
    }

    private func threads(_ key: EncryptionKey?) throws {
        let folder = try ScratchFolder()
        let path = folder.file("threads.realm")
        _ = try Counters(path, isDurable: false, key: key)
        var options = WriteSession.Options()
        options.isDurable = false
        options.key = key
        let database: Database? = try Counters(opening: path, options).database
        let problems = Synced<[String]>([])
        let shared = options
        Threads.run(10) { thread in
            do {
                if thread < 2 {
                    let counters = try Counters(opening: path, shared)
                    for _ in 0..<60 { try counters.add(1) }
                } else {
                    try Self.read(path, shared, isSeparate: key != nil && thread % 2 == 0)
                }
            } catch { problems.change { $0.append("\(thread): \(error)") } }
        }
        #expect(problems.value.isEmpty, "\(problems.value)")
        #expect(database?.version == 122)
        #expect(database?.pinnedVersions == [122])
    }

    private static func read(
        _ path: String, _ shared: WriteSession.Options, isSeparate: Bool
    ) throws {
        var options = Database.Options()
        options.isDurable = shared.isDurable
        options.key = shared.key
        let database =
            isSeparate
            ? try Database(participating: DatabasePath(path), options)
            : try Database.open(path, options)
        var kept: [VersionPin] = []
        for i in 0..<200 {
            let snapshot = database.snapshot()
            guard let sum = try Counters.sum(snapshot), UInt64(sum) + 2 == snapshot.version else {
                throw ModelRun.Failure(description: "wrong in version \(snapshot.version)")
            }
            if i % 20 == 0 { kept.append(try database.pin(.frozen, label: "kept")) }
            if i % 3 == 0 { try database.refresh() }
        }
        kept.forEach(database.unpin)
    }

    /// Frozen pins of many versions make the list grow, also while another participant has it
    /// mapped.
    @Test("THR-35 THR-92: many versions are readable at once") func manyVersionsAreReadable() throws
    {
        let folder = try ScratchFolder()
        let path = folder.file("many.realm")
        _ = try Counters(path, isDurable: false)
        var options = WriteSession.Options()
        options.isDurable = false
        var separate = options
        separate.isSeparate = true
        let other = try Counters(opening: path, separate)
        let counters = try Counters(opening: path, options)
        var snapshots: [Snapshot] = []
        for i in 0..<70 {
            snapshots.append(counters.database.snapshot())
            #expect(try counters.add(1) == UInt64(3 + i))
        }
        // The other participant has not read the list since it grew.
        #expect(try other.database.refresh())
        #expect(other.database.version == 72)
        for (i, snapshot) in snapshots.enumerated() {
            #expect(try Counters.sum(snapshot) == Int64(i))
        }
        let facts = try #require(LockFileFacts(databasePath: path))
        #expect(facts.bytes == 448 + 40 * 96)
        #expect(facts.session?.versions.count == 71)
        snapshots = []
        try other.add(1)
        #expect(LockFileFacts(databasePath: path)?.session?.versions.count == 2)
    }

    /// Timeouts name the process that has the turn or the control mutex.
    @Test func timeoutsNameTheHolder() throws {
        let folder = try ScratchFolder()
        let path = folder.file("turn.realm")
        _ = try Counters(path, isDurable: false)
        let writer = PeerProcess(["turn", path])
        _ = try #require(writer.waitFor("writes"), "\(writer.text)")
        var options = WriteSession.Options()
        options.isDurable = false
        let counters = try Counters(opening: path, options)
        for lockTimeout in [LockTimeout.none, .milliseconds(20)] {
            let error = Thrown.error { _ = try counters.add(1, lockTimeout) }
            #expect(error?.kind == .busy && error?.reason == "writer")
            #expect(error?.message.hasPrefix("session-peer (pid \(writer.pid))") == true)
        }
        writer.kill()
        #expect(try counters.add(1, .milliseconds(60_000)) == 3)

        let joiner = PeerProcess(["write", path], ["REALM_TEST_PAUSE": "attaching"])
        _ = try #require(joiner.waitFor("paused"))
        let live = Thrown.error { _ = try Database(joiningLive: path, .milliseconds(20)) }
        #expect(live?.kind == .busy && live?.reason == "joining")
        options.isSeparate = true
        options.lockTimeout = .milliseconds(20)
        let separate = Thrown.error { _ = try Counters(opening: path, options) }
        #expect(separate?.kind == .busy && separate?.reason == "joining")
        #expect(separate?.message.contains("session-peer (pid \(joiner.pid))") == true)
        // Leaving the session waits for the control mutex too.
        joiner.kill()
    }

    /// Processes that are killed while they wait for a turn or a version do not disturb others.
    @Test func waitingProcessesMayBeKilled() throws {
        let folder = try ScratchFolder()
        let path = folder.file("waiters.realm")
        _ = try Counters(path, isDurable: false)
        var options = WriteSession.Options()
        options.isDurable = false
        let counters = try Counters(opening: path, options)
        for round in 0..<5 {
            let transaction = try counters.session.begin()
            let waiters = (0..<4).map { _ in PeerProcess(["write", path, "1"]) }
            usleep(UInt32(20_000 * (1 + round)))
            transaction.rollback()
            usleep(500)
            for waiter in waiters { waiter.kill() }
            try counters.add(1)
        }
        let sum = try Counters.sum(counters.database.snapshot())
        #expect(sum.map { UInt64($0) + 2 } == counters.database.version)
    }

    /// A commit wakes a waiter for its version.
    @Test func aCommitWakesAWaiterForItsVersion() throws {
        let folder = try ScratchFolder()
        let path = folder.file("wait.realm")
        _ = try Counters(path, isDurable: false)
        var options = Database.Options()
        options.isDurable = false
        let session = try #require(try Database.open(path, options).session)
        #expect(try !session.waitForVersion(after: 2, until: .after(milliseconds: 1)))
        let writer = PeerProcess(["write", path, "1"])
        #expect(try session.waitForVersion(after: 2, until: .after(milliseconds: 60_000)))
        #expect(writer.wait() == 0)
    }
}
