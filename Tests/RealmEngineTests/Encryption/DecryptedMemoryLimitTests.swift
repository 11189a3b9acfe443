import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Decrypted pages are freed while threads have pointers into them.
///
/// The limit applies to the whole process, so each test runs in a process of its own, whose exit
/// status reports failures.
@Suite struct DecryptedMemoryLimitTests {
    @Test func pointersStayValidWhenPagesAreFreed() async {
        let child = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) { BoundedTrial.run { try $0.pointersStayValidWhenPagesAreFreed() } }
        print(String(decoding: child?.standardErrorContent ?? [], as: UTF8.self))
    }

    @Test func writersAndReadersStayWithinTheLimit() async {
        let child = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) { BoundedTrial.run { try $0.writersAndReadersStayWithinTheLimit() } }
        print(String(decoding: child?.standardErrorContent ?? [], as: UTF8.self))
    }

    @Test func checksAndCopiesStayWithinTheLimit() async {
        let child = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) { BoundedTrial.run { try $0.checksAndCopiesStayWithinTheLimit() } }
        print(String(decoding: child?.standardErrorContent ?? [], as: UTF8.self))
    }

    @Test func fewPagesAreDecryptedAgain() async {
        let child = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) { BoundedTrial.run { try $0.fewPagesAreDecryptedAgain() } }
        print(String(decoding: child?.standardErrorContent ?? [], as: UTF8.self))
    }

    /// A thread with a pointer to a page whose content has changed in the file ends with `SIGBUS`.
    @Test func readingAPageThatWasDamagedRaisesSIGBUS() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            try BoundedTrial().readingAPageThatWasDamagedRaisesSIGBUS()
        }
    }

    /// The handler does not handle faults at other addresses.
    @Test func otherFaultsRaiseSIGSEGV() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            let trial = try BoundedTrial()
            let views = try trial.views(trial.database().snapshot())
            let nowhere = UnsafeRawPointer(bitPattern: 4096 + views.count)!
            print(nowhere.load(fromByteOffset: -views.count, as: UInt64.self))
        }
    }
}

/// A database several times larger than its memory limit.
private final class BoundedTrial {
    private struct Failure: Error { let what: String }

    private static let limit = 2 << 20
    private static let count = 2000
    private let folder: ScratchFolder
    private let path: String
    private let table: TableKey

    init() throws {
        DecryptedMemoryLimit.limit(to: Self.limit)
        folder = try ScratchFolder()
        path = folder.file("large.realm")
        let session = try WriteSession(path: path, options: try Self.options(creates: true))
        let transaction = try session.begin()
        table = try transaction.createClass("Item", primaryKey: PropertySpec("id", .int))
        try transaction.addProperty(table, PropertySpec("text", .string))
        for i in 0..<Self.count {
            let row = try transaction.create(in: table, primaryKey: .int(Int64(i)))
            try Self.set(transaction, table, row, Self.text(i))
        }
        try transaction.commit()
    }

