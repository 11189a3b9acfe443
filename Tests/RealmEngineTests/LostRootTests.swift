import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Salvage of files whose header, root or end is lost.
@Suite struct LostRootTests {
    static let seed = UInt64(ProcessInfo.processInfo.environment["REALM_TEST_SEED"] ?? "") ?? 24

    /// A file of several commits, whose objects store their identity and the round in which they
    /// were last written.
    private final class Source {
        let scratch = ScratchDatabase()
        private(set) var bytes: [UInt8] = []
        /// For each class, the round in which each object was last written.
        private(set) var rounds: [String: [Int64: Int]] = ["Item": [:], "Plain": [:]]

        static let rows = 700

        init(rounds count: Int) throws {
            let session = try WriteSession(path: scratch.path, options: .scratch())
            var random = SeededRandom(seed: LostRootTests.seed)
            var change = try session.begin()
            let item = try change.createClass("Item", primaryKey: PropertySpec("id", .int))
            try change.addProperty(item, PropertySpec("text", .string))
            let plain = try change.createClass("Plain")
            try change.addProperty(plain, PropertySpec("text", .string))
            var link = PropertySpec("item", .link)
            (link.isOptional, link.target) = (true, item)
            try change.addProperty(plain, link)
            try change.commit()
            for round in 0..<count {
                change = try session.begin()
                for _ in 0..<Self.rows { try add(change, item, plain, round) }
                for _ in 0..<20 where round > 0 {
                    let id = Int64.random(in: 0..<Int64(round * Self.rows), using: &random)
                    guard let key = try change.find(in: item, primaryKey: .int(id)) else {
                        continue
                    }
                    try change.set(item, key, 1, change.text("Item \(id) \(round)"))
                    rounds["Item"]![id] = round
                }
                try change.commit()
            }
            bytes = try [UInt8](Data(contentsOf: URL(filePath: scratch.path)))
        }

        private func add(
            _ change: WriteTransaction, _ item: TableKey, _ plain: TableKey, _ round: Int
        ) throws {
            let id = Int64(rounds["Item"]!.count)
            let target = try change.create(in: item, primaryKey: .int(id))
            try change.set(item, target, 1, change.text("Item \(id) \(round)"))
            let key = try change.create(in: plain)
            try change.set(plain, key, 0, change.text("Plain \(key.raw) \(round)"))
            try change.set(plain, key, 1, .link(ObjectLink(table: item, key: target)))
            rounds["Item"]![id] = round
            rounds["Plain"]![key.raw] = round
        }
    }

    private struct Found {
        var objects = 0
        var old = 0
        var links = 0
        var summary = SalvageSummary()
        var doubtful = 0
        var estimate = 0
    }

    @discardableResult
    private func salvage(
        _ file: ScratchDatabase, into made: ScratchDatabase, maxMemory: Int = 64 << 20
    ) throws -> SalvageSummary {
        try Salvage.run(
            path: file.path, into: made.path,
            spillingInto: FileManager.default.temporaryDirectory.path, maxMemory: maxMemory
        ) { _ in }
    }

    private func salvage(_ bytes: [UInt8], _ source: Source) throws -> Found {
        let file = ScratchDatabase()
        let made = ScratchDatabase()
        try Data(bytes).write(to: URL(filePath: file.path))
        var found = Found()
        found.summary = try salvage(file, into: made)
        found.estimate = try Salvage.estimate(
            path: file.path, spillingInto: FileManager.default.temporaryDirectory.path)
        let database = try Database(immutable: made.path)
        for info in database.schema.classes { try compare(database, info, source, &found) }
        try expectSound(made.path)
        return found
    }

