import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Results of inspections, and whether their predictions are correct.
@Suite struct InspectorTests {
    private let folder: ScratchFolder
    private let session: WriteSession
    private let table: TableKey
    private var path: String { folder.file("inspected.realm") }

    init() throws {
        folder = try ScratchFolder()
        session = try WriteSession(path: folder.file("inspected.realm"), options: .scratch())
        let transaction = try session.begin()
        table = try transaction.createClass("Item")
        try transaction.addProperty(table, PropertySpec("data", .binary))
        try transaction.addProperty(table, PropertySpec("number", .int))
        for _ in 0..<200 { _ = try transaction.create(in: table) }
        try transaction.commit()
    }

    private func change(_ numbers: some Sequence<Int>, bytes count: Int = 300) throws {
        let transaction = try session.begin()
        let arena = ByteArena()
        let bytes = arena.allocate(count)
        bytes.initializeMemory(as: UInt8.self, repeating: UInt8.random(in: 1...255), count: count)
        for number in numbers {
            try transaction.set(
                table, ObjectKey(Int64(number)), 0, .binary(ByteView(bytes, count: count)))
        }
        try transaction.commit()
    }

    private func touch() throws {
        let transaction = try session.begin()
        try transaction.set(table, ObjectKey(0), 1, .int(Int64.random(in: 0...9)))
        try transaction.commit()
    }

    private func inspect() throws -> Inspection { try Inspector(path: path).inspect() }

    @Test("THR-94: the sizes of live, free and pinned space add up to the file")
    func partsSumUpToTheFile() throws {
        for _ in 0..<5 { try change(0..<50) }
        let found = try inspect()
        let space = try #require(found.space)
        #expect(space.live + space.free + space.pinned == UInt64(found.bytes))
        #expect(found.version == session.database.version)
        #expect(found.content?.objects == 200 && found.content?.classes == 1)
        #expect(found.previousVersion == found.version.map { $0 - 1 })
        let check = try IntegrityCheck.run(path: path)
        #expect(space.live == check.facts.liveBytes + UInt64(RawHeader.size))
        let map = try #require(try Inspector(path: path).map(cells: 1000))
        #expect(map.totals.reduce(0, +) == map.bytes)
        #expect(map.totals[try #require(map.owners.firstIndex(of: .unaccounted))] == 0)
        #expect(map.cells.count <= 1000)
    }

    @Test("THR-99: releasing versions frees their space")
    func releasingAVersionFreesThePredictedSpace() throws {
        var random = SeededRandom.fresh("releases")
        var held: [UInt64: Snapshot] = [:]
        for _ in 0..<6 {
            held[session.database.version] = session.database.snapshot()
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let start = Int.random(in: 0..<150, using: &random)
                try change(start..<(start + 50), bytes: Int.random(in: 100...900, using: &random))
            }
        }
        try touch()
        try touch()
        while !held.isEmpty {
            let before = try inspect()
            #expect(Set(before.versions.filter { $0.behind > 0 }.map(\.version)) == Set(held.keys))
            let version = held.keys.sorted().randomElement(using: &random)!
            let announced = try #require(before.versions.first { $0.version == version }?.releases)
            held[version] = nil
            try touch()
            try touch()
            let after = try inspect()
            let freed = Int(after.space!.free) - Int(before.space!.free)
            let grown = after.bytes - before.bytes
            // Two small commits and their history entries change the sizes a little.
            let slack = max(4096, Int(announced) / 50)
            #expect(
                abs(freed - grown - Int(announced)) < slack,
                "version \(version): \(announced) announced, \(freed - grown) freed")
        }
        let end = try inspect()
        #expect(end.space?.pinned == 0)
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    /// A small release is predicted exactly although the last commit left a large history entry:
    /// within 1 %, or the difference between two commits.
    @Test func smallReleasesAreExact() throws {
        for rows in [10, 30, 60] {
            try touch()
            try touch()
            var held: Snapshot? = session.database.snapshot()
            try change(0..<rows, bytes: 700)
            for _ in 0..<rows { try touch() }
            try change(0..<rows, bytes: 700)
            let before = try inspect()
            #expect(before.versions.last?.version == held?.version)
            let announced = Int(try #require(before.versions.last?.releases))
            held = nil
            try touch()
            try touch()
            let after = try inspect()
            let freed =
                Int(after.space!.free) - Int(before.space!.free) - (after.bytes - before.bytes)
            #expect(
                abs(freed - announced) <= max(announced / 100, 192),
                "\(rows) rows: \(announced) announced, \(freed) freed")
        }
    }

    /// Space that later versions allocated and released is reused although an old version is
    /// pinned.
    @Test("THR-95: writers do not change a pinned version")
    func aPinnedVersionKeepsOnlyTheSpaceItUses() throws {
        for _ in 0..<3 { try change(0..<200) }
        let held = session.database.snapshot()
        let info = held.schema.classes[0]
        let digest = try ContentDigest(held).digest(info)
        for _ in 0..<4 { try change(0..<200) }
        let early = try inspect().bytes
        for _ in 0..<60 { try change(0..<200) }
        let late = try inspect()
        #expect(late.bytes <= early * 2)
        #expect(UInt64(late.bytes) < 6 * late.space!.live)
        #expect(try ContentDigest(held).digest(info) == digest)
        try ModelRun.audit(IntegrityCheck(held).run(), "in the pinned version")
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    @Test func changesAreListed() throws {
        let held = session.database.snapshot()
        try change(3..<10)
        try touch()
        let changes = try #require(try Inspector(path: path).changes(last: 2))
        #expect(changes.map(\.version) == [session.database.version - 1, session.database.version])
        #expect(changes.map { $0.tables.map(\.updated) } == [[7], [1]])
        #expect(changes[0].tables.first?.name == "class_Item")
        #expect(held.version < changes[0].version)
    }

    @Test("THR-94: the header has two roots, one of them selected")
    func bothHeaderSlotsAreVerified() throws {
        try touch()
        let slots = try Inspector(path: path).slots()
        #expect(slots.count(where: \.isSelected) == 1)
        #expect(slots.allSatisfy { $0.problem == nil })
        let version = session.database.version
        #expect(Set(slots.compactMap(\.version)) == [version, version - 1])
    }

    /// Inspecting a truncated file gives facts and a reason, or an error.
    @Test func truncatedFilesGiveFactsOrAnError() throws {
        for _ in 0..<3 { try change(0..<50) }
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for size in stride(from: 0, to: whole.count, by: 1000) {
            let copy = folder.file("cut.realm")
            try whole.prefix(size).write(to: URL(fileURLWithPath: copy))
            do throws(RealmError) {
                let found = try Inspector(path: copy).inspect()
                #expect(found.bytes == size)
                #expect(found.damage != nil || size >= 24)
            } catch {
                #expect(error.kind == .input, "\(size): \(error.message)")
            }
        }
    }
}
