import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Copying whole files from one key to another.
@Suite struct EncryptedUpkeepTests {
    private static let plainFiles =
        Fixtures.files("query", ".realm").filter { $0.path.contains("/Tests/") }
        + Fixtures.files("objects", "compacted.realm").filter { $0.path.contains("/Tests/") }

    private func digest(_ database: Database) throws -> UInt64 {
        let snapshot = database.snapshot()
        let digest = ContentDigest(snapshot)
        return ContentDigest.combined(try snapshot.schema.classes.map { try digest.digest($0) })
    }

    private func copy(
        _ database: Database, to path: String, _ key: EncryptionKey?, isTransactional: Bool
    ) throws -> Compactor.Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        var options = Compactor.Options()
        options.key = key
        options.isTransactional = isTransactional
        options.maxMemory = 1 << 20
        return try Compactor.write(
            database.snapshot(), to: descriptor, path: path, options: options)
    }

    @Test(arguments: plainFiles, [false, true])
    func copiesWithAnotherKeyHaveTheSameContent(_ url: URL, isTransactional: Bool) throws {
        let folder = try ScratchFolder()
        let (first, second) = (try EncryptedImage.key(), try EncryptedImage.key(2))
        let keys = [first, second, nil]
        var database = try Database(immutable: url.path)
        let truth = try digest(database)
        for (i, key) in keys.enumerated() {
            let path = folder.file("\(i).realm")
            let result = try copy(database, to: path, key, isTransactional: isTransactional)
            #expect(result.isVerified)
            let bytes = try Data(contentsOf: URL(filePath: path))
            #expect(bytes.count == Int(result.bytes))
            if key != nil {
                #expect(bytes.count % 4096 == 0 && bytes.range(of: Data("T-DB".utf8)) == nil)
            }
            database = try Database(immutable: path, key: key)
            #expect(try digest(database) == truth)
            let report = try IntegrityCheck.run(path: path, key: key)
            #expect(report.errorCount == 0 && report.counts[.block] == nil)
        }
    }

    /// Copies whose last page is the last, or the first, of a group of pages.
    @Test func copiesAroundAGroupOfPagesAreComplete() throws {
        let folder = try ScratchFolder()
        let key = try EncryptedImage.key()
        var sizes: Set<Int> = []
        for blob in stride(from: 60 * 4096, to: 68 * 4096, by: 3000) {
            let path = folder.file("plain.realm")
            try? FileManager.default.removeItem(atPath: path)
            let options = WriteSession.Options.scratch()
            do {
                let session = try WriteSession(path: path, options: options)
                let transaction = try session.begin()
                let table = try transaction.createClass("Item", primaryKey: nil)
                try transaction.addProperty(table, PropertySpec("data", .binary))
                let row = try transaction.create(in: table)
                let bytes = [UInt8](repeating: 7, count: blob)
                try bytes.withUnsafeBufferPointer {
                    try transaction.set(
                        table, row, 0, .binary(ByteView($0.baseAddress!, count: $0.count)))
                }
                try transaction.commit()
            }
            let database = try Database(immutable: path)
            for isTransactional in [false, true] {
                let copied = folder.file("copy.realm")
                let result = try copy(database, to: copied, key, isTransactional: isTransactional)
                sizes.insert(EncryptedLayout.databaseSize(of: Int(result.bytes)) / 4096)
                let report = try IntegrityCheck.run(path: copied, key: key)
                #expect(report.findings.isEmpty, "\(blob): \(report.findings.map(\.what))")
                #expect(
                    try digest(Database(immutable: copied, key: key)) == digest(database))
            }
        }
        #expect(sizes.contains(63) && sizes.contains(64) && sizes.contains(65), "\(sizes.sorted())")
    }

    @Test func intactPagesAreSalvaged() throws {
        let folder = try ScratchFolder()
        let key = try EncryptedImage.key()
        let url = try #require(Self.plainFiles.first { $0.lastPathComponent == "bulk.realm" })
        var image = EncryptedImage(of: [UInt8](try Data(contentsOf: url)), key)
        image.bytes[EncryptedLayout.position(ofPage: 5) + 99] ^= 4
        let path = try image.saved()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let rescued = folder.file("rescued.realm")
        let summary = try Salvage.run(
            path: path, into: rescued, spillingInto: folder.path, key: key
        ) { _ in }
        #expect(!summary.isComplete)
        let database = try Database(immutable: rescued, key: key)
        #expect(database.isEncrypted && database.schema.classes.count > 0)
        #expect(try IntegrityCheck.run(path: rescued, key: key).errorCount == 0)
    }

    /// The first block contains the header and the columns of the class that was created first.
    @Test func objectsAreSalvagedDespiteADamagedFirstBlock() throws {
        let folder = try ScratchFolder()
        let key = try EncryptedImage.key()
        let path = folder.file("damaged.realm")
        var options = WriteSession.Options.scratch()
        options.key = key
        try fill(path, options)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        bytes[EncryptedLayout.position(ofPage: 0) + 99] ^= 4
        try Data(bytes).write(to: URL(filePath: path))
        let rescued = folder.file("rescued.realm")
        let summary = try Salvage.run(
            path: path, into: rescued, spillingInto: folder.path, key: key
        ) { _ in }
        #expect(!summary.isComplete && !summary.isNewest)
        let database = try Database(immutable: rescued, key: key)
        let second = try #require(database.schema.table(named: "Second"))
        #expect(try database.snapshot().table(second).count() == 300)
        #expect(try IntegrityCheck.run(path: rescued, key: key).errorCount == 0)
        #expect(
            try Salvage.estimate(
                path: path, spillingInto: folder.path, key: key)
                == summary.salvaged)
    }

    /// Creates two classes, one after the other.
    private func fill(_ path: String, _ options: WriteSession.Options) throws {
        let session = try WriteSession(path: path, options: options)
        for (name, count) in [("First", 5000), ("Second", 300)] {
            let change = try session.begin()
            let table = try change.createClass(name)
            try change.addProperty(table, PropertySpec("number", .int))
            for i in 0..<count {
                try change.set(table, change.create(in: table), 0, .int(Int64(i * i)))
            }
            try change.commit()
        }
    }
}
