import Foundation
import Testing

@testable import RealmEngine

/// Random transactions against a model of plain dictionaries: after each commit everything reads as
/// the model says, in the new version and in every older one still held.
@Suite struct ModelTests {
    static let scale =
        ProcessInfo.processInfo.environment["REALM_TEST_SCALE"].flatMap(Int.init) ?? 1
    private static let shards =
        ProcessInfo.processInfo.environment["REALM_TEST_SHARD"].flatMap(Int.init).map { [$0] }
        ?? Array(0..<16)

    /// Nodes of four elements, so that a few objects reach every split, merge and depth.
    static let small = Fanout(clusterLeaf: 4, clusterInner: 4, tree: 4, index: 4)

    static func shape(_ shard: Int) -> ModelRun.Shape {
        var shape = ModelRun.Shape()
        if shard % 4 != 3 { shape.fanout = small }
        shape.objects = [12, 30, 60, 30][shard % 4]
        shape.elements = [8, 16, 6, 12][shard / 4 % 4]
        // Comparing everything after a commit costs most of the time.
        shape.operationsPerTransaction = [60, 160, 320, 240][shard / 4 % 4]
        if shards.count == 1 { shape.auditEvery = 1 }
        return shape
    }

    @Test(arguments: shards) func random(_ shard: Int) throws {
        let seed =
            ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0 ... .max)
        try run(shard, seed, Self.shape(shard), operations: 200_000 * Self.scale / 16)
    }

    /// As above, where several transactions are written to the file at once and some of them are
    /// taken back: each one's state reads as the model says before anything is in the file.
    @Test(arguments: shards) func grouped(_ shard: Int) throws {
        let seed =
            ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0 ... .max)
        var shape = Self.shape(shard)
        shape.flushPercent = [3, 20, 50][shard % 3]
        shape.rollbackPercent = 30
        shape.operationsPerTransaction = [4, 15, 60][shard / 4 % 3]
        try run(shard, seed, shape, operations: 12_000 * Self.scale / 16)
    }

    private func run(
        _ shard: Int, _ seed: UInt64, _ shape: ModelRun.Shape, operations: Int
    ) throws {
        let directory = try ScratchFolder()
        let run = try ModelRun(
            path: directory.file("model.realm"), seed: seed &+ UInt64(shard), shape: shape)
        do {
            try run.run(operations: operations)
        } catch {
            Issue.record(
                """
                shard \(shard), seed \(seed), commit \(run.commits), operation \
                \(run.operations): \(error)
                \(Self.shards.count == 1 ? run.trace.joined(separator: "\n") : "")
                """)
        }
    }
}

/// A folder that disappears with the last reference.
final class ScratchFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/realm-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}
