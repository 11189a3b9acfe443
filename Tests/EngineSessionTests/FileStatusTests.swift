import Glibc
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// The engine's file status equals the result of `stat`, although it does not read times.
@Suite struct FileStatusTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func make(_ name: String, _ size: Int) throws -> String {
        let path = folder.file(name)
        let file = try FileDevice(path: path, .always)
        try file.grow(to: size)
        return path
    }

    private func check(_ seen: FileStatus, _ plain: stat) {
        #expect(seen.size == plain.st_size)
        #expect(seen.identity.device == plain.st_dev)
        #expect(seen.identity.inode == plain.st_ino)
        #expect(seen.names == plain.st_nlink)
        #expect(seen.isRegular == (plain.st_mode & S_IFMT == S_IFREG))
        #expect(seen.isDirectory == (plain.st_mode & S_IFMT == S_IFDIR))
    }

    @Test func statusEqualsTheSystemsForEveryKindOfFile() throws {
        let path = try make("a", 12_345)
        #expect(link(path, folder.file("b")) == 0)
        #expect(symlink("a", folder.file("c")) == 0)
        #expect(mkfifo(folder.file("d"), 0o600) == 0)
        for path in [
            path, folder.file("b"), folder.file("c"), folder.file("d"), "/proc/self", "/dev/null",
        ] {
            var plain = stat()
            #expect(stat(path, &plain) == 0)
            check(try #require(FileStatus(path: path)), plain)
            #expect(FileIdentity(path: path)?.inode == UInt64(plain.st_ino))
        }
        #expect(FileIdentity(path: path) == FileIdentity(path: folder.file("c")))
    }

    @Test func missingFilesHaveNoStatus() throws {
        #expect(symlink("nothing", folder.file("dangling")) == 0)
        for path in ["", folder.file("nothing"), folder.file("dangling"), "/dev/null/a"] {
            #expect(FileStatus(path: path) == nil)
            #expect(FileIdentity(path: path) == nil)
        }
        #expect(Thrown.error { _ = try FileStatus(-1, "closed") }?.code == "FileOperationFailed")
    }

    @Test func statusOfAnOpenFileSurvivesItsDeletion() throws {
        let path = try make("a", 777)
        let file = try FileDevice(path: path)
        for isGone in [false, true] {
            if isGone { #expect(unlink(path) == 0) }
            var plain = stat()
            #expect(fstat(file.descriptor, &plain) == 0)
            let seen = try FileStatus(file.descriptor, path)
            check(seen, plain)
            #expect(seen.names == (isGone ? 0 : 1))
        }
    }
}
