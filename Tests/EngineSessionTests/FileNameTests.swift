import Foundation
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A file has one session, by whatever name it is opened, and the session belongs to its resolved
/// name.
@Suite struct FileNameTests {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("real.realm")
        _ = try Counters(path, isDurable: false)
    }

    private func link(_ name: String, to target: String) -> String {
        let link = folder.file(name)
        #expect(symlink(target, link) == 0)
        return link
    }

    private func open(_ path: String, _ change: (inout WriteSession.Options) -> Void = { _ in })
        throws -> Counters
    {
        var options = WriteSession.Options()
        options.isDurable = false
        change(&options)
        return try Counters(opening: path, options)
    }

    private func error(_ path: String) -> RealmError? {
        Thrown.error { try open(path).add(1) }
    }

    @Test func symbolicLinksAreResolved() throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("sub"), withIntermediateDirectories: false)
        let first = link("first.realm", to: "real.realm")
        let chain = link("sub/chain.realm", to: "../first.realm")
        _ = link("folder", to: "sub")
        for name in [path, first, chain, folder.file("folder/chain.realm")] {
            let place = DatabasePath(name)
            #expect(place.name == name)
            #expect(FileIdentity(path: place.path) == FileIdentity(path: path))
            #expect(place.path == DatabasePath(path).path)
        }
        #expect(DatabasePath(chain).links.count == 2)
        // The directories are resolved although the file is missing.
        let missing = DatabasePath(folder.file("folder/none.realm"))
        #expect(missing.path.hasSuffix("/sub/none.realm"))
        let loose = link("loose.realm", to: "sub/none.realm")
        #expect(DatabasePath(loose).path == missing.path)
        let circle = link("circle.realm", to: "circle.realm")
        #expect(error(circle)?.kind == .input)
    }

    /// Another process opens the file by its real name, this process by a link.
    @Test func linksAndRealNamesShareOneSession() throws {
        let link = link("link.realm", to: path)
        let peer = PeerProcess(["hold", path])
        _ = try #require(peer.waitFor("holds"))
        #expect(try Database(joiningLive: link)?.version == 2)
        try open(link).add(1)
        #expect(LockFileFacts(databasePath: link)?.session?.participants == 1)
        #expect(!FileManager.default.fileExists(atPath: link + ".lock"))
        #expect(FileHolders.participants(of: link).map(\.pid) == [UInt32(peer.pid)])
    }

    /// The SDKs do not resolve links: a program that holds a lock file beside a link has a separate
    /// session.
    @Test func aLinkWithItsOwnSessionIsRefused() throws {
        let link = link("link.realm", to: "real.realm")
        let lock = link + ".lock"
        #expect(FileManager.default.createFile(atPath: lock, contents: Data(count: 1728)))
        // No process holds the lock file.
        #expect(error(link) == nil)
        let holder = Foundation.open(lock, O_RDWR)
        #expect(flock(holder, LOCK_SH) == 0)
        defer { close(holder) }
        let refused = try #require(error(link))
        #expect(refused.kind == .busy && refused.reason == "link-in-use")
        #expect(error(path) == nil)
        let counters = try open(path)
        #expect(try Database(joiningLive: link) == nil)
        #expect(try Database(takingPartIn: link, createsLockFile: true) == nil)
        #expect(try Database(joiningLive: path)?.version == 4)
        withExtendedLifetime(counters) {}
    }

    /// A lock file that is a link to the real one belongs to the same session.
    @Test func aLinkedLockFileBelongsToTheSameSession() throws {
        let link = link("link.realm", to: "real.realm")
        let counters = try open(path)
        #expect(symlink("real.realm.lock", link + ".lock") == 0)
        #expect(error(link) == nil)
        withExtendedLifetime(counters) {}
    }

    /// A separate session at the link begins while this process has the database open by the link.
    @Test func commitsAreRefusedAfterALinkGetsItsOwnSession() throws {
        let link = link("link.realm", to: "real.realm")
        let counters = try open(link)
        try counters.add(1)
        #expect(FileManager.default.createFile(atPath: link + ".lock", contents: Data(count: 9)))
        let holder = Foundation.open(link + ".lock", O_RDWR)
        #expect(flock(holder, LOCK_SH) == 0)
        #expect(Thrown.error { try counters.add(1) }?.reason == "link-in-use")
        // Another test may have started a process that inherited the descriptor, so closing is not
        // enough.
        #expect(flock(holder, LOCK_UN) == 0)
        close(holder)
        try counters.add(1)
    }

    @Test func filesWithHardLinksAreRefused() throws {
        let second = folder.file("second.realm")
        #expect(Foundation.link(path, second) == 0)
        for name in [path, second] {
            let refused = try #require(error(name))
            #expect(refused.kind == .misuse && refused.reason == "hard-links")
            #expect(!FileManager.default.fileExists(atPath: second + ".lock"))
        }
        try open(path) { $0.allowsOtherNames = true }.add(1)
        let counters = try open(path) { $0.allowsOtherNames = true }
        #expect(try Database(joiningLive: path) == nil)
        withExtendedLifetime(counters) {}
    }

    /// Files left by a compaction that was killed after making its backup and before replacing the
    /// file.
    @Test(arguments: [".bak", ".v-old", "~", ".2.realm", "2", ".lock.bak"])
    func backupsOfACompactionAreNoHardLinks(_ suffix: String) throws {
        #expect(Foundation.link(path, path + suffix) == 0)
        let isBackup = ![".2.realm", "2"].contains(suffix)
        #expect((error(path) == nil) == isBackup)
        // The backup itself cannot be opened for writing.
        #expect(error(path + suffix)?.reason == "hard-links")
        #expect(rename(path + suffix, folder.file(".realm-tools-12-3.tmp")) == 0)
        #expect(error(path) == nil)
        #expect(Foundation.link(path, folder.file("third")) == 0)
        #expect(error(path)?.reason == "hard-links")
    }

    /// A commit to a file that has lost its name is refused, since it would be lost.
    @Test(arguments: [true, false]) func commitsToAReplacedFileAreRefused(_ isRemoved: Bool) throws
    {
        let counters = try open(path)
        let transaction = try counters.session.begin()
        let other = folder.file("other.realm")
        _ = try Counters(other, isDurable: false)
        if isRemoved {
            try FileManager.default.removeItem(atPath: path)
        } else {
            #expect(rename(other, path) == 0)
        }
        let late = Thrown.error { try transaction.commit() }
        #expect(late?.kind == .busy && late?.reason == "replaced")
        #expect(Thrown.error { try counters.add(1) }?.reason == "replaced")
        #expect(Thrown.error { try counters.database.checkPath() }?.reason == "replaced")
        if !isRemoved { #expect(try Database(immutable: path).version == 2) }
    }

    @Test func commitsToAMovedFileAreRefused() throws {
        let counters = try open(path)
        let elsewhere = folder.file("elsewhere.realm")
        #expect(rename(path, elsewhere) == 0)
        #expect(Thrown.error { try counters.add(1) }?.reason == "replaced")
        #expect(try Database(immutable: elsewhere).version == 2)
    }

    @Test(arguments: ["fifo", "directory", "socket", "/dev/null"])
    func specialFilesAreRefused(_ kind: String) throws {
        let name = kind.hasPrefix("/") ? kind : folder.file("odd")
        switch kind {
        case "fifo": #expect(mkfifo(name, 0o600) == 0)
        case "directory": #expect(mkdir(name, 0o755) == 0)
        case "socket":
            let socket = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(bound == 0)
        default: break
        }
        let reason = kind == "directory" ? "directory" : "not-a-file"
        for body: () throws -> Void in [
            { _ = try Database(immutable: name) }, { _ = try open(name) },
            { _ = try Inspector(path: name).inspect() },
            { try ExclusiveAccess.run(path: name) { _ in nil } },
            { _ = try FileDevice(path: name) },
        ] {
            let found = Thrown.error(body)
            #expect(
                found?.kind == .input && found?.reason == reason, "\(String(describing: found))")
        }
    }
}
