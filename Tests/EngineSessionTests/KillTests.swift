import Foundation
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Participants are killed at failpoints and at random moments. Survivors and later participants
/// continue, and no acknowledged transaction is missing (storage format 5.11, 6.12).
@Suite(.serialized) struct KillTests {
    /// Each round kills two or three processes; `REALM_TEST_SCALE=20` makes it 2 000 processes.
    static let rounds = 40 * ModelShapes.scale

    /// A process that writes groups ends without leaving the session.
    private static let cases =
        Failpoint.allCases.map { ($0, "write") }
        + Failpoint.allCases.filter { $0 != .leaving }.map { ($0, "group") }

    /// Kills the only participant at every failpoint, writing single transactions or groups.
    @Test("THR-91 CD-20: writers may be killed at every step", arguments: cases)
    func theNextSessionContinuesAfterAKill(_ point: Failpoint, _ command: String) throws {
        let lab = try KillLab(command)
        let victim = lab.victim(point)
        let paused = try #require(victim.waitFor("paused"), "\(victim.text)")
        #expect(paused.hasSuffix(point.rawValue))
        victim.kill()
        try lab.checkNextSession(after: [victim])
        try lab.checkNothingIsLeft()
    }

    /// Kills one of two participants at every failpoint; the other one continues.
    @Test(arguments: cases.filter { $0.0 != .initializing })
    func aSurvivorContinuesAfterAKill(_ point: Failpoint, _ command: String) throws {
        let lab = try KillLab(command)
        var survivor: Counters? = try lab.open()
        var before: Snapshot? = survivor!.database.snapshot()
        let victim = lab.victim(point)
        _ = try #require(victim.waitFor("paused"), "\(victim.text)")
        victim.kill()
        #expect(try Counters.sum(before!) != nil)
        let isRestartNeeded = try lab.checkSurvivor(survivor!, [victim])
        let critical: [Failpoint] = [
            .critical, .listAllocating, .listRoot, .listVersion, .listNewest,
        ]
        #expect(isRestartNeeded == critical.contains(point))
        if ![.attaching, .leaving].contains(point) {
            // The dead process's rows are still in the reader table, marked as stale.
            let rows = ReaderTable.read(lab.path)
            #expect(rows.allSatisfy { $0.isStale == ($0.process.pid == UInt32(victim.pid)) })
        }
        survivor = nil
        before = nil
        try lab.checkNextSession(after: [victim])
    }

    /// Kills two writers and a reader at random. Each asynchronous transaction is either complete
    /// or missing, and every acknowledged one is there.
    @Test("THR-91 CD-20: writers may be killed at random", arguments: ["write", "group"])
    func acknowledgedCommitsSurviveRandomKills(_ command: String) throws {
        var random = SystemRandomNumberGenerator()
        let lab = try KillLab(command)
        var survivor: Counters? = try lab.open()
        var restarts = 0
        for round in 0..<Self.rounds {
            let peers = lab.peers(round)
            usleep(UInt32.random(in: 0..<60_000, using: &random))
            for peer in peers.shuffled() { peer.kill() }
            if round % 3 == 0 {
                // The session ends with these processes.
                survivor = nil
                try lab.checkNextSession(after: peers)
            } else {
                survivor = try survivor ?? lab.open()
                if try lab.checkSurvivor(survivor!, peers) {
                    restarts += 1
                    survivor = nil
                    try lab.checkNextSession(after: [])
                }
            }
            if round % 3 == 2 { survivor = try survivor ?? lab.open() }
        }
        survivor = nil
        try lab.checkNothingIsLeft()
        print(
            "\(command): \(Self.rounds) rounds, \(lab.killed) processes killed, \(lab.version) versions, "
                + "\(restarts) restarts, slowest to go on \(lab.slowest)")
    }
}

/// A database that processes write, and the expected state.
private final class KillLab {
    private let folder: ScratchFolder
    let path: String
    /// The peer's command for writing.
    private let command: String
    /// The newest acknowledged version.
    private(set) var version: UInt64 = 2
    private(set) var killed = 0
    private(set) var slowest = Duration.zero

    init(_ command: String) throws {
        self.command = command
        folder = try ScratchFolder()
        path = folder.file("killed.realm")
        _ = try Counters(path, isDurable: false)
    }

    func open() throws -> Counters {
        var options = WriteSession.Options()
        options.isDurable = false
        return try Counters(opening: path, options)
    }

    func victim(_ point: Failpoint) -> PeerProcess {
        PeerProcess(
            [command, path, command == "group" ? "130" : "3"], ["REALM_TEST_PAUSE": point.rawValue])
    }

    /// Starts one or two writers, and a reader.
    func peers(_ round: Int) -> [PeerProcess] {
        var peers = [PeerProcess([command, path])]
        if round % 2 == 0 { peers.append(PeerProcess([command, path])) }
        peers.append(PeerProcess(["read", path]))
        return peers
    }

    private func note(_ victims: [PeerProcess]) throws {
        killed += victims.count
        for victim in victims {
            #expect(!victim.text.contains("wrong"), "\(victim.text)")
            let errors = victim.lines.filter { $0.hasPrefix("error") }
            #expect(errors.allSatisfy { $0.contains("busy critical") }, "\(errors)")
            version = max(version, victim.newestMade ?? 0)
        }
    }

    private func measured(_ body: () throws -> Void) rethrows {
        let began = ContinuousClock.now
        try body()
        slowest = max(slowest, began.duration(to: .now))
    }

    /// Checks that the next session finds everything, after the session ended with the victims.
    func checkNextSession(after victims: [PeerProcess]) throws {
        try note(victims)
        var counters: Counters?
        try measured {
            counters = try open()
            let sum = try #require(try Counters.sum(counters!.database.snapshot()))
            #expect(UInt64(sum) + 2 == counters!.database.version)
            #expect(counters!.database.version >= version)
            version = try counters!.add(1)
        }
        counters = nil
        try check()
    }

    /// Checks that the survivor can read and write. Returns true if the session must be restarted
    /// because a victim died while publishing.
    func checkSurvivor(_ survivor: Counters, _ victims: [PeerProcess]) throws -> Bool {
        try note(victims)
        var isRestartNeeded = false
        try measured {
            try survivor.database.refresh()
            let sum = try #require(try Counters.sum(survivor.database.snapshot()))
            #expect(UInt64(sum) + 2 == survivor.database.version)
            #expect(survivor.database.version >= version)
            do { version = try survivor.add(1) } catch let error as RealmError {
                guard error.code == "SessionRestartRequired" else { throw error }
                isRestartNeeded = true
            }
        }
        if !isRestartNeeded { try check() }
        return isRestartNeeded
    }

    /// Checks that the header selects the newest version and that it is complete.
    private func check() throws {
        let database = try Database(immutable: path)
        #expect(database.version == version)
        let report = IntegrityCheck(database).run()
        try ModelRun.audit(report, "version \(version)", crashed: true)
    }

    /// Checks that a new session has no pins or participants of dead processes.
    func checkNothingIsLeft() throws {
        let counters = try open()
        let facts = try #require(LockFileFacts(databasePath: path)?.session)
        #expect(facts.participants == 1)
        #expect(facts.versions.map(\.live) == [1])
        #expect(ReaderTable.read(path).allSatisfy { $0.process == .current })
        withExtendedLifetime(counters) {}
    }
}
