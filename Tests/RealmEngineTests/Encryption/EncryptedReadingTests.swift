import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Reading encrypted files.
@Suite struct EncryptedReadingTests {
    private static let plainFiles =
        Fixtures.files("query", ".realm").filter { $0.path.contains("/Tests/") }

    private static func fixture(_ name: String) -> String {
        Fixtures.own.appending(path: "encrypted/\(name)").path
    }

    private func image(_ name: String = "social") throws -> EncryptedImage {
        let url = try #require(Self.plainFiles.first { $0.lastPathComponent == name + ".realm" })
        return EncryptedImage(of: [UInt8](try Data(contentsOf: url)), try EncryptedImage.key())
    }

    private func withFile<R>(
        _ image: EncryptedImage, _ body: (String) throws -> R
    ) throws -> R {
        let path = try image.saved()
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    private func failure(_ body: () throws -> Void) -> RealmError? {
        do { try body() } catch { return error as? RealmError }
        return nil
    }

    private func digest(_ database: Database) throws -> UInt64 {
        let snapshot = database.snapshot()
        let digest = ContentDigest(snapshot)
        return ContentDigest.combined(try snapshot.schema.classes.map { try digest.digest($0) })
    }

    @Test(
        "an encrypted file of fewer than two blocks is truncated, with its key or without",
        arguments: [8191, 8000, 4096, 1000, 64])
    func filesOfFewerThanTwoBlocksAreTruncated(_ size: Int) throws {
        let key = try EncryptionKey.random()
        let bytes = EncryptedImage(of: try FileTree("query/social").encoded(), key).bytes
        let scratch = ScratchDatabase()
        try Data(bytes[..<size]).write(to: URL(filePath: scratch.path))
        for key in [key, nil] {
            let error = Thrown.error { _ = try Database(immutable: scratch.path, key: key) }
            #expect(error?.kind == .corrupt && error?.reason == "truncated", "\(size)")
        }
        #expect(Thrown.error { _ = try Inspector(path: scratch.path).inspect() }?.isDamage == true)
        try Data("no database".utf8).write(to: URL(filePath: scratch.path))
        let error = Thrown.error { _ = try Database(immutable: scratch.path, key: key) }
        #expect(error?.reason == "not-a-realm")
    }

    @Test func fileSizesIncludeTheMetadataBlocks() {
        // The sizes of storage format 8.6.
        for (size, file) in [
            (4096, 8192), (258048, 262144), (262144, 270336), (266240, 274432), (1, 8192),
        ] {
            #expect(EncryptedLayout.fileSize(of: size) == file)
            #expect(EncryptedLayout.databaseSize(of: file) == (size + 4095) / 4096 * 4096)
        }
        #expect(EncryptedLayout.databaseSize(of: 0) == 0)
        for pages in 0..<1000 {
            let size = pages * 4096
            #expect(EncryptedLayout.databaseSize(of: EncryptedLayout.fileSize(of: size)) == size)
            #expect(
                pages == 0
                    || EncryptedLayout.position(ofPage: pages - 1) + 4096
                        <= EncryptedLayout.fileSize(of: size)
            )
        }
    }

    @Test(arguments: plainFiles) func encryptedFileEqualsThePlainFile(_ url: URL) throws {
        let plain = [UInt8](try Data(contentsOf: url))
        try withFile(EncryptedImage(of: plain, try EncryptedImage.key())) { path in
            let database = try Database(immutable: path, key: try EncryptedImage.key())
            let original = try Database(immutable: url.path)
            #expect(database.isEncrypted && !original.isEncrypted)
            let report = IntegrityCheck(database).run()
            #expect(report.errorCount == 0, "\(report.findings.map(\.what))")
            #expect(report.facts.nodes == IntegrityCheck(original).run().facts.nodes)
            let (found, expected) = (try digest(database), try digest(original))
            #expect(found == expected)
        }
    }

    /// Files of the reference: one written in one pass, one by 40 commits.
    @Test(arguments: [("social.realm", 16384), ("items.realm", 20480)])
    func filesOfTheReferenceAreRead(name: String, size: Int) throws {
        let key = try EncryptedImage.key()
        let database = try Database(immutable: Self.fixture(name), key: key)
        let report = try IntegrityCheck.run(path: Self.fixture(name), key: key)
        #expect(report.findings.isEmpty, "\(report.findings.map(\.what))")
        #expect(database.schema.classes.count > 0)
        let found = try Inspector(path: Self.fixture(name), key: key).inspect()
        #expect(found.isEncrypted && found.content != nil && found.damage == nil)
        let space = try #require(found.space)
        #expect(space.live + space.free + space.pinned == UInt64(found.bytes))
    }

