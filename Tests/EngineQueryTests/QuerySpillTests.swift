import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// SORT and DISTINCT that do not fit into memory give what they give when they do.
@Suite struct QuerySpillTests {
    private func snapshot(_ name: String) throws -> Snapshot {
        try Database(immutable: QueryCases.folder.appending(path: name + ".realm").path).snapshot()
    }

    private func plan(
        _ text: String, _ table: TableInfo, _ snapshot: Snapshot, memory: Int,
        directory: String = "/tmp"
    ) throws -> QueryPlan {
        var options = QueryOptions()
        options.memoryLimit = memory
        options.spillDirectory = directory
        return try QueryPlan(
            Query(text).bound(to: snapshot.table(table)), in: snapshot, options: options)
    }

    @Test(arguments: [1, 6000, 40_000])
    func spilledResultsAreTheSame(memory: Int) throws {
        let bulk = try snapshot("bulk")
        let node = bulk.schema.table(named: "Node")!
        for text in [
            "TRUEPREDICATE", "k > 2 SORT(s ASC, d DESC)", "TRUEPREDICATE SORT(up.s DESC, k ASC)",
            "TRUEPREDICATE DISTINCT(k)", "TRUEPREDICATE SORT(d DESC) DISTINCT(s, k) LIMIT(40)",
            "TRUEPREDICATE DISTINCT(up.k) SORT(s DESC)", "k != 3 LIMIT(700) SORT(d ASC)",
            "TRUEPREDICATE SORT(up ASC, s ASC)", "FALSEPREDICATE SORT(s ASC)",
        ] {
            let whole = try plan(text, node, bulk, memory: .max).rows(in: bulk).keys
            let spilled = try plan(text, node, bulk, memory: memory).rows(in: bulk).keys
            #expect(spilled.elementsEqual(whole), "\(memory) bytes: \(text)")
            #expect(!whole.isSpilled)
        }
        let all = try plan("TRUEPREDICATE SORT(s ASC)", node, bulk, memory: memory)
        #expect(try all.rows(in: bulk).keys.isSpilled == (memory < 30_000))
    }

    @Test(arguments: ["types", "orders", "anyval", "social"])
    func everyColumnSortsTheSame(name: String) throws {
        let snapshot = try snapshot(name)
        for table in snapshot.schema.classes where table.kind == .topLevel {
            for column in table.columns where column.collection == nil {
                let path = column.name.replacing(" ", with: "\\ ")
                for tail in ["SORT(\(path) ASC)", "SORT(\(path) DESC)", "DISTINCT(\(path))"] {
                    let text = "TRUEPREDICATE " + tail
                    let whole = try? plan(text, table, snapshot, memory: .max).rows(in: snapshot)
                    guard let whole else { continue }
                    let spilled = try plan(text, table, snapshot, memory: 1).rows(in: snapshot)
                    #expect(
                        spilled.keys.elementsEqual(whole.keys), "\(name).\(table.className) \(tail)"
                    )
                }
            }
        }
    }

    @Test func noPlaceToSpillIsAnError() throws {
        let bulk = try snapshot("bulk")
        let node = bulk.schema.table(named: "Node")!
        let missing = try plan(
            "TRUEPREDICATE SORT(s ASC)", node, bulk, memory: 1, directory: "/nowhere/at/all")
        do throws(RealmError) {
            _ = try missing.rows(in: bulk)
            Issue.record("there is no such directory")
        } catch {
            #expect(error.kind == .output && error.hint != nil, "\(error.message)")
        }
    }

    /// No two numbers of these are told apart by a hash.
    @Test func manyMixedNumbersSortQuickly() throws {
        var values: [Value] = []
        for i in 0..<20_000 {
            if i % 3 == 0 {
                values.append(.decimal(Decimal128(Int64(i % 500))))
            } else {
                values.append(.double(Double(i % 700)))
            }
        }
        let snapshot = try snapshot("anyval")
        let table = snapshot.schema.classes.first {
            $0.columns.contains { $0.type == .mixed && $0.collection == nil }
        }!
        let column = table.columns.first { $0.type == .mixed && $0.collection == nil }!
        let key = BoundSortKey(
            hops: [], column: BoundColumn(column), key: nil, isAscending: true, failure: nil,
            name: column.name)
        let sorted = SortColumn(key, QueryEvaluator(snapshot, looks: 1), capacity: values.count)
        for value in values { sorted.append(value) }
        let order = SortOrder([sorted], count: values.count).sorted()
        for (a, b) in zip(order, order.dropFirst()) {
            let way = ValueRules.compare(values[Int(a)], values[Int(b)])
            if way > 0 || way == 0 && a > b {
                Issue.record("rows \(a) and \(b) are out of order")
                return
            }
        }
    }
}
