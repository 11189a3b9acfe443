import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Files whose upgrade from format 9 to 10 was interrupted, at eight points. `LegacyDumpTests`
/// compares all values with dumps: the objects before the upgrade, with the keys that they got.
@Suite struct InterruptedUpgradeTests {
    static let files = (1...7).map { "interrupted-upgrade-\($0)" } + ["interrupted-upgrade-keys"]

    private static func path(_ name: String) -> String {
        Fixtures.own.appending(path: "legacy/\(name).realm").path
    }

    /// All files are of one database. A fixture from before the upgrade differs in one class.
    @Test func contentDoesNotDependOnTheProgress() throws {
        func digests(_ name: String) throws -> [String: UInt64] {
            let snapshot = try Database(immutable: Self.path(name)).snapshot()
            let classes = try snapshot.schema.classes.map {
                ($0.className, try ContentDigest(snapshot).digest($0))
            }
            return Dictionary(uniqueKeysWithValues: classes)
        }
        let first = try digests(Self.files[0])
        #expect(first.keys.sorted() == ["dog", "link origin", "object"])
        for name in Self.files { #expect(try digests(name) == first, "\(name)") }
        let whole = try digests("historic-f9-pk-table")
        for name in ["dog", "link origin"] { #expect(whole[name] == first[name], "\(name)") }
    }

    /// Engines of 2020 made keys of objects from primary keys. Links that are still rows get them.
    @Test(arguments: ["interrupted-upgrade-6", "interrupted-upgrade-7", "interrupted-upgrade-keys"])
    func linksReferToTheKeysThatObjectsGot(_ name: String) throws {
        let snapshot = try Database(immutable: Self.path(name)).snapshot()
        let object = try #require(snapshot.schema.table(named: "object"))
        let keys = [717_911_018_529_132_092, 1_833_282_739_337_699_708, 2_515_477_941_069_477_034]
        #expect(try snapshot.table(object).keys().map(\.raw) == keys.map(Int64.init))
        let origin = try #require(snapshot.schema.table(named: "link origin"))
        let row = try #require(try snapshot.table(origin).row(ObjectKey(2)))
        guard case .list(let view) = try row.value(2) else {
            Issue.record("no list")
            return
        }
        var links: [Int64] = []
        var elements = snapshot.elements(of: view)
        while case .link(let link)? = try elements.next() { links.append(link.key.raw) }
        #expect(links == [1_833_282_739_337_699_708, 717_911_018_529_132_092])
        #expect(object.nextSequenceNumber == 2_515_477_941_069_477_035)
    }

    @Test(arguments: files) func theCheckReportsOneWarning(_ name: String) throws {
        for level in [IntegrityCheck.Level.quick, .full] {
            let report = try IntegrityCheck.run(path: Self.path(name), level: level)
            #expect(report.findings.map(\.code) == [.unfinishedUpgrade])
            #expect(report.errorCount == 0)
        }
    }

    /// Salvage rebuilds everything, and reports no loss.
    @Test(arguments: files) func everythingIsSalvaged(_ name: String) throws {
        let made = ScratchDatabase()
        let summary = try Salvage.run(
            path: Self.path(name), into: made.path, spillingInto: NSTemporaryDirectory()
        ) { _ in }
        #expect(summary.isNewest && summary.isComplete)
        let (old, new) = try (Database(immutable: Self.path(name)), Database(immutable: made.path))
        for info in old.schema.classes {
            let copy = try #require(new.schema.table(named: info.className))
            #expect(
                try ContentDigest(old.snapshot()).digest(info)
                    == ContentDigest(new.snapshot()).digest(copy))
        }
        #expect(try IntegrityCheck.run(path: made.path).isClean)
    }

    /// Damaged copies end with values or an error, in the reader, the check and salvage.
    @Test func damagedCopiesAreReadSafely() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("damaged upgrades: seed \(seed)")
        var random = SeededRandom(seed: seed)
        for name in Self.files {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: Self.path(name))))
            for turn in 0..<60 {
                var changed = bytes
                for _ in 0...Int.random(in: 0..<4, using: &random) {
                    changed[Int.random(in: 24..<0x1300, using: &random)] =
                        UInt8.random(in: 0...255, using: &random)
                }
                let outcome = HostileCase.read(changed)
                #expect(outcome.complaint == nil, "\(name), seed \(seed)")
                guard turn < 6 else { continue }
                let (damaged, made) = (ScratchDatabase(), ScratchDatabase())
                try Data(changed).write(to: URL(filePath: damaged.path))
                _ = try IntegrityCheck.run(path: damaged.path)
                let error = Thrown.error {
                    _ = try Salvage.run(
                        path: damaged.path, into: made.path, spillingInto: NSTemporaryDirectory()
                    ) { _ in }
                }
                #expect(error?.isDamage != false, "\(name), seed \(seed): \(error?.message ?? "")")
            }
        }
    }
}
