import Glibc
import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport

@Suite struct OutputFileTests {
    private let scratch = ScratchDirectory()

    private func emit(_ text: String, _ path: String, force: Bool = false) throws(RealmError) {
        let output = try OutputFile(path: path, force: force)
        var buffer = ByteBuffer(capacity: 64)
        buffer.append(text)
        try output.flush(&buffer)
        try output.commit()
    }

    private func text(_ name: String) -> String? {
        contents(of: scratch.file(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func theFileAppearsOnlyAfterCommit() throws {
        var output: OutputFile? = try OutputFile(path: scratch.file("a"), force: false)
        var buffer = ByteBuffer(capacity: 64)
        buffer.append("hello")
        try output!.write(&buffer)
        #expect(buffer.count == 5, "small pieces stay in the buffer")
        try output!.flush(&buffer)
        #expect(buffer.count == 0)
        #expect(text("a") == nil)
        // A temporary name is visible only on file systems without unnamed files.
        #expect(scratch.entries.allSatisfy { $0.hasPrefix(".realm-tools-") })
        try output!.commit()
        #expect(text("a") == "hello")
        output = nil
        #expect(scratch.entries == ["a"])
    }

    @Test func noFileRemainsWithoutCommit() throws {
        var output: OutputFile? = try OutputFile(path: scratch.file("a"), force: false)
        var buffer = ByteBuffer(capacity: 64)
        buffer.append("hello")
        try output!.flush(&buffer)
        output = nil
        #expect(scratch.entries == [])
    }

    @Test func finishingAnOutputKeepsOtherTemporaryFiles() throws {
        var first: OutputFile? = try OutputFile(path: scratch.file("a"), force: false)
        try first!.commit()
        let second = try OutputFile(path: scratch.file("b"), force: false)
        first = nil
        try second.commit()
        #expect(scratch.entries == ["a", "b"])
    }

    @Test func largeBuffersAreWrittenThrough() throws {
        let output = try OutputFile(path: scratch.file("a"), force: false)
        var buffer = ByteBuffer(capacity: 64)
        let block = [UInt8](repeating: 0x78, count: 70_000)
        for _ in 0..<20 {
            buffer.append(block)
            try output.write(&buffer)
            #expect(buffer.count == 0)
        }
        try output.commit()
        #expect(output.written == 1_400_000)
        #expect(contents(of: scratch.file("a"))?.count == 1_400_000)
    }

    @Test func refusesToReplaceWithoutForce() throws {
        scratch.write("a", Array("old".utf8), mode: 0o640)
        let error = #expect(throws: RealmError.self) { try emit("new", scratch.file("a")) }
        #expect(error?.kind == .misuse)
        #expect(error?.reason == "output-exists")
        #expect(text("a") == "old")
        try emit("new", scratch.file("a"), force: true)
        #expect(text("a") == "new")
        var status = stat()
        #expect(stat(scratch.file("a"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640, "permissions are kept")
    }

    @Test func refusesToReplaceAFileCreatedSinceOpening() throws {
        let output = try OutputFile(path: scratch.file("a"), force: false)
        scratch.write("a", Array("theirs".utf8))
        let error = #expect(throws: RealmError.self) { try output.commit() }
        #expect(error?.reason == "output-exists")
        #expect(text("a") == "theirs")
    }

    @Test func followsSymbolicLinks() throws {
        scratch.write("real", Array("old".utf8))
        #expect(symlink("real", scratch.file("link")) == 0)
        try emit("new", scratch.file("link"), force: true)
        #expect(text("real") == "new")
        var status = stat()
        #expect(lstat(scratch.file("link"), &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
        #expect(symlink("nowhere", scratch.file("loose")) == 0)
        #expect(throws: RealmError.self) { try emit("x", scratch.file("loose")) }
    }

    @Test func restartingDiscardsTheContent() throws {
        let output = try OutputFile(path: scratch.file("a"), force: false)
        var buffer = ByteBuffer(capacity: 64)
        buffer.append("first attempt")
        try output.flush(&buffer)
        #expect(try output.restart())
        buffer.append("second")
        try output.flush(&buffer)
        try output.commit()
        #expect(text("a") == "second")
    }

    @Test func outputToADeviceCannotRestart() throws {
        let output = try OutputFile(path: "/dev/null", force: false)
        #expect(try output.restart())
        var buffer = ByteBuffer(capacity: 64)
        buffer.append("x")
        try output.flush(&buffer)
        #expect(try !output.restart())
        try output.commit()
    }

    @Test func failuresAreOutputErrors() {
        for path in ["/dev/full", scratch.path, scratch.file("none/a"), "/proc/none"] {
            let error = #expect(throws: RealmError.self) { try emit("x", path) }
            #expect(error?.kind == .output, "\(path)")
            #expect(error?.file == path)
        }
        let full = #expect(throws: RealmError.self) { try emit("x", "/dev/full") }
        #expect(full?.code == "OutOfDiskSpace")
        #expect(scratch.entries == [])
    }

    @Test func directoriesOfPathsAreFound() {
        #expect(directory(of: "a") == ".")
        #expect(directory(of: "a/b") == "a")
        #expect(directory(of: "/b") == "/")
        #expect(directory(of: "/a/b/c") == "/a/b")
    }
}
