import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Integrity check, conversion and salvage of files of formats 2 to 9.
@Suite struct LegacyCheckTests {
    @Test(arguments: LegacyDumpTests.cases) func soundFilesHaveNoErrors(_ file: URL) throws {
        let report = try IntegrityCheck.run(path: file.path)
        let name = file.lastPathComponent
        #expect(report.errorCount == 0, "\(name): \(report.findings.map(\.what))")
        // Expected warnings: backlinks that the original engine stored wrongly, the first version
        // of a file that was not shared, and an unfinished upgrade.
        let warnings: Set<IntegrityReport.Code> =
            name.contains("wrong-backlinks")
            ? [.backlinkStale]
            : name.contains("top5")
                ? [.staleSlot] : name.contains("interrupted") ? [.unfinishedUpgrade] : []
        #expect(Set(report.counts.keys) == warnings, "\(name)")
        let database = try Database(immutable: file.path)
        let objects = report.facts.tables.filter { $0.name != "pk" }.reduce(0) { $0 + $1.objects }
        let counted = try database.schema.tables.reduce(0) {
            $0 + (try database.snapshot().table($1).count())
        }
        #expect(objects == counted)
    }

    @Test(arguments: LegacyHostileTests.cases) func damageIsFound(_ file: URL) throws {
        let report = try IntegrityCheck.run(path: file.path)
        #expect(report.errorCount > 0, "\(file.lastPathComponent)")
    }

