import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Files that remain if a process ends, or the power fails, while it creates a database.
@Suite struct InterruptedCreationTests {
    private let folder: ScratchFolder
    private var path: String { folder.file("new.realm") }

    init() throws { folder = try ScratchFolder() }

    private func options(
        _ creation: Database.Creation, _ key: EncryptionKey? = nil
    ) -> Database.Options {
        var options = Database.Options()
        options.creation = creation
        options.key = key
        return options
    }

    /// Opens the file and writes to it.
    private func use(_ key: EncryptionKey? = nil) throws {
        let database = try Database.open(path, options(.ifMissing, key))
        #expect(database.version == 1)
        var writing = WriteSession.Options()
        writing.key = key
        let transaction = try WriteSession(path: path, options: writing).begin()
        _ = try transaction.createClass("Item")
        #expect(try transaction.commit() == 2)
        #expect(try IntegrityCheck.run(path: path, key: key).isClean)
    }

    @Test(arguments: [1, 24, 88, 4096]) func createsDatabasesInFilesOfZeros(_ size: Int) throws {
        try Data(count: size).write(to: URL(filePath: path))
        try use()
    }

    /// A process ended after a part of a write.
    @Test(arguments: [7, 23, 24, 44, 80, 87]) func createsDatabasesInPartsOfTheFirstVersion(
        _ size: Int
    ) throws {
        try Data(FirstVersion.bytes(slot: 0).prefix(size)).write(to: URL(filePath: path))
        try use()
    }

    @Test func refusesAPartOfTheFirstVersionWithAnotherByte() throws {
        var bytes = Data(FirstVersion.bytes(slot: 0).prefix(44))
        bytes[43] ^= 1
        try bytes.write(to: URL(filePath: path))
        #expect(Thrown.error { _ = try Database.open(path, options(.ifMissing)) } != nil)
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    /// They are shorter than the first page's entry.
    @Test func refusesFewBytesOfSomethingElse() throws {
        let bytes = Data("passwords".utf8)
        try bytes.write(to: URL(filePath: path))
        for key in [nil, try EncryptedImage.key()] {
            #expect(Thrown.error { _ = try Database.open(path, options(.ifMissing, key)) } != nil)
            #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        }
    }

    /// The first page's entry is in the file, the page is not.
    @Test func createsEncryptedDatabasesAfterAnEntryAlone() throws {
        let key = try EncryptedImage.key()
        var writing = WriteSession.Options()
        (writing.creates, writing.key) = (true, key)
        let whole = folder.file("whole.realm")
        _ = try WriteSession(path: whole, options: writing)
        var bytes = try Data(contentsOf: URL(filePath: whole))
        #expect(bytes.count == 8192)
        bytes.resetBytes(in: 64..<8192)
        try bytes.write(to: URL(filePath: path))
        try use(key)
    }

    @Test func refusesZerosIfNothingIsToBeCreated() throws {
        try Data(count: 4096).write(to: URL(filePath: path))
        let error = Thrown.error { _ = try Database.open(path, options(.never)) }
        #expect(error?.reason == "not-a-realm")
    }

    @Test(arguments: [100, 4095]) func refusesZerosWithAByte(at offset: Int) throws {
        var bytes = Data(count: 4096)
        bytes[offset] = 1
        try bytes.write(to: URL(filePath: path))
        for key in [nil, try EncryptedImage.key()] {
            #expect(Thrown.error { _ = try Database.open(path, options(.ifMissing, key)) } != nil)
            #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        }
    }
}