    /// Checks that each object existed, with its own text and link.
    private func compare(
        _ database: Database, _ info: TableInfo, _ source: Source, _ found: inout Found
    ) throws {
        let table = database.snapshot().table(info)
        let rounds = try #require(source.rounds[info.className])
        let text = try #require(info.columnIndex(named: "text"))
        for key in try table.keys() {
            let row = try #require(try table.row(key))
            var id = key.raw
            if case .int(let number)? = try row.primaryKey() { id = number }
            let round = try #require(rounds[id], "\(info.className) \(id) was never there")
            found.objects += 1
            // An empty text is a lost value.
            guard case .string(let bytes) = try row.value(text), bytes.count > 0 else { continue }
            let words = bytes.string.split(separator: " ")
            guard words.count == 3, words[0] == info.className, words[1] == "\(id)" else {
                found.doubtful += 1
                continue
            }
            if words[2] != "\(round)" { found.old += 1 }
            guard let i = info.columnIndex(named: "item"),
                case .link(let link) = try row.value(i),
                let target = database.schema.table(link.table),
                case .int(let linked)? = try database.snapshot().table(target).row(link.key)?
                    .primaryKey()
            else { continue }
            // Objects of both classes are created in pairs, so the target's number follows from the
            // object's key.
            #expect(linked == Int64(UInt64(id) & 0xFF | UInt64(id) >> 8 & ~0xFF))
            found.links += 1
        }
    }

    @Test func everythingIsSalvagedWithoutAHeader() throws {
        let source = try Source(rounds: 3)
        var bytes = source.bytes
        bytes.zero(0..<RawHeader.size)
        let found = try salvage(bytes, source)
        #expect(found.objects == 6 * Source.rows && found.old == 0 && found.doubtful == 0)
        #expect(found.links == 3 * Source.rows)
        #expect(!found.summary.isNewest && found.summary.lostParts == 1)
        #expect(found.summary.lostObjects == 0 && !found.summary.isComplete)
    }

    /// Objects in an old state are reported as old.
    @Test func objectsBeforeTheLostEndAreSalvaged() throws {
        let source = try Source(rounds: 4)
        var rescued = 0
        for tenth in 1...9 {
            let end = source.bytes.count / 10 * tenth & ~7
            guard let found = try? salvage(Array(source.bytes[..<end]), source) else { continue }
            rescued += found.objects
            // The estimate may include objects that the salvage finds to be lost.
            let most = found.objects + found.summary.lostObjects
            #expect(found.estimate * 10 >= found.objects * 9, "\(tenth): \(found)")
            #expect(found.estimate * 10 <= most * 11, "\(tenth): \(found)")
            #expect(!found.summary.isComplete, "\(tenth): \(found)")
            // A leaf may be found where an older version had another of the same form; then all
            // objects are reported as old.
            let isOld = !found.summary.isNewest && found.summary.older == found.objects
            #expect(found.doubtful == 0 || isOld && found.doubtful <= 256, "\(tenth): \(found)")
            #expect(found.old == 0 || !found.summary.isNewest || found.summary.older >= found.old)
        }
        #expect(rescued > 10 * Source.rows)
    }

    /// Content of an overwritten block.
    enum Filling: CaseIterable {
        case zeros, noise, otherFile

        func bytes(_ random: inout SeededRandom, _ other: [UInt8]) -> [UInt8] {
            switch self {
            case .zeros: [UInt8](repeating: 0, count: 4096)
            case .noise: (0..<4096).map { _ in .random(in: 0...255, using: &random) }
            case .otherFile:
                Array(
                    other[.random(in: 0..<other.count / 4096, using: &random) * 4096..<other.count]
                        .prefix(4096))
            }
        }
    }

