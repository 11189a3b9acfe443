import Foundation
import SessionSupport
import Testing

@testable import RealmEngine

/// Lock files and directories as no participant leaves them.
@Suite struct LockFileTests {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("odd.realm")
        _ = try Counters(path, isDurable: false)
    }

    private var lock: URL { URL(filePath: path + ".lock") }

    private func open() throws -> Counters {
        var options = WriteSession.Options()
        options.isDurable = false
        return try Counters(opening: path, options)
    }

    /// Nobody holds it, so whatever it says means nothing.
    @Test(arguments: [0, 1, 7, 447, 1727, 1728, 5000]) func garbage(_ size: Int) throws {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        try Data(bytes).write(to: lock)
        #expect(LockFileFacts(databasePath: path)?.isInUse == false)
        #expect(try Database(joiningLive: path) == nil)
        try open().add(1)
        #expect(try Data(contentsOf: lock).count == 1728)
    }

    /// What a session left behind that ended without leaving.
    @Test func remainsOfADeadSession() throws {
        let victim = PeerProcess(["hold", path])
        _ = try #require(victim.waitFor("holds"))
        #expect(try Database(joiningLive: path)?.version == 2)
        victim.kill()
        let facts = try #require(LockFileFacts(databasePath: path))
        #expect(!facts.isInUse && facts.session?.participants == 1)
        #expect(ReaderTable.read(path).map(\.isStale) == [true, true])
        #expect(try Database(joiningLive: path) == nil)
        let counters = try open()
        #expect(LockFileFacts(databasePath: path)?.session?.participants == 1)
        #expect(ReaderTable.read(path).map(\.isStale) == [false])
        try counters.add(1)
    }

    /// Held by programs of another layout: reading goes on without a session, writing is refused.
    @Test(arguments: ["layout", "mutex", "short", "zeros"]) func foreign(_ kind: String) throws {
        _ = try open()
        var bytes = [UInt8](try Data(contentsOf: lock))
        switch kind {
        case "layout": bytes[6] = 15
        case "mutex": bytes[1] = 48
        case "short": bytes = Array(bytes[..<500])
        default: bytes = []
        }
        try Data(bytes).write(to: lock)
        let holder = Foundation.open(lock.path, O_RDWR)
        #expect(flock(holder, LOCK_SH) == 0)
        defer { close(holder) }
        if kind != "zeros" {
            let error = FaultTests.error { _ = try open() }
            #expect(error?.kind == .incompatible && error?.reason == "lock-layout")
        }
        #expect(try Database(joiningLive: path) == nil)
        #expect(try Database(immutable: path).version == 2)
        let facts = try #require(LockFileFacts(databasePath: path))
        #expect(facts.isInUse && facts.session == nil)
        #expect(try [UInt8](Data(contentsOf: lock)) == bytes)
    }

    /// The version list of a live session damaged: an error, and no pin is taken on trust.
    @Test func damagedList() throws {
        let counters = try open()
        let file = try #require(counters.database.session?.file)
        let entry = file.entry(Int(file.newest))
        let (top, entries) = (entry.top, file.entryCount)
        entry.top = top + 1
        #expect(FaultTests.error { _ = try Database(joiningLive: path) }?.reason == "damaged")
        entry.top = entry.fileSize
        #expect(FaultTests.error { _ = try Database(joiningLive: path) }?.reason == "damaged")
        entry.top = top
        file.setEntryCount(1 << 30)
        #expect(FaultTests.error { _ = try Database(joiningLive: path) }?.reason == "damaged")
        file.setEntryCount(entries)
        try counters.add(1)
    }

    @Test func readOnlyDirectory() throws {
        for name in [".lock", ".management"] {
            try FileManager.default.removeItem(atPath: path + name)
        }
        chmod(path, 0o666)
        chmod(folder.path, 0o555)
        defer { chmod(folder.path, 0o755) }
        let look = stranger("look")
        #expect(look.wait() == 0 && look.lines.last == "sum 0", "\(look.text)")
        let writer = stranger("write")
        #expect(writer.wait() == 6 && writer.text.contains("permission"), "\(writer.text)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == ["odd.realm"])
    }

    /// The lock file is there, the directory for side files cannot be made.
    @Test func noSideFiles() throws {
        try FileManager.default.removeItem(atPath: path + ".management")
        chmod(path, 0o666)
        chmod(lock.path, 0o666)
        chmod(folder.path, 0o555)
        defer { chmod(folder.path, 0o755) }
        let writer = stranger("write")
        #expect(writer.wait() == 0 && writer.lines.last == "did 1", "\(writer.text)")
        #expect(!FileManager.default.fileExists(atPath: path + ".management"))
    }

    /// Another user's files: reading without a session goes, joining or writing does not.
    @Test func wrongOwner() throws {
        chmod(path, 0o644)
        chmod(lock.path, 0o600)
        let counters = try open()
        let join = stranger("join")
        #expect(join.wait() == 0 && join.lines.last == "nobody is there", "\(join.text)")
        let look = stranger("look")
        #expect(look.wait() == 0, "\(look.text)")
        let writer = stranger("write")
        #expect(writer.wait() == 6 && writer.text.contains("permission"), "\(writer.text)")
        chmod(path, 0o666)
        let other = stranger("write")
        #expect(other.wait() == 6 && other.text.contains("permission"), "\(other.text)")
        try counters.add(1)
    }

    /// Which user permissions concern: root is told to become another.
    private func stranger(_ command: String) -> PeerProcess {
        let user = geteuid() == 0 ? ["SESSION_PEER_USER": "65534"] : [:]
        return PeerProcess([command, path, "1"], user)
    }

    @Test func forkWithoutExec() throws {
        let peer = PeerProcess(["fork", path])
        #expect(peer.wait() == 0, "\(peer.text)")
        #expect(peer.lines.last == "sum 2 of 2")
        #expect(try Database(immutable: path).version == 4)
    }

    /// Two names in two processes are two sessions, as in the SDKs: each sees the file as it is, and
    /// writers must agree on one name. Within a process the first name counts.
    @Test func twoNamesInTwoProcesses() throws {
        let link = folder.file("link.realm")
        #expect(Foundation.link(path, link) == 0)
        let counters = try open()
        #expect(PeerProcess(["look", link]).wait() == 0)
        var options = WriteSession.Options()
        options.isDurable = false
        let second = try Counters(opening: link, options)
        #expect(second.database === counters.database)
        #expect(!FileManager.default.fileExists(atPath: link + ".lock"))
    }
}
