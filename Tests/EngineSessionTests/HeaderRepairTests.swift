import Foundation
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A writer dies between flipping the header and publishing. Participants of the session and later
/// ones can write, and the header then selects a complete version (storage format 5.11).
@Suite(.serialized) struct HeaderRepairTests {
    @Test(
        "a header flipped by a dead writer is flipped back, whether its commit made the file longer",
        arguments: ["write", "grow"], [false, true])
    func unpublishedVersionsOfDeadWritersAreDiscarded(_ command: String, _ isEncrypted: Bool) throws
    {
        let lab = try RepairLab(isEncrypted)
        let survivor = try lab.open()
        try lab.dieAtFlip(command)
        #expect(try survivor.add(1) == 3)
        try lab.check(survivor)
    }

    @Test(
        "a dead version whose root was overwritten is taken back", arguments: [false, true],
        [false, true])
    func unreadableVersionsOfDeadWritersAreDiscarded(_ isEncrypted: Bool, _ joinsLater: Bool) throws
    {
        let lab = try RepairLab(isEncrypted)
        let earlier = try lab.open()
        try lab.dieAtFlip("grow")
        try lab.overwriteSelectedRoot()
        let survivor = joinsLater ? try lab.open(isSeparate: true) : earlier
        #expect(try survivor.add(1) == 3)
        try lab.check(survivor)
        withExtendedLifetime(earlier) {}
    }

    @Test(
        "the root of the listed version is stored again when two dead writers replaced both roots",
        arguments: [false, true], [false, true])
    func theListedRootIsStoredAgain(_ isEncrypted: Bool, _ isFirstReadable: Bool) throws {
        let lab = try RepairLab(isEncrypted)
        let survivor = try lab.open()
        try lab.dieAtFlip("grow")
        // The root of the second dead writer, whose bytes were never written.
        try lab.setUnselectedRoot(2 << 20)
        if !isFirstReadable { try lab.overwriteSelectedRoot() }
        #expect(try survivor.add(1) == 3)
        try lab.check(survivor)
    }

    @Test("a version of another session is not discarded")
    func versionsOfAnotherSessionAreKept() throws {
        let lab = try RepairLab(false)
        let survivor = try lab.open()
        let other = try RepairLab(copying: lab)
        let writer = try other.open()
        for _ in 0..<3 { try writer.add(1) }
        try lab.replaceBytes(with: other)
        let error = #expect(throws: RealmError.self) { try survivor.add(1) }
        #expect(error?.reason == "contradiction")
    }
}

/// A database at version 2 with several participants.
private final class RepairLab {
    private let folder: ScratchFolder
    private let path: String
    private let key: EncryptionKey?

    private static let keyByte: UInt8 = 7

    init(_ isEncrypted: Bool) throws {
        folder = try ScratchFolder()
        path = folder.file("repair.realm")
        key =
            isEncrypted
            ? try [UInt8](repeating: Self.keyByte, count: EncryptionKey.size).withUnsafeBytes {
                try EncryptionKey($0)
            } : nil
        _ = try Counters(path, isDurable: false, key: key)
    }

    init(copying other: RepairLab) throws {
        folder = try ScratchFolder()
        path = folder.file("copy.realm")
        key = nil
        try FileManager.default.copyItem(atPath: other.path, toPath: path)
    }

    func open(isSeparate: Bool = false) throws -> Counters {
        var options = WriteSession.Options()
        options.isDurable = false
        options.key = key
        options.isSeparate = isSeparate
        return try Counters(opening: path, options)
    }

    /// Starts a process that dies after the flip in its first commit.
    func dieAtFlip(_ command: String) throws {
        var environment = ["REALM_TEST_PAUSE": Failpoint.flipped.rawValue]
        if key != nil { environment["SESSION_PEER_KEY"] = "\(Self.keyByte)" }
        let size = try self.size()
        let victim = PeerProcess([command, path, "1"], environment)
        _ = try #require(victim.waitFor("paused"), "\(victim.text)")
        victim.kill()
        #expect((try self.size() > size) == (command == "grow"))
    }

    private func size() throws -> Int { try #require(FileStatus(path: path)).size }

    /// Overwrites the root that the header selects.
    func overwriteSelectedRoot() throws {
        let header = try MappedFile(path: path, DatabaseKey(key)).rawHeader()
        try write([UInt8](repeating: 0, count: 48), at: Int(header.top(header.selected)))
    }

    func setUnselectedRoot(_ root: UInt64) throws {
        let header = try MappedFile(path: path, DatabaseKey(key)).rawHeader()
        try write(withUnsafeBytes(of: root) { [UInt8]($0) }, at: 8 * (header.selected ^ 1))
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws {
        let file = try FileDevice(path: path)
        let device: any StorageDevice =
            key == nil
            ? file : EncryptedDevice(file, try MappedFile(path: path, DatabaseKey(key)), nil)
        try bytes.withUnsafeBytes { try device.write($0, at: offset) }
        try device.sync()
    }

    /// Replaces the bytes of the file by another file's bytes.
    func replaceBytes(with other: RepairLab) throws {
        let bytes = try Data(contentsOf: URL(filePath: other.path))
        let file = try FileDevice(path: path)
        try file.grow(to: bytes.count)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    }

    /// Checks that the header selects the version that `writer` has, and that it is complete.
    func check(_ writer: Counters) throws {
        let database = try Database(immutable: path, key: key)
        #expect(database.version == writer.database.version)
        #expect(try Counters.sum(database.snapshot()) == 1)
        try ModelRun.audit(IntegrityCheck(database).run(), "the repaired file", crashed: true)
    }
}
