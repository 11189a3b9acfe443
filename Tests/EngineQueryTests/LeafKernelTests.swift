import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares the evaluation of whole leaves by kernels with the evaluation of single objects.
@Suite struct LeafKernelTests {
    private func expectSame(
        _ conditions: [String], _ file: RandomColumnsFile, _ arguments: [QueryArgument] = []
    ) throws {
        for condition in conditions {
            let query = try Query(condition, arguments: arguments).bound(to: file.table)
            var options = QueryOptions()
            options.usesKernels = false
            let plain = try QueryPlan(query, in: file.snapshot, options: options)
            let expected = Array(try plain.rows(in: file.snapshot).keys)
            let fast = try QueryPlan(query, in: file.snapshot)
            #expect(Array(try fast.rows(in: file.snapshot).keys) == expected, "\(condition)")
            #expect(try fast.count(in: file.snapshot) == expected.count, "\(condition)")
        }
    }

    private static let relations = ["==", "!=", "<", "<=", ">", ">="]

    @Test func arithmeticByLeafEqualsArithmeticByRow() throws {
        var random = SeededRandom.fresh("expressions")
        let file = try RandomColumnsFile(rows: 700, random)
        let parts = [
            "tiny", "small", "wide", "f", "d", "3", "-1", "0", "2.5", "1.5f",
            "9007199254740993", "dec",
        ]
        func pick(_ all: [String]) -> String { all[random.below(all.count)] }
        var conditions: [String] = []
        for _ in 0..<600 {
            var side = ["", ""]
            for i in 0..<2 {
                side[i] = pick(parts)
                for _ in 0..<random.below(3) {
                    side[i] += " \(pick(["+", "-", "*", "/"])) " + pick(parts)
                }
            }
            conditions.append("tiny > -200 && \(side[0]) \(pick(Self.relations)) \(side[1])")
            conditions.append("\(side[0]) \(pick(Self.relations)) \(side[1])")
        }
        try expectSame(conditions.filter { (try? Query($0).bound(to: file.table)) != nil }, file)
    }

    @Test func textComparisonByLeafEqualsComparisonByRow() throws {
        let random = SeededRandom.fresh("orders of texts")
        let file = try RandomColumnsFile(rows: 900, random)
        let texts = [
            "", "a", "aa", "aaa", "aaaaaaa", "aaaaaaaa", "aaaaaaaab", "b", "C", "the same",
            "the same ", "the same beginning", "the same beginning of all aab", "\0", "a\0",
        ]
        for text in texts {
            for column in ["word", "line"] {
                try expectSame(
                    Self.relations.map { "\(column) \($0) $0" }
                        + [
                            "\(column) BETWEEN {$0, 'the same c'}", "\(column) CONTAINS $0",
                            "\(column) CONTAINS[c] $0",
                        ],
                    file, [.string(text)])
            }
        }
    }
}