    @Test func wrongKeysAndCorruptBlocksHaveDifferentErrors() throws {
        let image = try image()
        let key = try EncryptedImage.key()
        try withFile(image) { path in
            let none = failure { _ = try Database(immutable: path) }
            #expect(none?.reason == "no-key")
            let wrong = try EncryptedImage.key(2)
            let found = failure { _ = try Database(immutable: path, key: wrong) }
            #expect(found?.reason == "wrong-key" && found?.kind == .key)
            #expect(try Inspector(path: path).inspect().isEncrypted)
            let inspected = failure { _ = try Inspector(path: path, key: wrong).inspect() }
            #expect(inspected?.reason == "wrong-key")
        }
        let plain = Self.plainFiles[0].path
        let useless = failure { _ = try Database(immutable: plain, key: key) }
        #expect(useless?.reason == "not-encrypted")
        var noise = SeededRandom(seed: 5)
        var random = image
        random.bytes = random.bytes.map { _ in UInt8(truncatingIfNeeded: noise.next()) }
        try withFile(random) { path in
            let found = failure { _ = try Database(immutable: path, key: key) }
            #expect(found?.kind == .input)
        }
    }

    @Test func findingsNameCorruptBlocks() throws {
        for page in 0..<3 {
            var image = try image("bulk")
            let place = EncryptedLayout.position(ofPage: page)
            image.bytes[place + 1000] ^= 1
            try withFile(image) { path in
                let found = failure {
                    let report = try IntegrityCheck.run(path: path, key: image.key)
                    let what = report.findings.map(\.what).joined(separator: "\n")
                    #expect(report.errorCount > 0 && what.contains("at offset \(place)"), "\(what)")
                    #expect(report.counts[.block] == 1)
                }
                // If the header's block is damaged, the other blocks cannot be judged.
                #expect(found?.reason == (page == 0 ? "block-damaged" : nil))
                #expect((found?.message.contains("at offset \(place)") ?? true))
            }
        }
    }

    /// Pages are read ahead with their neighbours, whose damage must not matter yet.
    @Test(arguments: [false, true]) func damageOfAPageLeavesItsNeighboursReadable(backwards: Bool)
        throws
    {
        var random = SeededRandom(seed: 7)
        // Large enough for a huge page.
        let words = (0..<(5 << 17)).map { _ in random.next() }
        let plain = words.withUnsafeBytes { [UInt8]($0) }
        let key = try EncryptedImage.key()
        var image = EncryptedImage(of: plain, key)
        let damaged: Set = [9, 40, 41, 600]
        for page in damaged { image.bytes[EncryptedLayout.position(ofPage: page) + 5] ^= 1 }
        let file = try image.bytes.withUnsafeBytes {
            try MappedFile(copying: $0, path: "damaged", .given(key))
        }
        let pages = try #require(file.mapping.pages)
        let (moment, all) = (pages.nextMoment(), Array(0..<image.pages))
        #expect(all.count == 1280)
        for page in backwards ? all.reversed() : all {
            let at = page * 4096
            let error = failure { try pages.prepare(at, 4096, moment) }
            #expect((error != nil) == damaged.contains(page), "page \(page)")
            if error != nil { continue }
            let isSame = plain.withUnsafeBytes {
                memcmp($0.baseAddress! + at, file.mapping.base + at, 4096) == 0
            }
            #expect(isSame, "page \(page)")
        }
    }

    @Test func anInterruptedWriteKeepsTheOldPages() throws {
        var image = try image()
        for page in 0..<image.pages {
            let old = image.plain(page: page)
            image.write(old.map { ~$0 }, page: page, entryOnly: true)
        }
        try withFile(image) { path in
            let report = try IntegrityCheck.run(path: path, key: image.key)
            #expect(report.findings.isEmpty, "\(report.findings.map(\.what))")
        }
    }

    /// Authentication codes do not cover the counters.
    @Test func aWrongCounterIsDamage() throws {
        for (byte, half) in [(0, 0), (1, 0), (3, 0), (0, 32), (2, 32)] {
            var image = try image("bulk")
            let page = 2
            image.write(image.plain(page: page), page: page)
            for isConfirmed in [false, true] {
                if isConfirmed { image.confirm(page: page) }
                var wrong = image
                wrong.bytes[EncryptedLayout.position(ofEntry: page) + half + byte] ^= 0x40
                try withFile(wrong) { path in
                    let report = try IntegrityCheck.run(path: path, key: image.key)
                    #expect(report.errorCount > 0 && report.counts[.block] == 1)
                }
            }
        }
    }

