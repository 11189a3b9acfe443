import Foundation

@testable import RealmEngine

/// Parameters of random tests that compare a database with a model (`ModelRun`).
enum ModelShapes {
    static let scale =
        ProcessInfo.processInfo.environment["REALM_TEST_SCALE"].flatMap(Int.init) ?? 1
    static let shards =
        ProcessInfo.processInfo.environment["REALM_TEST_SHARD"].flatMap(Int.init).map { [$0] }
        ?? Array(0..<16)

    /// Tree nodes of at most four elements, so that a few objects are enough for splits, merges and
    /// deep trees.
    static let small = Fanout(
        clusterLeaf: 4, clusterInner: 4, tree: 4, index: 4, singleIndexChanges: 2)

    static func shape(_ shard: Int) -> ModelRun.Shape {
        var shape = ModelRun.Shape()
        if shard % 4 != 3 { shape.fanout = small }
        shape.objects = [12, 30, 60, 30][shard % 4]
        shape.elements = [8, 16, 6, 12][shard / 4 % 4]
        // The comparison after each commit takes most of the time, so transactions have many
        // operations.
        shape.operationsPerTransaction = [60, 160, 320, 240][shard / 4 % 4]
        if shards.count == 1 { shape.auditEvery = 1 }
        return shape
    }
}
