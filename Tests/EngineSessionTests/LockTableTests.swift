import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// The search for a file's locks in the kernel's table.
@Suite struct LockTableTests {
    private let lines = [
        "1: POSIX  ADVISORY  WRITE 23626 fe:00:77 1073741824 1073742335\n",
        "2: FLOCK  ADVISORY  WRITE 5406 fe:00:5488980 0 EOF\n",
        "3: FLOCK  ADVISORY  READ  5406 00:2a:99 0 EOF\n",
        "3: -> FLOCK  ADVISORY  READ  5407 103:12345:99 0 EOF\n",
    ]

    private func matches(device: UInt64, inode: UInt64) -> [LockTable.Match] {
        let table = LockTable(FileIdentity(device: device, inode: inode))
        return lines.map { table.match($0) }
    }

    @Test func inodesOfOtherDevicesAreNotTheFile() {
        #expect(matches(device: 0xfe00, inode: 5_488_980) == [.none, .file, .none, .none])
        #expect(matches(device: 0xfe01, inode: 5_488_980) == [.none, .inode, .none, .none])
        #expect(matches(device: 0x2a, inode: 99) == [.none, .none, .file, .inode])
        #expect(matches(device: 0x1231_0345, inode: 99) == [.none, .none, .inode, .file])
        #expect(matches(device: 0xfe00, inode: 980) == [.none, .none, .none, .none])
        #expect(matches(device: 0xfe00, inode: 77) == [.none, .none, .none, .none])
    }

    @Test func aDeviceThatMayDifferIsNotTrusted() throws {
        let file = try #require(FileIdentity(path: "/proc/version"))
        #expect(LockTable.showsDevice(of: file, at: "/proc/version"))
        let other = FileIdentity(device: file.device + 1, inode: file.inode)
        #expect(!LockTable.showsDevice(of: other, at: "/proc/version"))
        #expect(!LockTable.showsDevice(of: file, at: "/proc/nothing"))
    }

    @Test func locksOfThisProcessAreFound() throws {
        let folder = try ScratchFolder()
        let path = folder.file("a.lock")
        let descriptor = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_SH) == 0)
        #expect(MappedLockFile.isLocked(path))
        #expect(flock(descriptor, LOCK_UN) == 0)
        // On an overlay, another file with this inode number may be locked.
        let file = try #require(FileIdentity(path: path))
        if LockTable.showsDevice(of: file, at: path) { #expect(!MappedLockFile.isLocked(path)) }
    }
}
