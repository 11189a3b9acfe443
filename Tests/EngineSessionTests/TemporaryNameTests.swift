import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Temporary names whose files another process removes before they are locked.
@Suite struct TemporaryNameTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// Number of descriptors of this process for removed files in the folder.
    private func removedFiles() throws -> Int {
        let directory = "/proc/self/fd"
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(directory)/\(name)")
            return target?.hasPrefix(folder.path) == true && target?.hasSuffix("(deleted)") == true
        }
    }

    @Test func descriptorsOfRemovedFilesAreClosed() throws {
        var (calls, last) = (0, Int32(-1))
        let name = try TemporaryName(in: folder.path, for: "out") { name in
            last = open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
            calls += 1
            if calls < 4 { unlink(name) }
            return last
        }
        #expect(calls == 4 && FileIdentity(path: name.path) != nil)
        #expect(try removedFiles() == 0)
        name.remove()
        #expect(try removedFiles() == 1)
        close(last)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func aDescriptorOfTheCallerStaysOpen() throws {
        let other = folder.file("other")
        let descriptor = open(other, O_RDWR | O_CREAT | O_EXCL, 0o600)
        defer { close(descriptor) }
        var calls = 0
        let name = try TemporaryName(in: folder.path, for: "out", opensFile: false) { name in
            calls += 1
            if link(other, name) != 0 { return -1 }
            if calls < 3 { unlink(name) }
            return descriptor
        }
        #expect(calls == 3 && FileIdentity(path: name.path) == FileIdentity(path: other))
        #expect(try FileStatus(descriptor, other).names == 2)
        name.remove()
    }
}