    /// The list of distinct strings is checked even if no row refers to it.
    @Test func damageOfDistinctStringsIsFound() throws {
        let file = Fixtures.own.appending(path: "legacy/f9-enum-medium-required.realm")
        var bytes = [UInt8](try Data(contentsOf: file))
        let snapshot = try Database(immutable: file.path).snapshot()
        let legacy = try #require(snapshot.state.legacy)
        let keys = try #require(
            legacy.content.tables.flatMap(\.spec.columns).first { $0.type == .enumerated }?.keys)
        // A form that leaves of strings cannot have.
        bytes[Int(keys.raw) + 4] = 0x0F
        let damaged = ScratchDatabase()
        try Data(bytes).write(to: URL(filePath: damaged.path))
        #expect(try IntegrityCheck.run(path: damaged.path).errorCount > 0)
    }

    /// A table without a name, or with a name that is too long as text, gets another name.
    @Test(arguments: [true, false]) func lostNamesAreReplaced(_ isEmpty: Bool) throws {
        let file = Fixtures.own.appending(path: "legacy/f9-core.realm")
        var bytes = [UInt8](try Data(contentsOf: file))
        let database = try Database(immutable: file.path)
        let snapshot = database.snapshot()
        let names = try #require(snapshot.state.top).names
        let width = try snapshot.lookup.node(names).width
        try #require(width > 1)
        let cell = Int(names.raw) + NodeView.headerSize
        for i in cell..<cell + width - 1 { bytes[i] = isEmpty ? 0 : 0xFF }
        bytes[cell + width - 1] = isEmpty ? UInt8(width - 1) : 0
        let damaged = ScratchDatabase()
        let made = ScratchDatabase()
        try Data(bytes).write(to: URL(filePath: damaged.path))
        let summary = try Salvage.run(
            path: damaged.path, into: made.path, spillingInto: NSTemporaryDirectory()
        ) { _ in }
        #expect(!summary.isComplete)
        let schema = try Database(immutable: made.path).schema
        #expect(schema.tables.allSatisfy { !$0.name.isEmpty })
        #expect(schema.tables.count >= database.schema.tables.count)
        try expectSound(made.path)
    }

    /// A damaged name that the current format cannot store is reported as damage, not as misuse.
    @Test func aNameThatIsTooLongIsNotConverted() throws {
        let (source, made) = (ScratchDatabase(), ScratchDatabase())
        let name = String(repeating: "n", count: 57)
        let session = try WriteSession(path: source.path, options: .scratch())
        let change = try session.begin()
        _ = try change.createClass(name)
        try change.commit()
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: source.path)))
        let text = Array(name.utf8)
        for i in bytes.indices where bytes[i...].starts(with: text) {
            for j in i..<i + text.count { bytes[j] = 0xFF }
        }
        let damaged = ScratchDatabase()
        try Data(bytes).write(to: URL(filePath: damaged.path))
        let error = #expect(throws: RealmError.self) {
            try Salvage.convert(
                Database(immutable: damaged.path).snapshot(), to: .local, at: made.path,
                spillingInto: NSTemporaryDirectory()
            ) { _ in }
        }
        #expect(error?.kind == .corrupt, "\(String(describing: error))")
    }

    /// Without a header, the newest root is found, whatever signature its nodes have.
    @Test(arguments: LegacyDumpTests.cases) func everythingIsSalvagedWithoutAHeader(_ file: URL)
        throws
    {
        let source = try Database(immutable: file.path)
        guard source.schema.tables.contains(where: { !$0.columns.isEmpty }) else { return }
        var bytes = [UInt8](try Data(contentsOf: file))
        for i in 0..<RawHeader.size { bytes[i] = 0 }
        let (damaged, rescued) = (ScratchDatabase(), ScratchDatabase())
        try Data(bytes).write(to: URL(filePath: damaged.path))
        let summary = try Salvage.run(
            path: damaged.path, into: rescued.path, spillingInto: NSTemporaryDirectory()
        ) { _ in }
        #expect(!summary.isNewest && !summary.isComplete)
        let made = try Database(immutable: rescued.path)
        for info in source.schema.classes {
            let copy = try #require(made.schema.table(named: info.className))
            #expect(
                try source.snapshot().table(info).count() == made.snapshot().table(copy).count())
        }
        try expectNoErrors(rescued.path)
    }

    private func expectNoErrors(_ path: String) throws {
        #expect(try IntegrityCheck.run(path: path).errorCount == 0)
    }

    /// A converted file has the same content in the current format.
    @Test(arguments: LegacyDumpTests.cases) func convertedFilesHaveTheSameContent(_ file: URL)
        throws
    {
        let source = try Database(immutable: file.path)
        let scratch = ScratchDatabase()
        var omitted: Set<String> = []
        let isSynced = source.top.map { $0.historyType > 2 } ?? false
        _ = try Salvage.convert(
            source.snapshot(), to: isSynced ? .local : .format, at: scratch.path,
            spillingInto: NSTemporaryDirectory()
        ) { (loss) throws(RealmError) in
            if case .property(let name, _, _) = loss { omitted.insert(name) }
        }
        let made = try Database(immutable: scratch.path)
        #expect(made.header.format == 24)
        #expect(try IntegrityCheck.run(path: scratch.path).isClean)
        for info in source.schema.tables where !omitted.contains(info.className) {
            // Users and permissions belong to sync and are not converted.
            if isSynced, !info.isClass || info.className.hasPrefix("__") { continue }
            let copy = try #require(made.schema.table(named: info.className))
            #expect(
                try ContentDigest(source.snapshot()).digest(info)
                    == ContentDigest(made.snapshot()).digest(copy), "\(info.name)")
            #expect(
                try source.snapshot().table(info).keys() == made.snapshot().table(copy).keys())
            #expect(
                copy.primaryKey.map { copy.columns[$0].name }
                    == info.primaryKey.map { info.columns[$0].name })
            for column in info.columns where column.isIndexed {
                let i = try #require(copy.columnIndex(named: column.name))
                #expect(copy.columns[i].index == .general)
            }
        }
        #expect(made.schema.version == source.schema.version)
    }

    /// Readable tables are salvaged from a file in which another table is damaged.
    @Test func readableTablesAreSalvaged() throws {
        let file = Fixtures.own.appending(path: "legacy/f7-sdk.realm")
        let source = try Database(immutable: file.path)
        let lost = try #require(source.schema.table(named: "Person"))
        var bytes = [UInt8](try Data(contentsOf: file))
        // The table's root becomes a leaf of numbers.
        bytes[Int(lost.top.raw) + 4] = 0x04
        let (damaged, rescued) = (ScratchDatabase(), ScratchDatabase())
        try Data(bytes).write(to: URL(filePath: damaged.path))
        var losses: [SalvageLoss] = []
        let summary = try Salvage.run(
            path: damaged.path, into: rescued.path, spillingInto: NSTemporaryDirectory()
        ) { (loss) throws(RealmError) in losses.append(loss) }
        #expect(!summary.isComplete && !losses.isEmpty)
        let made = try Database(immutable: rescued.path)
        let info = try #require(source.schema.table(named: "AllTypes"))
        let copy = try #require(made.schema.table(named: "AllTypes"))
        #expect(
            try source.snapshot().table(info).count() == made.snapshot().table(copy).count())
        #expect(made.schema.table(named: "Person") == nil)
    }
}