    /// The counter affects the first bytes of a page. If these change exactly as the counter does,
    /// the encrypted bytes would be the same as before, so the write increments the counter twice.
    @Test func aPageWithUnchangedEncryptedBytesIsRead() throws {
        let page = 2
        var image = try image("bulk")
        let old = image.plain(page: page)
        let counter = image.counter(page)
        let new = Self.changed(old, as: counter)
        image.write(new, page: page)
        #expect(image.counter(page) == counter + 2)
        #expect(try content(image, page) == new)
        // A counter that was incremented twice for no such reason.
        image.write(old, page: page)
        image.bytes[EncryptedLayout.position(ofEntry: page)] += 1
        #expect(throws: RealmError.self) { try content(image, page) }
        image.bytes[EncryptedLayout.position(ofEntry: page)] -= 1
        image.write(Self.changed(old, as: image.counter(page)), page: page, entryOnly: true)
        #expect(try content(image, page) == old)
    }

    /// Returns `plain` changed so that its next write, after the one numbered `counter`, would
    /// produce the same bytes.
    static func changed(_ plain: [UInt8], as counter: UInt32) -> [UInt8] {
        var changed = plain
        let difference = counter ^ (counter + 1)
        for i in 0..<4 { changed[i] ^= UInt8(truncatingIfNeeded: difference >> (8 * UInt32(i))) }
        return changed
    }

    private func content(_ image: EncryptedImage, _ page: Int) throws -> [UInt8] {
        try withFile(image) { path in
            let file = try MappedFile(path: path, .given(image.key))
            let at = page * EncryptedLayout.page
            try file.mapping.pages!.prepare(at, EncryptedLayout.page, file.mapping.nextMoment())
            let start = file.mapping.base + at
            return Array(UnsafeRawBufferPointer(start: start, count: EncryptedLayout.page))
        }
    }

    /// Confirmed entries, as `EncryptedDevice` leaves them, have the same counter and code twice.
    /// One intact code suffices.
    @Test func entriesWithEqualHalvesAreRead() throws {
        var image = try image("bulk")
        for page in 0..<image.pages { image.confirm(page: page) }
        for half in [nil, 0, 32] as [Int?] {
            var spoiled = image
            if let half { spoiled.bytes[EncryptedLayout.position(ofEntry: 2) + half + 9] ^= 1 }
            try withFile(spoiled) { path in
                #expect(try Inspector(path: path).inspect().isEncrypted)
                let report = try IntegrityCheck.run(path: path, key: image.key)
                #expect(report.findings.isEmpty, "\(report.findings.map(\.what))")
            }
        }
        // A counter that is one too large in only one half.
        image.bytes[EncryptedLayout.position(ofEntry: 2)] += 1
        try withFile(image) { path in
            let report = try IntegrityCheck.run(path: path, key: image.key)
            #expect(report.errorCount > 0 && report.counts[.block] == 1)
        }
    }

    @Test func aCutFileIsTruncated() throws {
        var image = try image("bulk")
        image.bytes.removeLast(image.bytes.count / 2)
        try withFile(image) { path in
            let found = failure { _ = try Database(immutable: path, key: image.key) }
            #expect(found?.isDamage == true)
        }
    }

    /// When a page is written again, its unchanged bytes stay, so that pointers to them remain
    /// valid.
    @Test func changedPagesAreDecryptedAgainAtTheNextMoment() throws {
        var image = try image()
        try withFile(image) { path in
            let file = try MappedFile(path: path, .given(image.key))
            let mapping = file.mapping
            let pages = try #require(mapping.pages)
            let moment = mapping.nextMoment()
            try pages.prepare(4096, 4096, moment)
            let word = (mapping.base + 4096 + 800).assumingMemoryBound(to: UInt64.self)
            let old = word.pointee
            var changed = image.plain(page: 1)
            changed[800] ^= 0xFF
            image.write(changed, page: 1)
            let handle = try FileHandle(forUpdating: URL(filePath: path))
            try handle.write(contentsOf: Data(image.bytes))
            try handle.close()
            try pages.prepare(4096, 4096, moment)
            #expect(word.pointee == old)
            try pages.prepare(4096, 4096, mapping.nextMoment())
            #expect(word.pointee == old ^ 0xFF)
            let next = changed.withUnsafeBytes { $0.load(fromByteOffset: 808, as: UInt64.self) }
            #expect(word[1] == next)
        }
    }

    @Test func damagedBytesGiveAnErrorOrTheSameContent() throws {
        let image = try image()
        let key = image.key
        let truth = try withFile(image) { path in
            try digest(Database(immutable: path, key: key))
        }
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var mutated = image
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // Half of the changes are in the table of entries.
                let limit = seed % 2 == 0 ? 64 * image.pages : mutated.bytes.count
                let at = Int.random(in: 0..<limit, using: &random)
                mutated.bytes[at] = UInt8(truncatingIfNeeded: random.next())
            }
            try withFile(mutated) { path in
                do {
                    let database = try Database(immutable: path, key: key)
                    let found = try digest(database)
                    #expect(found == truth, "seed \(seed)")
                } catch let error as RealmError {
                    #expect(
                        error.kind == .key || error.kind == .corrupt || error.kind == .input,
                        "seed \(seed): \(error.message)")
                }
            }
        }
    }
}
