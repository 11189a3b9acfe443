import Foundation
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Lock files and companion directories in states that no participant leaves.
@Suite struct LockFileTests {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("odd.realm")
        _ = try Counters(path, isDurable: false)
    }

    private var lock: URL { URL(filePath: path + ".lock") }

    private func open(_ lockTimeout: LockTimeout = .forever) throws -> Counters {
        var options = WriteSession.Options()
        options.isDurable = false
        options.lockTimeout = lockTimeout
        return try Counters(opening: path, options)
    }

    /// The content of a lock file that no process holds is ignored.
    @Test(arguments: [0, 1, 7, 447, 1727, 1728, 5000]) func theContentOfAnUnusedLockFileIsIgnored(
        _ size: Int
    ) throws {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        try Data(bytes).write(to: lock)
        #expect(LockFileFacts(databasePath: path)?.isInUse == false)
        #expect(try Database(joiningLive: path) == nil)
        try open().add(1)
        #expect(try Data(contentsOf: lock).count == 1728)
    }

    /// A session's files after its only participant was killed.
    @Test func aDeadSessionIsNotInUse() throws {
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

    /// If programs with another layout hold the lock file, reading works without a session and
    /// writing is refused.
    @Test(arguments: ["layout", "mutex", "sort", "begun", "short", "zeros"])
    func lockFilesWithAnotherLayoutPermitReadingOnly(
        _ kind: String
    ) throws {
        _ = try open()
        var bytes = [UInt8](try Data(contentsOf: lock))
        switch kind {
        case "layout": bytes[6] = 15
        case "mutex": bytes[1] = 48
        case "sort": bytes[48 + 16] ^= 0x20
        case "begun": bytes[0] = 2
        case "short": bytes = Array(bytes[..<500])
        default: bytes = []
        }
        try Data(bytes).write(to: lock)
        let holder = Foundation.open(lock.path, O_RDWR)
        #expect(flock(holder, LOCK_SH) == 0)
        defer { close(holder) }
        let error = Thrown.error { _ = try open(.milliseconds(10)) }
        if kind == "zeros" {
            // Another process may be about to initialise the file.
            #expect(error?.kind == .busy && error?.reason == "lock-file")
        } else {
            #expect(error?.kind == .incompatible && error?.reason == "lock-layout")
        }
        #expect(try Database(joiningLive: path) == nil)
        #expect(try Database(immutable: path).version == 2)
        let facts = try #require(LockFileFacts(databasePath: path))
        #expect(facts.isInUse && facts.session == nil)
        #expect(try [UInt8](Data(contentsOf: lock)) == bytes)
    }

    /// If a program holds the lock file exclusively, opening waits only as long as its timeout.
    @Test func exclusivelyLockedFilesTimeOut() throws {
        _ = try open()
        let holder = Foundation.open(lock.path, O_RDWR)
        #expect(flock(holder, LOCK_EX) == 0)
        defer { close(holder) }
        let error = Thrown.error { _ = try open(.milliseconds(10)) }
        #expect(error?.kind == .busy && error?.reason == "lock-file")
        #expect(try Database(joiningLive: path) == nil)
    }

    /// A mutex that is never unlocked.
    @Test(arguments: [48, 88, 128]) func mutexesThatStayLockedTimeOut(_ offset: Int) throws {
        let counters = try open()
        let base = try #require(counters.database.session?.file.base)
        base.storeBytes(of: 0x3fff_fff0, toByteOffset: offset, as: UInt32.self)
        let start = ContinuousClock.now
        let error = Thrown.error {
            var options = WriteSession.Options()
            options.isDurable = false
            options.lockTimeout = .milliseconds(10)
            options.isSeparate = true
            _ = try WriteSession(path: path, options: options).begin(.milliseconds(10)).rollback()
        }
        #expect(error?.kind == .busy, "\(String(describing: error))")
        #expect(start.duration(to: .now) < .seconds(60))
        base.storeBytes(of: 0, toByteOffset: offset, as: UInt32.self)
        try counters.add(1)
    }

    /// Files of another kind with a companion file's name are neither opened, followed nor
    /// overwritten.
    @Test(
        arguments: [".lock", ".note", ".management"],
        ["link", "loose", "directory", "fifo", "file"])
    func companionFilesOfAnotherKindAreRefused(_ suffix: String, _ kind: String) throws {
        let place = path + suffix
        try? FileManager.default.removeItem(atPath: place)
        let victim = folder.file("victim")
        try Data("precious".utf8).write(to: URL(filePath: victim))
        switch kind {
        case "link": #expect(symlink(victim, place) == 0)
        case "loose": #expect(symlink(victim + "2", place) == 0)
        case "directory": #expect(mkdir(place, 0o755) == 0)
        case "fifo": #expect(mkfifo(place, 0o600) == 0)
        default: #expect(FileManager.default.createFile(atPath: place, contents: nil))
        }
        let isRight =
            [".lock": "file", ".note": "fifo", ".management": "directory"][suffix] == kind
        let error = Thrown.error { try open().add(1) }
        #expect(isRight ? error == nil : error?.reason == "side-file")
        #expect(try Data(contentsOf: URL(filePath: victim)) == Data("precious".utf8))
        #expect(!FileManager.default.fileExists(atPath: victim + "2"))
        #expect(try Database(immutable: path).version == (isRight ? 3 : 2))
        if !isRight, suffix == ".lock" {
            let joined = try Database(joiningLive: path)
            #expect(joined == nil)
        }
    }

    /// A damaged version list of a live session is an error for writers, and no version is pinned;
    /// the database can be read without the session.
    @Test func damagedVersionListsAreErrorsForWriters() throws {
        let counters = try open()
        let file = try #require(counters.database.session?.file)
        let entry = file.entry(Int(file.newest))
        let (top, entries) = (entry.top, file.entryCount)
        let (size, version) = (entry.fileSize, entry.version)
        func expectRefusal(_ change: String) throws {
            #expect(try Database(joiningLive: path) == nil, "\(change)")
            let error = Thrown.error { _ = try self.openSeparately() }
            #expect(error?.kind == .incompatible && error?.reason == "damaged", "\(change)")
            (entry.top, entry.fileSize, entry.version) = (top, size, version)
            file.setEntryCount(entries)
        }
        entry.top = top + 1
        try expectRefusal("unaligned")
        entry.top = entry.fileSize
        try expectRefusal("behind the end")
        entry.top = 24
        try expectRefusal("another node")
        entry.top = 0
        try expectRefusal("empty")
        entry.fileSize = size + (1 << 30)
        try expectRefusal("too long")
        entry.fileSize = size - 8
        try expectRefusal("too short")
        entry.version = version + 1
        try expectRefusal("another version")
        file.setEntryCount(1 << 30)
        try expectRefusal("too many")
        file.setEntryCount(40)
        try expectRefusal("behind the file")
        try counters.add(1)
    }

    private func openSeparately() throws -> WriteSession {
        var options = WriteSession.Options()
        options.isDurable = false
        options.isSeparate = true
        return try WriteSession(path: path, options: options)
    }

    /// A version list that names an older version as the newest: a writer that continued from it
    /// would lose the newest version.
    @Test func versionListsOlderThanTheHeaderAreRefused() throws {
        let counters = try open()
        let pin = counters.database.pinNewest()
        try counters.add(1)
        let file = try #require(counters.database.session?.file)
        let newest = file.newest
        let old = try #require(
            (0..<UInt32(file.entryCount)).first { file.entry(Int($0)).version == 2 })
        let other = try openSeparately()
        file.newest = old
        let error = Thrown.error { try other.begin().rollback() }
        #expect(error?.reason == "contradiction")
        #expect(Thrown.error { _ = try openSeparately() }?.reason == "damaged")
        #expect(try Database(joiningLive: path) == nil)
        #expect(try Database(immutable: path).version == 3)
        file.newest = newest
        counters.database.unpin(pin)
        try counters.add(1)
        #expect(try Database(immutable: path).version == 4)
    }

    /// A version that is not the newest can be pinned again only if a pin that it already has keeps
    /// at least as much alive.
    @Test(arguments: PinKind.allCases) func pinsOfOlderVersions(_ kept: PinKind) throws {
        var bytes = [UInt8](repeating: 0, count: LockFile.initialSize)
        bytes.withUnsafeMutableBytes {
            LockFile.initialize($0.baseAddress!, durability: 0, historyType: 2, historySchema: 1)
        }
        let list = VersionList(file: LockFile(memory: try MappedLockFile(copying: bytes)))
        try list.reset(version: 1, top: Ref(4096), fileSize: 8192)
        let pin = try list.pinNewest(kept)
        try list.add(version: 2, top: Ref(8192), fileSize: 12288)
        for kind in PinKind.allCases {
            let isAccepted = kind == kept || kind == .frozen || (kind == .live && kept == .full)
            let byNumber = try list.pin(version: 1, kind)
            if let byNumber { list.release(byNumber) }
            let again = try? list.pin(again: pin, kind)
            if let again { list.release(again) }
            #expect((byNumber != nil) == isAccepted && (again != nil) == isAccepted, "\(kind)")
            let newest = try #require(try list.pin(version: 2, kind))
            list.release(newest)
        }
        #expect(try list.held() == [1, 2])
        list.release(pin)
        #expect(try list.held() == [2])
        #expect(try list.pin(version: 1, .frozen) == nil)
    }

    /// Reading an older version by its number needs no history.
    @Test func aVersionWithFrozenPinsOnlyIsReadable() throws {
        let counters = try open()
        let database = counters.database
        let frozen = try database.pin(.frozen)
        for _ in 0..<3 { try counters.add(1) }
        func counts() throws -> [Int] {
            let versions = LockFileFacts(databasePath: path)?.session?.versions ?? []
            let entry = try #require(versions.first { $0.version == 2 })
            return [entry.live, entry.frozen]
        }
        #expect(try counts() == [0, 1])
        do {
            let older = try database.at(.number(2))
            #expect(try Counters.sum(older.snapshot()) == 0 && older.version == 2)
            #expect(try counts() == [0, 2])
            #expect(Thrown.error { _ = try older.pin(.live) }?.reason == "version-gone")
        }
        #expect(try counts() == [0, 1])
        database.unpin(frozen)
        try counters.add(1)
        #expect(Thrown.error { _ = try database.at(.number(2)) }?.code == "BadVersion")
    }

    @Test func databasesInReadOnlyDirectoriesAreReadable() throws {
        for name in [".lock", ".management"] {
            try FileManager.default.removeItem(atPath: path + name)
        }
        chmod(path, 0o666)
        chmod(folder.path, 0o555)
        defer { chmod(folder.path, 0o755) }
        let look = unprivilegedPeer("look")
        #expect(look.wait() == 0 && look.lines.last == "sum 0", "\(look.text)")
        let writer = unprivilegedPeer("write")
        #expect(writer.wait() == 6 && writer.text.contains("permission"), "\(writer.text)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == ["odd.realm"])
    }

    /// The lock file exists, but the directory for companion files cannot be created.
    @Test func aMissingCompanionDirectoryIsTolerated() throws {
        try FileManager.default.removeItem(atPath: path + ".management")
        chmod(path, 0o666)
        chmod(lock.path, 0o666)
        chmod(folder.path, 0o555)
        defer { chmod(folder.path, 0o755) }
        let writer = unprivilegedPeer("write")
        #expect(writer.wait() == 0 && writer.lines.last == "did 1", "\(writer.text)")
        #expect(!FileManager.default.fileExists(atPath: path + ".management"))
    }

    /// With another user's files, reading without a session works, joining and writing do not.
    @Test func filesOfAnotherUserPermitReadingOnly() throws {
        chmod(path, 0o644)
        chmod(lock.path, 0o600)
        let counters = try open()
        let join = unprivilegedPeer("join")
        #expect(join.wait() == 0 && join.lines.last == "nobody is there", "\(join.text)")
        let look = unprivilegedPeer("look")
        #expect(look.wait() == 0, "\(look.text)")
        let writer = unprivilegedPeer("write")
        #expect(writer.wait() == 6 && writer.text.contains("permission"), "\(writer.text)")
        chmod(path, 0o666)
        let other = unprivilegedPeer("write")
        #expect(other.wait() == 6 && other.text.contains("permission"), "\(other.text)")
        try counters.add(1)
    }

    /// Starts a peer that is subject to file permissions: if the tests run as root, as another
    /// user.
    private func unprivilegedPeer(_ command: String) -> PeerProcess {
        let user = geteuid() == 0 ? ["SESSION_PEER_USER": "65534"] : [:]
        return PeerProcess([command, path, "1"], user)
    }

    @Test func aForkedProcessJoinsTheSession() throws {
        let peer = PeerProcess(["fork", path])
        #expect(peer.wait() == 0, "\(peer.text)")
        #expect(peer.lines.last == "sum 2 of 2")
        #expect(try Database(immutable: path).version == 4)
    }
}