    /// Salvage never invents objects, links or texts, and objects that were partly overwritten are
    /// marked as doubtful.
    @Test(arguments: [1, 4, 16], Filling.allCases)
    func salvageAfterLostBlocksInventsNothing(_ count: Int, _ filling: Filling) throws {
        let source = try Source(rounds: 3)
        let other = Fixtures.own.appending(path: "objects/all-types-2-compacted.realm")
        let foreign = try [UInt8](Data(contentsOf: other))
        for run in 0..<8 {
            var random = SeededRandom(seed: Self.seed &+ UInt64(run) << 8 &+ UInt64(count))
            var bytes = source.bytes
            for _ in 0..<count {
                let start = Int.random(in: 0..<bytes.count / 4096, using: &random) * 4096
                bytes.replaceSubrange(start..<start + 4096, with: filling.bytes(&random, foreign))
            }
            guard let found = try? salvage(bytes, source) else { continue }
            #expect(
                found.doubtful == 0 || found.summary.doubtful >= found.doubtful,
                "seed \(Self.seed) run \(run)")
            #expect(
                found.old == 0 || !found.summary.isNewest || found.summary.older >= found.old,
                "seed \(Self.seed) run \(run)")
        }
    }

    /// Zeros look like an empty list, which valid files do not store.
    @Test func listsOverwrittenWithZerosAreLost() throws {
        let (scratch, made) = (ScratchDatabase(), ScratchDatabase())
        let session = try WriteSession(path: scratch.path, options: .scratch())
        let change = try session.begin()
        let table = try change.createClass("Bag")
        var numbers = PropertySpec("numbers", .int)
        numbers.collection = .list
        try change.addProperty(table, numbers)
        let bag = try change.create(in: table)
        try change.setElements(table, bag, 0, [.int(7), .int(8)])
        try change.commit()
        let database = try Database(immutable: scratch.path)
        let info = try #require(database.schema.table(named: "Bag"))
        let row = try #require(try database.snapshot().table(info).row(bag))
        guard case .list(let list) = try row.value(0) else {
            throw RealmError.corrupt("no list", in: "row")
        }
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: scratch.path)))
        let place = Int(list.root.raw)
        bytes.zero(place..<place + 16)
        try Data(bytes).write(to: URL(filePath: scratch.path))
        #expect(try IntegrityCheck.run(path: scratch.path).errorCount > 0)
        let summary = try salvage(scratch, into: made)
        #expect(summary.salvaged == 1 && summary.doubtful == 1 && !summary.isComplete)
    }

    /// Empty texts are not doubtful.
    @Test func emptyTextsAreNotDoubtful() throws {
        let (scratch, made) = (ScratchDatabase(), ScratchDatabase())
        let session = try WriteSession(path: scratch.path, options: .scratch())
        let change = try session.begin()
        let table = try change.createClass("Bag")
        try change.addProperty(table, PropertySpec("text", .string))
        for _ in 0..<3 { _ = try change.create(in: table) }
        try change.commit()
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: scratch.path)))
        bytes.zero(0..<RawHeader.size)
        try Data(bytes).write(to: URL(filePath: scratch.path))
        let summary = try salvage(scratch, into: made)
        #expect(summary.salvaged == 3 && summary.doubtful == 0 && summary.lostValues == 0)
    }

    /// An index has only the beginning of a long key, which must not be used as the key.
    @Test func longPrimaryKeysAreNotTruncated() throws {
        let scratch = ScratchDatabase()
        let session = try WriteSession(path: scratch.path, options: .scratch())
        let change = try session.begin()
        let table = try change.createClass("Long", primaryKey: PropertySpec("id", .string))
        let keys = Set((0..<200).map { "\($0) " + String(repeating: "\($0 * 7919)", count: 60) })
        for key in keys.sorted() { _ = try change.create(in: table, primaryKey: change.text(key)) }
        try change.commit()
        let whole = try [UInt8](Data(contentsOf: URL(filePath: scratch.path)))
        for start in stride(from: 0, to: whole.count, by: 4096) {
            var bytes = whole
            bytes.zero(start..<min(start + 4096, bytes.count))
            let (file, made) = (ScratchDatabase(), ScratchDatabase())
            try Data(bytes).write(to: URL(filePath: file.path))
            guard (try? salvage(file, into: made)) != nil else { continue }
            let database = try Database(immutable: made.path)
            for info in database.schema.classes {
                let rows = database.snapshot().table(info)
                for key in try rows.keys() {
                    guard case .string(let text)? = try rows.row(key)?.primaryKey() else {
                        continue
                    }
                    #expect(keys.contains(text.string), "block at \(start)")
                }
            }
        }
    }

    /// Formats 21 and 22 store dictionaries in another way.
    @Test(arguments: [20, 21, 22, 23]) func oldDictionariesNeedNoHeader(_ format: Int) throws {
        let (scratch, old, made) = (ScratchDatabase(), ScratchDatabase(), ScratchDatabase())
        let session = try WriteSession(path: scratch.path, options: .scratch())
        let change = try session.begin()
        let table = try change.createClass("Bag")
        try change.addProperty(table, PropertySpec("number", .int))
        var words = PropertySpec("words", .string)
        words.collection = .dictionary
        if format > 20 { try change.addProperty(table, words) }
        for size in [0, 1, 3, 700] {
            let bag = try change.create(in: table)
            let entries = (0..<size).map { (change.text("key \($0)"), change.text("word \($0)")) }
            if format > 20 { try change.setEntries(table, bag, 1, entries) }
        }
        try change.commit()
        var options = Compactor.Options()
        options.format = DowngradeFormat(format)
        _ = try old.compact(Database(immutable: scratch.path), options)
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: old.path)))
        bytes.zero(0..<RawHeader.size)
        try Data(bytes).write(to: URL(filePath: old.path))
        let summary = try salvage(old, into: made)
        #expect(summary.lostValues == 0 && summary.lostObjects == 0 && summary.salvaged == 4)
        #expect(
            try digest(of: "Bag", in: made.path) == digest(of: "Bag", in: scratch.path))
    }

    private func digest(of name: String, in path: String) throws -> UInt64 {
        let database = try Database(immutable: path)
        let info = try #require(database.schema.table(named: name))
        return try ContentDigest(database.snapshot()).digest(info)
    }

    /// The file has the header of an earlier state.
    @Test func anOldHeaderIsReported() throws {
        let source = try Source(rounds: 3)
        let before = try Source(rounds: 2)
        var bytes = source.bytes
        bytes.replaceSubrange(0..<RawHeader.size, with: before.bytes[..<RawHeader.size])
        // A second fault.
        let root = try Int(Database(immutable: before.scratch.path).header.top.raw)
        bytes[root + 8 + 11] ^= 0x10
        guard let found = try? salvage(bytes, source) else { return }
        #expect(!found.summary.isNewest && !found.summary.isComplete)
    }

    /// Objects that exceed memory are reported as lost; the map of the file is moved to a temporary
    /// file.
    @Test func objectsBeyondTheMemoryLimitAreReportedAsLost() throws {
        let source = try Source(rounds: 3)
        var bytes = source.bytes
        bytes.zero(0..<RawHeader.size)
        let (file, made) = (ScratchDatabase(), ScratchDatabase())
        try Data(bytes).write(to: URL(filePath: file.path))
        // Memory for twelve nodes.
        let summary = try salvage(file, into: made, maxMemory: 12 * 256)
        #expect(summary.salvaged > 0 && summary.salvaged < 6 * Source.rows)
        #expect(summary.salvaged + summary.lostObjects == 6 * Source.rows)
        try expectSound(made.path)
    }

    @Test func extentMapsInFilesEqualMapsInMemory() {
        var random = SeededRandom(seed: Self.seed)
        let maps = [
            ExtentMap(), ExtentMap(of: 1 << 26, in: FileManager.default.temporaryDirectory.path),
            // A missing folder: the map stays in memory.
            ExtentMap(of: 1 << 26, in: "/nowhere"),
        ]
        for _ in 0..<500 {
            let start = UInt64.random(in: 0..<1 << 23, using: &random) << 3
            let end = start + UInt64.random(in: 1..<5000, using: &random) << 3
            #expect(Set(maps.map { $0.mark(start, end) }).count == 1)
            let from = UInt64.random(in: 0..<1 << 23, using: &random) << 3
            for marked in [true, false] {
                let found = maps.map { $0.first(marked: marked, from: from, before: 1 << 27) }
                #expect(Set(found).count == 1)
            }
        }
    }

    /// Bytes without any database.
    @Test func nothingIsSalvagedFromNoise() throws {
        var random = SeededRandom(seed: Self.seed)
        for size in [24, 4096, 100_000] {
            var bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Scatters node headers over the bytes.
            for i in stride(from: 0, to: size - 8, by: 64) where size > 4096 {
                bytes.replaceSubrange(i..<i + 4, with: Array("AAAA".utf8))
            }
            let file = ScratchDatabase()
            let made = ScratchDatabase()
            try Data(bytes).write(to: URL(filePath: file.path))
            let error = #expect(throws: RealmError.self) {
                try salvage(file, into: made)
            }
            #expect(error?.kind == .corrupt, "\(size) \(String(describing: error))")
        }
    }
}

extension WriteTransaction {
    fileprivate func text(_ text: String) -> Value {
        var text = text
        return text.withUTF8 { copyToArena(.string(ByteView($0.baseAddress!, count: $0.count))) }
    }
}

extension [UInt8] {
    /// Zeroes a range of bytes.
    fileprivate mutating func zero(_ range: Range<Int>) {
        for i in range { self[i] = 0 }
    }
}
