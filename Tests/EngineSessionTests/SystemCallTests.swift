import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// The wrappers of system calls.
@Suite struct SystemCallTests {
    private func write(
        _ text: String, to descriptor: Int32, at offset: Int? = nil
    ) throws(RealmError) {
        let bytes = Array(text.utf8)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: bytes)
        try writeWhole(descriptor, UnsafeRawBufferPointer(buffer), at: offset, path: "file")
    }

    @Test func writesAtThePositionOrAnOffset() throws {
        let folder = try ScratchFolder()
        let path = folder.file("a")
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        try write("abc", to: descriptor)
        try write("XY", to: descriptor, at: 1)
        try write("d", to: descriptor)
        try write("", to: descriptor)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("aXYd".utf8))
    }

    @Test func interruptedAllocationsAreRepeated() {
        var calls = 0
        func result(after interruptions: Int, _ code: Int32, limit: Int = 10) -> Int32 {
            calls = 0
            return repeatingInterrupted(limit: limit) {
                calls += 1
                return calls > interruptions ? code : EINTR
            }
        }
        #expect(result(after: 0, 0) == 0 && calls == 1)
        #expect(result(after: 3, 0) == 0 && calls == 4)
        #expect(result(after: 3, ENOSPC) == ENOSPC && calls == 4)
        #expect(result(after: 9, 0) == 0 && calls == 10)
        #expect(result(after: 10, 0) == EINTR && calls == 10)
        #expect(allocateSpace(-1, count: 1) == EBADF)
    }

    @Test func allocatedSpaceMakesTheFileLonger() throws {
        let folder = try ScratchFolder()
        let path = folder.file("a")
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        #expect(allocateSpace(descriptor, count: 5000) == 0)
        #expect(FileStatus(path: path)?.size == 5000)
        #expect(allocateSpace(descriptor, at: 4000, count: 5000) == 0)
        #expect(allocateSpace(descriptor, count: 10) == 0)
        #expect(FileStatus(path: path)?.size == 9000)
    }

    @Test(arguments: [nil, 0] as [Int?]) func failedWritesNameTheCause(_ offset: Int?) {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let error = Thrown.error { try write("a", to: full, at: offset) }
        #expect(error?.kind == .output && error?.reason == "disk-full")
        let closed = Thrown.error { try write("a", to: -1, at: offset) }
        #expect(closed?.kind == .output && closed?.code == "FileOperationFailed")
    }
}
