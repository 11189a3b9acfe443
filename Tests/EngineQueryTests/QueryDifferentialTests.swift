import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares random queries with the naive evaluator: with and without indexes and kernels, with one
/// and several workers, on the first scan of a table and on later ones.
@Suite struct QueryDifferentialTests {
    private func rows(_ plan: QueryPlan, _ database: Database, workers: Int) throws -> [Int64] {
        let snapshots = (0..<workers).map { _ in database.snapshot() }
        let runs = snapshots.map { QueryRun(plan, in: $0) }
        let parts = try plan.parts(in: snapshots[0])
        var found: [[ObjectKey]] = Array(repeating: [], count: parts.count)
        // Any worker may take any part; results are in the order of the parts.
        for (i, part) in parts.enumerated().reversed() {
            try runs[i % workers].appendKeys(of: part, to: &found[i])
        }
        return try plan.arranged(found.flatMap { $0 }, in: snapshots[0]).keys.map(\.raw)
    }

    private func check(
        _ text: String, _ table: TableInfo, _ model: NaiveModel, _ database: Database
    ) throws {
        let query = try Query(text)
        let tree = try ParsedQuery.of(text).tree
        let expected = NaiveEvaluator(model: model).rows(tree, table.key.raw)
        let snapshot = model.snapshot
        let bound = try query.bound(to: snapshot.table(table))
        for (i, options) in QueryOptions.ways.enumerated() {
            let plan = try QueryPlan(bound, in: snapshot, options: options)
            let found = try plan.rows(in: snapshot).keys.map(\.raw)
            #expect(found == expected, "way \(i): \(table.className): \(text)")
            #expect(try plan.count(in: snapshot) == expected.count, "count of \(text)")
            if i == 0 {
                for workers in [2, 7] {
                    let shared = try rows(plan, database, workers: workers)
                    #expect(shared == expected, "\(workers) workers: \(text)")
                }
            }
            if found != expected { return }
        }
        // This snapshot has no cached leaves, unlike the previous one.
        let fresh = try Database(immutable: database.path).snapshot()
        let plan = try QueryPlan(try query.bound(to: fresh.table(table)), in: fresh)
        for _ in 0..<3 {
            #expect(try plan.count(in: fresh) == expected.count, "first count of \(text)")
        }
        if bound.descriptors.isEmpty {
            for threads in [2, 7] {
                let shared = try plan.matchCount(in: database, threads: threads, share: 1)
                #expect(shared == expected.count, "\(threads) threads: \(text)")
            }
        }
    }

    @Test(arguments: ["bulk", "types", "social", "bags", "orders", "text"])
    func datasetsAgreeWithTheNaiveEvaluator(_ name: String) throws {
        let path = QueryCases.folder.appending(path: name + ".realm").path
        try compare(path, name, rounds: (name == "bulk" ? 20 : 60) * QueryCases.scale)
    }

    /// Deep trees with small leaves, which reach every split and uneven end.
    @Test(arguments: [2, 3, 5, 16])
    func smallNodesAgreeWithTheNaiveEvaluator(_ size: Int) throws {
        let seed = UInt64.random(in: 1 ... .max)
        print("small nodes seed \(seed) for \(size)")
        let fanout = Fanout(
            clusterLeaf: size, clusterInner: max(3, size), tree: max(3, size), index: max(4, size))
        let file = try QueryTestFile(
            rows: 90 * size, fanout: fanout, random: SeededRandom(seed: seed))
        try compare(file.path, "nodes of \(size)", rounds: 30 * QueryCases.scale)
    }

    /// Comparing a list with values across backlinks depends on the stored order of the backlinks,
    /// which is arbitrary after removals.
    @Test func backlinksAreComparedInStoredOrder() throws {
        let size = 16
        let fanout = Fanout(clusterLeaf: size, clusterInner: size, tree: size, index: size)
        let file = try QueryTestFile(
            rows: 90 * size, fanout: fanout, random: SeededRandom(seed: 3_491_012_346_103_105_489))
        let database = try Database(immutable: file.path)
        let model = try NaiveModel(database.snapshot())
        let table = try #require(model.snapshot.schema.table(named: "Node"))
        try check("@links.Node.kids.b != {null, true}", table, model, database)
        try check("NOT @links.Node.kids.i == {1, 2}", table, model, database)
    }

    private func compare(_ path: String, _ name: String, rounds: Int) throws {
        let database = try Database(immutable: path)
        let model = try NaiveModel(database.snapshot())
        let seed = UInt64.random(in: 1 ... .max)
        var generator = QueryGenerator(model: model, random: SeededRandom(seed: seed))
        let tables = model.snapshot.schema.classes.filter { $0.kind == .topLevel }
        print("differential query seed \(seed) for \(name), \(rounds * tables.count) queries")
        for _ in 0..<rounds {
            for table in tables {
                let text = generator.query(table)
                do {
                    try check(text, table, model, database)
                } catch let error as RealmError where error.reason == "malformedText" {
                    // The generator cut a constant in the middle of a character.
                    continue
                } catch let error as RealmError {
                    Issue.record("\(table.className): \(text): \(error.message)")
                }
            }
        }
    }
}
