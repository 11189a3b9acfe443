import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Writing encrypted files.
@Suite struct EncryptedWritingTests {
    /// Random transactions: reads each version and older ones, and checks each file.
    @Test(arguments: 0..<4) func everyVersionEqualsTheModel(_ shard: Int) throws {
        let seed =
            ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0 ... .max)
        var shape = ModelShapes.shape(shard * 5)
        shape.key = try EncryptedImage.key()
        shape.isDurable = shard == 0
        shape.flushPercent = shard == 3 ? 20 : nil
        let folder = try ScratchFolder()
        let run = try ModelRun(path: folder.file("model.realm"), seed: seed, shape: shape)
        do {
            try run.run(operations: 4_000 * ModelShapes.scale)
        } catch { Issue.record("shard \(shard), seed \(seed): \(error)\n\(run.trace.suffix(5))") }
    }

    private func options(_ key: Int = 1, creates: Bool = false) throws -> WriteSession.Options {
        var options = WriteSession.Options()
        options.key = try EncryptedImage.key(key)
        options.creates = creates
        return options
    }

    private func made(_ path: String) throws -> TableKey {
        let session = try WriteSession(path: path, options: try options(creates: true))
        let transaction = try session.begin()
        let table = try transaction.createClass("Item", primaryKey: PropertySpec("id", .int))
        try transaction.addProperty(table, PropertySpec("text", .string))
        try transaction.commit()
        return table
    }

    @Test func aNewFileContainsNoPlainText() throws {
        let folder = try ScratchFolder()
        let path = folder.file("new.realm")
        let table = try made(path)
        let session = try WriteSession(path: path, options: try options())
        let transaction = try session.begin()
        for i in 0..<200 { _ = try transaction.create(in: table, primaryKey: .int(Int64(i))) }
        try transaction.commit()
        let bytes = try Data(contentsOf: URL(filePath: path))
        for word in ["T-DB", "AAAA", "class_Item", "text"] {
            #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word)")
        }
        #expect(bytes.count % 4096 == 0)
        #expect(try IntegrityCheck.run(path: path, key: EncryptedImage.key()).findings.isEmpty)
    }

    @Test func openingWithAnotherKeyIsRefused() throws {
        let folder = try ScratchFolder()
        let path = folder.file("key.realm")
        _ = try made(path)
        var open = Database.Options()
        open.key = try EncryptedImage.key()
        let first = try Database.open(path, open)
        #expect(try Database.open(path, open) === first)
        var reasons: [String] = []
        for key in [try EncryptedImage.key(2), nil] {
            open.key = key
            do { _ = try Database.open(path, open) } catch { reasons.append(error.reason) }
        }
        #expect(reasons == ["wrong-key", "no-key"])
        let plain = folder.file("plain.realm")
        var make = WriteSession.Options()
        make.creates = true
        let session = try WriteSession(path: plain, options: make)
        open.key = try EncryptedImage.key()
        do {
            _ = try Database.open(plain, open)
            Issue.record("a key for a plain file")
        } catch { #expect(error.reason == "not-encrypted") }
        withExtendedLifetime(session) {}
    }

    /// Two participants with separate memory: each reads what the other commits, and older versions
    /// do not change.
    @Test func participantsReadEachOthersCommits() throws {
        let folder = try ScratchFolder()
        let path = folder.file("two.realm")
        let table = try made(path)
        var separate = try options()
        separate.isSeparate = true
        separate.isDurable = false
        let open = separate
        let sessions = try (0..<2).map { _ in try WriteSession(path: path, options: open) }
        var held: [(Snapshot, Int)] = []
        for round in 0..<60 {
            let session = sessions[round % 2]
            let transaction = try session.begin()
            let row = try transaction.create(in: table, primaryKey: .int(Int64(round)))
            let text = [UInt8](repeating: 0x78, count: 1 + round * 7 % 300)
            try text.withUnsafeBufferPointer {
                try transaction.set(
                    table, row, 1, .string(ByteView($0.baseAddress!, count: $0.count)))
            }
            try transaction.commit()
            let other = sessions[(round + 1) % 2].database
            try other.refresh()
            let snapshot = other.snapshot()
            #expect(try snapshot.table(table).count() == round + 1)
            if round % 7 == 0 { held.append((snapshot, round + 1)) }
            for (snapshot, count) in held {
                #expect(try snapshot.table(table).count() == count)
                #expect(IntegrityCheck(snapshot, level: .quick).run().errorCount == 0)
            }
        }
        held = []
        #expect(try IntegrityCheck.run(path: path, key: EncryptedImage.key()).errorCount == 0)
    }

    /// A commit needs one sync more than in a plain file.
    @Test func aCommitNeedsOneMoreSyncThanInAPlainFile() throws {
        let folder = try ScratchFolder()
        let path = folder.file("syncs.realm")
        let table = try made(path)
        let session = try WriteSession(path: path, options: try options())
        for i in 0..<5 as Range<Int64> {
            let transaction = try session.begin()
            for j in 0..<(i == 0 ? 3000 : 1) as Range<Int64> {
                _ = try transaction.create(in: table, primaryKey: .int(5000 * i + j))
            }
            let before = session.writeStatistics.syncs
            try transaction.commit()
            #expect(session.writeStatistics.syncs - before <= 3)
        }
    }

    /// A process of the reference may read a page at any moment of a commit. It caches the page
    /// with the entry it read, and reads the page again when the entry has changed. So if an entry
    /// is the same when the version is announced, its page must be the same.
    @Test(arguments: [true, false])
    func changedPagesAreDetectedAtEveryMomentOfACommit(_ isDurable: Bool) throws {
        let folder = try ScratchFolder()
        let path = folder.file("meanwhile.realm")
        let table = try made(path)
        var recorder: RecordingDevice?
        var options = try options()
        options.isDurable = isDurable
        let session = try WriteSession(path: path, options: options) {
            let device = RecordingDevice($0)
            recorder = device
            return device
        }
        for round in 0..<6 as Range<Int64> {
            var image = FileImage(bytes: [UInt8](try Data(contentsOf: URL(filePath: path))))
            recorder?.calls = []
            let transaction = try session.begin()
            for i in 0..<[1, 400][Int(round % 2)] as Range<Int64> {
                _ = try transaction.create(in: table, primaryKey: .int(1000 * round + i))
                if round == 3, i == 200 { try transaction.spill() }
            }
            try transaction.commit()
            var seen = [try SeenPages(image)]
            for call in recorder!.calls {
                image.apply(call)
                seen.append(try SeenPages(image))
            }
            for (moment, early) in seen.enumerated() {
                let kept = early.keptPages(seen.last!)
                #expect(kept.isEmpty, "round \(round), after \(moment) of \(seen.count - 1) calls")
            }
        }
    }

    /// A page whose encrypted bytes would not change is written and read correctly.
    @Test func aPageWithUnchangedEncryptedBytesIsWritten() throws {
        let folder = try ScratchFolder()
        let path = folder.file("same.realm")
        _ = try made(path)
        let key = try EncryptedImage.key()
        let mapped = try MappedFile(path: path, .given(key))
        let file = try FileDevice(path: path)
        let device = EncryptedDevice(file, mapped, nil)
        let at = EncryptedLayout.databaseSize(of: file.size) - EncryptedLayout.page
        let page = at / EncryptedLayout.page
        var plain = [UInt8](repeating: 7, count: EncryptedLayout.page)
        for _ in 0..<4 {
            try plain.withUnsafeBytes { try device.write($0, at: at) }
            try device.sync()
            let found = try MappedFile(path: path, .given(key))
            let moment = found.mapping.nextMoment()
            try found.mapping.pages!.prepare(at, EncryptedLayout.page, moment)
            #expect(
                plain.elementsEqual(
                    UnsafeRawBufferPointer(
                        start: found.mapping.base + at, count: EncryptedLayout.page)))
            let entry = found.mapping.pages!.cipher.base + EncryptedLayout.position(ofEntry: page)
            plain = EncryptedReadingTests.changed(plain, as: entry.load(as: UInt32.self))
        }
    }

    /// Entries and pages of a file at some moment, as a reader finds them.
    private struct SeenPages {
        let entries: [[UInt8]]
        let pages: [[UInt8]?]

        init(_ image: FileImage) throws {
            let key = try EncryptedImage.key()
            let mapped = try image.bytes.withUnsafeBytes {
                try MappedFile(copying: $0, path: "image", .given(key))
            }
            let plain = mapped.mapping.pages!
            entries = (0..<plain.count).map {
                let at = EncryptedLayout.position(ofEntry: $0)
                return Array(image.bytes[at..<(at + EncryptedLayout.entry)])
            }
            pages = (0..<plain.count).map {
                let at = $0 * EncryptedLayout.page
                guard (try? plain.prepare(at, EncryptedLayout.page, plain.nextMoment())) != nil
                else { return nil }
                let start = mapped.mapping.base + at
                return Array(UnsafeRawBufferPointer(start: start, count: EncryptedLayout.page))
            }
        }

        /// Returns the pages that changed later although their entries did not, so that a reader
        /// would not read them again.
        func keptPages(_ later: SeenPages) -> [Int] {
            pages.indices.filter {
                pages[$0] != nil && entries[$0] == later.entries[$0]
                    && pages[$0] != later.pages[$0]
            }
        }
    }

    /// Pages that were spilled by a cancelled transaction are not visible to other participants.
    @Test func spilledPagesOfARollbackAreNotVisible() throws {
        let folder = try ScratchFolder()
        let path = folder.file("rollback.realm")
        let table = try made(path)
        var separate = try options()
        separate.isSeparate = true
        let session = try WriteSession(path: path, options: separate)
        let other = try WriteSession(path: path, options: separate)
        for round in 0..<4 {
            let lost = try session.begin()
            for i in 0..<500 { _ = try lost.create(in: table, primaryKey: .int(Int64(9000 + i))) }
            try lost.spill()
            lost.rollback()
            let kept = try other.begin()
            for i in 0..<100 {
                _ = try kept.create(in: table, primaryKey: .int(Int64(round * 100 + i)))
            }
            try kept.commit()
            try session.database.refresh()
            #expect(try session.database.snapshot().table(table).count() == (round + 1) * 100)
        }
        #expect(try IntegrityCheck.run(path: path, key: EncryptedImage.key()).errorCount == 0)
    }
}