    /// Exits with an error message if `body` throws.
    static func run(_ body: (BoundedTrial) throws -> Void) {
        do { try body(BoundedTrial()) } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func options(creates: Bool = false) throws -> WriteSession.Options {
        var options = WriteSession.Options()
        options.key = try EncryptedImage.key()
        options.creates = creates
        options.isDurable = false
        return options
    }

    private static func set(
        _ transaction: WriteTransaction, _ table: TableKey, _ row: ObjectKey, _ text: [UInt8]
    ) throws {
        try text.withUnsafeBufferPointer {
            try transaction.set(
                table, row, 1, .string(ByteView($0.baseAddress!, count: $0.count)))
        }
    }

    /// Returns random text of some hundred bytes to a few pages, different for each object and
    /// round.
    private static func text(_ i: Int, _ round: Int = 0) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(i * 1000 + round))
        return (0..<(300 + i % 97 * 60)).map { _ in 0x61 + UInt8(random.next() % 26) }
    }

    private static func require(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Failure(what: what()) }
    }

    func database() throws -> Database {
        try Database(immutable: path, key: try EncryptedImage.key())
    }

    /// Returns views of all texts.
    func views(_ snapshot: Snapshot) throws -> [ByteView] {
        let rows = snapshot.table(snapshot.schema.classes[0])
        return try rows.keys().map { key in
            guard case .string(let view) = try rows.row(key)!.value(1) else {
                throw Failure(what: "no text")
            }
            return view
        }
    }

    private static func check(_ views: [ByteView], seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for i in views.indices.shuffled(using: &random) {
            let expected = text(i)
            let isSame = expected.withUnsafeBufferPointer {
                ByteView($0.baseAddress!, count: $0.count) == views[i]
            }
            try Self.require(isSame, "text \(i)")
        }
    }

    /// Checks the limit: each thread may exceed it by a piece of pages, and each file by its share.
    private static func checkBounds(threads: Int = 1) throws {
        let held = DecryptedMemoryLimit.held.load(ordering: .relaxed)
        try require(held > 0 && held * 4096 <= 2 * limit + threads << 16, "\(held) pages")
    }

    func pointersStayValidWhenPagesAreFreed() throws {
        let database = try database()
        let snapshot = database.snapshot()
        try Self.require(snapshot.table(table).count() == Self.count, "count")
        let views = try views(snapshot)
        try Self.checkBounds()
        for seed in 0..<2 { try Self.check(views, seed: seed) }
        try Self.checkBounds()
        let failed = LockedValue<String?>(nil)
        Threads.run(4) { i in
            do { try Self.check(views, seed: 10 + i) } catch {
                failed.withLock { $0 = "\(error)" }
            }
        }
        try Self.require(failed.withLock { $0 } == nil, "threads")
        try Self.checkBounds(threads: 4)
    }

    /// A pinned version keeps its bytes while its pages change, are freed and are restored.
    func writersAndReadersStayWithinTheLimit() throws {
        let reading = try WriteSession(path: path, options: try Self.options())
        let pinned = reading.database.snapshot()
        let views = try views(pinned)
        var separate = try Self.options()
        separate.isSeparate = true
        let other = try WriteSession(path: path, options: separate)
        let keys = try pinned.table(table).keys()
        for round in 1..<6 {
            let session = round % 2 == 0 ? reading : other
            let transaction = try session.begin()
            for i in stride(from: round, to: Self.count, by: 7) {
                try Self.set(transaction, table, keys[i], Self.text(i, round))
            }
            try transaction.commit()
            try Self.check(views, seed: round)
        }
        try reading.database.refresh()
        let report = IntegrityCheck(reading.database.snapshot()).run()
        try Self.require(report.errorCount == 0, "check")
        try Self.checkBounds()
    }

    func checksAndCopiesStayWithinTheLimit() throws {
        let database = try database()
        let report = IntegrityCheck(database.snapshot()).run()
        try Self.require(report.findings.isEmpty, "\(report.findings.map(\.what))")
        try Self.checkBounds()
        let target = folder.file("copy.realm")
        let descriptor = open(target, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        var options = Compactor.Options()
        options.key = try EncryptedImage.key(2)
        options.maxMemory = 1 << 20
        let result = try Compactor.write(
            database.snapshot(), to: descriptor, path: target, options: options)
        try Self.require(result.isVerified, "verified")
        let copy = try Database(immutable: target, key: try EncryptedImage.key(2))
        try Self.check(try views(copy.snapshot()), seed: 1)
        try Self.checkBounds()
    }

    /// Checking and sorting read the file sequentially a few times, not once per object.
    func fewPagesAreDecryptedAgain() throws {
        let session = try WriteSession(path: path, options: try Self.options())
        let transaction = try session.begin()
        for (name, type) in [("group", ColumnType.int), ("name", .string)] {
            var property = PropertySpec(name, type)
            property.isIndexed = true
            try transaction.addProperty(table, property)
        }
        let keys = try session.database.snapshot().table(table).keys()
        for (i, key) in keys.enumerated() {
            try transaction.set(table, key, 2, .int(Int64(i * 7919 % 100)))
            let name = Array("The same beginning \(i * 7919 % Self.count)".utf8)
            try name.withUnsafeBufferPointer {
                try transaction.set(
                    table, key, 3, .string(ByteView($0.baseAddress!, count: $0.count)))
            }
        }
        try transaction.commit()
        let database = try database()
        let pieces = Int(try FileHandle(forReadingFrom: URL(filePath: path)).seekToEnd()) / 16_384
        try Self.require(database.outgrowsPlainMemory, "no more than may be in memory")
        func restored(_ body: () throws -> Void) rethrows -> Int {
            let before = DecryptedMemoryLimit.restored.load(ordering: .relaxed)
            try body()
            return DecryptedMemoryLimit.restored.load(ordering: .relaxed) - before
        }
        let checked = try restored {
            let report = IntegrityCheck(database.snapshot()).run()
            try Self.require(report.errorCount == 0, "check")
        }
        try Self.require(checked < 6 * pieces, "check: \(checked) of \(pieces) pieces")
        for text in ["SORT(name ASC)", "SORT(text DESC)", "DISTINCT(name)", "SORT(group ASC)"] {
            var options = QueryOptions()
            options.memoryLimit = 1 << 16
            let snapshot = database.snapshot()
            let plan = try QueryPlan(
                Query("TRUEPREDICATE " + text).bound(to: snapshot.table(table)), in: snapshot,
                options: options)
            let sorted = try restored {
                try Self.require(try plan.rows(in: snapshot).keys.count == Self.count, text)
            }
            try Self.require(sorted < 3 * pieces, "\(text): \(sorted) of \(pieces) pieces")
        }
    }

    func readingAPageThatWasDamagedRaisesSIGBUS() throws {
        let snapshot = try database().snapshot()
        let views = try views(snapshot)
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        let size = Int(try handle.seekToEnd())
        for offset in stride(from: 4096, to: size, by: 4096) where offset / 4096 % 65 != 0 {
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: [1, 2, 3, 4])
        }
        try Self.check(views, seed: 1)
    }
}
