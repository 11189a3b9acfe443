import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Queries on damaged files return rows or an error, for all evaluation strategies: no crash, no
/// endless loop, and no read outside of the mapping, after which memory is inaccessible.
@Suite struct QueryHostileTests {
    static let shardCount = 8
    static let count = 2400 * QueryCases.scale
    static let seed: UInt64 = {
        let given = ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 1 ... .max)
        print("hostile query seed \(seed)")
        return seed
    }()

    /// Files of the conformance data with their cases; small files also without free space.
    static let sources: [(seed: HostileSeed, cases: [CaseJSON])] = QueryCases.datasets.flatMap {
        let name = $0["name"]!.string!
        let cases = $0["cases"]!.array
        let url = QueryCases.folder.appending(path: name + ".realm")
        guard let data = try? Data(contentsOf: url),
            let whole = try? HostileSeed(name: name, bytes: [UInt8](data))
        else { return [(HostileSeed, [CaseJSON])]() }
        let tight = try? whole.tightened()
        return ([whole] + (tight.map { [$0] } ?? [])).map { ($0, cases) }
    }

    @Test(arguments: 0..<shardCount)
    func damagedFilesAreQueriedSafely(_ shard: Int) throws {
        try #require(!Self.sources.isEmpty)
        var answers = 0
        for index in stride(from: shard, to: Self.count, by: Self.shardCount) {
            var random = SeededRandom(seed: Self.seed &+ UInt64(index) &* 0x2545_F491_4F6C_DD1D)
            let source = Self.sources.randomElement(using: &random)!
            let file = MutatedFile(source.seed, random: random)
            answers += try Self.query(file.bytes, source.cases, &random)
        }
        #expect(answers > 0)
    }

    /// Runs a few queries on the bytes of one file; returns the number of successful ones.
    private static func query(
        _ bytes: [UInt8], _ cases: [CaseJSON], _ random: inout SeededRandom
    ) throws -> Int {
        var answers = 0
        do throws(RealmError) {
            let file = try mapped(bytes)
            let snapshot = try Database(file).snapshot()
            for _ in 0..<8 {
                let example = cases.randomElement(using: &random)!
                let bits = UInt8.random(in: 0..<8, using: &random)
                do throws(RealmError) {
                    answers += try run(example, bits, snapshot)
                } catch {
                    #expect(error.kind == .corrupt || error.kind == .misuse, "\(error.message)")
                }
            }
        } catch {
            #expect(error.kind != .internal, "\(error.message)")
        }
        return answers
    }

    static func mapped(_ bytes: [UInt8]) throws(RealmError) -> MappedFile {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, bytes.count), alignment: 8)
        defer { memory.deallocate() }
        memory.copyBytes(from: bytes)
        return try MappedFile(
            copying: UnsafeRawBufferPointer(rebasing: memory[..<bytes.count]), path: "hostile")
    }

    private static func run(
        _ example: CaseJSON, _ bits: UInt8, _ snapshot: Snapshot
    ) throws(RealmError) -> Int {
        guard let info = snapshot.schema.table(named: example["class"]!.string!) else { return 0 }
        let arguments = example["args"]?.array.map(\.argument) ?? []
        let query = try Query(example["query"]!.string!, arguments: arguments)
        let bound = try query.bound(to: snapshot.table(info))
        let plan = try QueryPlan(bound, in: snapshot, options: QueryOptions(way: bits))
        let found = try plan.rows(in: snapshot).count
        // Now with the leaves in the cache.
        for _ in 0..<2 { #expect(try plan.count(in: snapshot) == found) }
        if bound.descriptors.isEmpty {
            let shared = try plan.matchCount(in: snapshot.database, threads: 2, share: 1)
            #expect(shared == found)
        }
        return 1
    }
}
