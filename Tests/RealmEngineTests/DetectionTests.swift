import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A structural fault in a valid file is either reported or does not affect reading.
///
/// The format has no checksums, so faults are limited to bytes with a structural meaning: header
/// words, node headers, references and tagged numbers. Stored values are not changed.
@Suite struct DetectionTests {
    static let shardCount = 4
    static let scale =
        ProcessInfo.processInfo.environment["REALM_TEST_SCALE"].flatMap(Int.init) ?? 1
    static let count = 400 * scale
    static let seed =
        ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init) ?? 71

    struct Source: Sendable {
        let seed: HostileSeed
        let digests: [String: UInt64]
    }

    static let sources: [Source] = Fixtures.files("query", ".realm").prefix(9).compactMap { url in
        guard let data = try? Data(contentsOf: url),
            let seed = try? HostileSeed(name: url.lastPathComponent, bytes: [UInt8](data)),
            let digests = try? digests(seed.bytes)
        else { return nil }
        return Source(seed: seed, digests: digests)
    }

    static func digests(_ bytes: [UInt8]) throws -> [String: UInt64] {
        let database = try bytes.withUnsafeBytes {
            try Database(MappedFile(copying: $0, path: "memory"))
        }
        let snapshot = database.snapshot()
        var digests: [String: UInt64] = [:]
        for table in snapshot.schema.tables {
            digests[table.name] = try ContentDigest(snapshot).digest(table)
        }
        return digests
    }

    @Test(arguments: 0..<shardCount) func faultsAreReportedOrHarmless(_ shard: Int) throws {
        try #require(!Self.sources.isEmpty)
        var unverifiable = 0
        for index in stride(from: shard, to: Self.count, by: Self.shardCount) {
            let source = Self.sources[index % Self.sources.count]
            var random = SeededRandom(seed: Self.seed &+ UInt64(index))
            var fault = StructuralFault(source.seed, &random)
            fault.apply()
            if fault.isVoid { continue }
            let report = try? fault.bytes.withUnsafeBytes {
                try IntegrityCheck.run(MappedFile(copying: $0, path: "memory"))
            }
            // The file is no longer recognised as a Realm file.
            guard let report else { continue }
            if report.errorCount > 0 { continue }
            let now = try? Self.digests(fault.bytes)
            if now == source.digests { continue }
            if fault.isOfValues {
                try expectSound(fault, source, now)
                unverifiable += 1
                continue
            }
            Issue.record(
                """
                seed \(Self.seed), case \(index), \(source.seed.name): \(fault.story)
                \(describe(report.findings, report))
                """)
        }
        print("single faults: seed \(Self.seed), shard \(shard): \(unverifiable) made sound files")
    }
}

extension DetectionTests {
    /// Checks that an undetectable fault leaves a valid file with different values in one class:
    /// everything can be read, and compaction, which reads every node, preserves it.
    private func expectSound(
        _ fault: StructuralFault, _ source: Source, _ now: [String: UInt64]?
    ) throws {
        let now = try #require(now, "\(source.seed.name): \(fault.story)")
        let changed = now.filter { source.digests[$0.key] != $0.value }
        #expect(changed.count == 1 && now.count == source.digests.count, "\(fault.story)")
        let database = try fault.bytes.withUnsafeBytes {
            try Database(MappedFile(copying: $0, path: "memory"))
        }
        let scratch = ScratchDatabase()
        #expect(try scratch.compact(database).isVerified)
        let copy = try Database(immutable: scratch.path)
        #expect(try ScratchDatabase.digests(copy) == ScratchDatabase.digests(database))
    }
}

/// A copy of a file with one structural fault.
struct StructuralFault {
    private(set) var bytes: [UInt8]
    private(set) var story = ""
    private let original: [UInt8]
    private let map: NodeMap
    private var random: SeededRandom

    init(_ seed: HostileSeed, _ random: inout SeededRandom) {
        bytes = seed.bytes
        original = seed.bytes
        map = seed.map
        self.random = random
    }

    /// Whether the fault leaves a leaf that a writer could have made with other values: nothing
    /// else in the file records the element count or the width of a small collection.
    private(set) var isOfValues = false

    /// Whether the fault changed no byte.
    var isVoid: Bool { bytes == original }

    private mutating func below(_ limit: Int) -> Int {
        limit > 1 ? Int.random(in: 0..<limit, using: &random) : 0
    }

    mutating func apply() {
        switch below(10) {
        case 0: editHeader()
        case 1, 2: editNodeHeader()
        case 3, 4, 5, 6: edit(map.refs, isTagged: false)
        case 7, 8: edit(map.tagged, isTagged: true)
        default: truncate()
        }
    }

    private mutating func editHeader() {
        let at = [0, 1, 2, 3, 8, 9, 10, 16, 17, 18, 19, 20, 21, 23][below(14)]
        bytes[at] ^= 1 << UInt8(below(8))
        story = "header byte \(at) = \(bytes[at])"
    }

    /// Flips a bit of a node's flags or count.
    private mutating func editNodeHeader() {
        let place = map.places[below(map.places.count)]
        let at = place.offset + 4 + below(4)
        let bit = below(8)
        bytes[at] ^= 1 << UInt8(bit)
        let count = bytes[place.offset + 5..<place.offset + 8].reduce(0) { $0 << 8 | Int($1) }
        let flags = bytes[place.offset + 4]
        func size(_ flags: UInt8, _ count: Int) -> Int {
            (NodeView.payloadSize(flags: flags, count: count) + 7) & ~7
        }
        isOfValues =
            (place.flags | flags) & NodeView.hasRefsFlag == 0
            && size(flags, count) == size(place.flags, place.count)
        story = "node at \(place.offset), flags \(place.flags): byte \(at) = \(bytes[at])"
    }

    private mutating func edit(_ slots: [NodeMap.Slot], isTagged: Bool) {
        guard !slots.isEmpty else { return }
        let slot = slots[below(slots.count)]
        let place = map.places[slot.place]
        let width = (1 << Int(place.flags & 7)) >> 1
        guard width >= 8 else { return }
        let at = place.offset + 8 + slot.index * width / 8
        var value = slot.value
        switch below(3) {
        case 0: value ^= 1 << UInt64(below(width))
        case 1: value = isTagged ? value &+ 2 : value &+ 8
        default: value = isTagged ? value &- 2 : UInt64(map.places[below(map.places.count)].offset)
        }
        for i in 0..<width / 8 { bytes[at + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
        story = "slot \(slot.index) of node at \(place.offset) = \(value) after \(slot.value)"
    }

    private mutating func truncate() {
        let pages = bytes.count / 4096
        bytes.removeLast(bytes.count - below(pages) * 4096)
        story = "cut to \(bytes.count)"
    }
}
