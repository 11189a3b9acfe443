import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// No file may crash the reader, make it hang, or make it read outside the mapping: thousands of
/// damaged copies of valid files are opened and read completely. They are in memory that faults
/// directly after their last byte.
///
/// `REALM_TEST_SEED` reproduces a run; `REALM_TEST_SCALE` multiplies its length. A crash ends the
/// whole run without a message: repeat it with the printed seed and `REALM_TEST_TRACE=1`, which
/// names each file before it is read, then read that file alone with `REALM_TEST_CASE`.
///
/// Files that another process truncates while they are mapped are not covered: reading them raises
/// SIGBUS, which a tool's signal handler turns into a message and an exit code. Users of the
/// library keep such files apart or copy them first.
@Suite struct HostileFileTests {
    static let shardCount = 16
    static let environment = ProcessInfo.processInfo.environment
    static let count = 20_000 * max(1, Int(environment["REALM_TEST_SCALE"] ?? "") ?? 1)

    static let seed: UInt64 = {
        let seed =
            environment["REALM_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
        print("hostile files: \(count) in \(shardCount) shards, REALM_TEST_SEED=\(seed)")
        return seed
    }()

    /// Valid files, small ones first and most often: damage is dense in them and a visit is short.
    static let sources: [HostileSeed] = {
        let files =
            Fixtures.files("query", ".realm") + Fixtures.files("objects", "compacted.realm")
            + Fixtures.files("public", ".realm")
            + Fixtures.files("legacy", ".realm").filter { ReferenceDumpTests.hasDump($0) }
        var sources: [HostileSeed] = []
        var names: Set<String> = []
        for file in files where names.insert(file.lastPathComponent).inserted {
            guard let data = try? Data(contentsOf: file), data.count <= 1 << 20,
                let source = try? HostileSeed(name: file.lastPathComponent, bytes: [UInt8](data)),
                HostileCase.read(source.bytes).error == nil
            else { continue }
            sources.append(source)
            if let tight = try? source.tightened() { sources.append(tight) }
        }
        return sources.sorted { $0.bytes.count < $1.bytes.count }
    }()

    /// Returns case `index` of the run, which is determined by the seed and the sources.
    static func mutated(_ index: Int) -> (name: String, file: MutatedFile) {
        var random = SeededRandom(seed: seed &+ UInt64(index) &* 0x2545_F491_4F6C_DD1D)
        // One case in 500 uses a source of any size, the others a small one.
        let small = sources.prefix { $0.bytes.count <= 32 << 10 }
        let source = index % 500 == 0 ? sources[...] : small
        let chosen = source.randomElement(using: &random)!
        return (chosen.name, MutatedFile(chosen, random: random))
    }

    @Test(arguments: 0..<shardCount)
    func damagedFilesAreReadSafely(_ shard: Int) throws {
        try #require(!Self.sources.isEmpty)
        if let only = Self.environment["REALM_TEST_CASE"].flatMap({ Int($0) }) {
            if shard == 0 { Self.check(only) }
            return
        }
        print("hostile files: shard \(shard) of seed \(Self.seed) begins")
        let traces = Self.environment["REALM_TEST_TRACE"] != nil
        var sound = 0
        for index in stride(from: shard, to: Self.count, by: Self.shardCount) {
            if traces { print("hostile files: case \(index)") }
            if Self.check(index) { sound += 1 }
        }
        let cases = Self.count / Self.shardCount
        // If damage were never noticed, or always fatal, the test would prove little.
        #expect(sound > cases / 20 && sound < cases * 19 / 20)
    }

    /// Reads a damaged file; returns true if no damage was found.
    @discardableResult
    static func check(_ index: Int) -> Bool {
        let (name, file) = mutated(index)
        let outcome = HostileCase.read(file.bytes)
        if let complaint = outcome.complaint {
            Issue.record(
                """
                seed \(seed), case \(index), \(name): \(complaint)
                \(file.story.joined(separator: ", "))
                """)
        }
        return outcome.error == nil
    }

    /// Reads every prefix of a small file: truncated copies are the most common damage.
    @Test func everyTruncatedFileIsAnError() throws {
        let source = try #require(Self.sources.first { $0.bytes.count > 1000 })
        for length in 0..<source.bytes.count {
            let outcome = HostileCase.read(Array(source.bytes[..<length]))
            #expect(outcome.complaint == nil && outcome.error != nil, "\(source.name) \(length)")
        }
    }
}
