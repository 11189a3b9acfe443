import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares random transactions with a model of plain dictionaries: after each commit, in the new
/// version and in every older pinned one.
@Suite struct ModelTests {
    @Test(arguments: ModelShapes.shards) func everyVersionEqualsTheModel(_ shard: Int) throws {
        let seed =
            ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0 ... .max)
        try run(shard, seed, ModelShapes.shape(shard), operations: 100_000 * ModelShapes.scale / 16)
    }

    /// Compares transactions of groups with the model before the group is in the file; some are
    /// rolled back.
    @Test(arguments: ModelShapes.shards) func everyVersionOfAGroupEqualsTheModel(_ shard: Int)
        throws
    {
        let seed =
            ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
            ?? .random(in: 0 ... .max)
        var shape = ModelShapes.shape(shard)
        shape.flushPercent = [3, 20, 50][shard % 3]
        shape.rollbackPercent = 30
        shape.operationsPerTransaction = [4, 15, 60][shard / 4 % 3]
        try run(shard, seed, shape, operations: 12_000 * ModelShapes.scale / 16)
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
                \(ModelShapes.shards.count == 1 ? run.trace.joined(separator: "\n") : "")
                """)
        }
    }
}
