import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares aggregates of random values with naive aggregates of plain arrays.
@Suite struct AggregateModelTests {
    private let file: AggregateTestFile
    private let snapshot: Snapshot
    private let table: Table

    init() throws {
        file = try AggregateTestFile(rows: 600, random: .fresh("AggregateModelTests"))
        snapshot = try Database(immutable: file.path).snapshot()
        table = snapshot.table(snapshot.schema.table(named: "Thing")!)
    }

    private static let conditions = [
        "TRUEPREDICATE", "k > 2", "k == 1 AND b == true", "FALSEPREDICATE", "i == 1000",
    ]

    /// All aggregates of all properties, with the name of the property.
    private func expressions() -> [(expression: AggregateExpression, name: String)] {
        AggregateFunction.all.flatMap { function in
            AggregateTestFile.singles.compactMap { single in
                let column = table.info.columnIndex(named: single.name)!
                return AggregateExpression(function, of: column, in: table.info).map {
                    ($0, single.name)
                }
            }
        }
    }

    private func plan(_ text: String, memory: Int = .max) throws -> QueryPlan {
        var options = QueryOptions()
        options.memoryLimit = memory
        return try QueryPlan(Query(text).bound(to: table), in: snapshot, options: options)
    }

    private func holds(_ condition: String, _ row: AggregateTestFile.Row) -> Bool {
        guard case .int(let k) = row.values["k"], case .int(let i) = row.values["i"] else {
            return false
        }
        var isTrue = false
        if case .bool(true) = row.values["b"] { isTrue = true }
        switch condition {
        case "TRUEPREDICATE": return true
        case "k > 2": return k > 2
        case "k == 1 AND b == true": return k == 1 && isTrue
        case "i == 1000": return i == 1000
        default: return false
        }
    }

    private func expect(
        _ found: Value, _ function: AggregateFunction, _ name: String, _ values: [Value],
        _ context: String
    ) {
        let type = AggregateTestFile.singles.first { $0.name == name }!.type
        let expected = PlainAggregate(function, type).result(values, widens: true)
        #expect(
            PlainAggregate.agree(found, expected),
            "\(function.form(of: name)) \(context): \(found), not \(expected)")
    }

    @Test func aggregatesEqualThoseOfPlainArrays() throws {
        let all = expressions()
        #expect(all.count > 50)
        for condition in Self.conditions {
            for (tail, memory) in [("", Int.max), ("", 2000), (" LIMIT(100000)", .max)] {
                let plan = try plan(condition + tail, memory: memory)
                let (count, found) = try plan.aggregates(all.map(\.expression), in: snapshot)
                let rows = file.rows.filter { holds(condition, $0) }
                #expect(count == rows.count)
                for ((expression, name), value) in zip(all, found) {
                    expect(
                        value, expression.function, name, rows.map { $0.values[name]! },
                        "\(condition)\(tail), \(memory) bytes")
                }
            }
        }
    }

    @Test(arguments: [["k"], ["s"], ["b", "k"], ["k", "s", "small"], ["od"]])
    func groupsEqualThoseOfPlainArrays(_ keys: [String]) throws {
        let all = expressions()
        let tail = " SORT(\(keys.map { $0 + " ASC" }.joined(separator: ", ")))"
        for condition in Self.conditions {
            var groups: [String: [AggregateTestFile.Row]] = [:]
            for row in file.rows where holds(condition, row) {
                groups[Self.name(keys.map { row.values[$0]! }), default: []].append(row)
            }
            for memory in [Int.max, 100_000, 2000] {
                let plan = try plan(condition + tail, memory: memory)
                var seen: Set<String> = []
                var last: [Value]?
                try plan.forEachGroup(all.map(\.expression), in: snapshot) { values, found in
                    let name = Self.name(values)
                    #expect(seen.insert(name).inserted)
                    if let last { #expect(Self.precedes(last, values)) }
                    last = values
                    let rows = groups[name] ?? []
                    #expect(!rows.isEmpty, "no group \(name)")
                    for ((expression, property), value) in zip(all, found) {
                        expect(
                            value, expression.function, property,
                            rows.map { $0.values[property]! },
                            "\(condition)\(tail) \(name), \(memory) bytes")
                    }
                    return true
                }
                #expect(seen.count == groups.count)
            }
        }
    }

    /// Groups in the order of an aggregate, with and without enough memory.
    @Test func groupsAreSortedByAggregates() throws {
        let median = table.info.columnIndex(named: "d")!
        let expressions = [
            try #require(AggregateExpression(.median, of: median, in: table.info)), .count,
            try #require(AggregateExpression(.distinctCount, of: median, in: table.info)),
        ]
        for memory in [Int.max, 2000] {
            let plan = try plan("TRUEPREDICATE SORT(small ASC, k ASC)", memory: memory)
            var last: Value?
            try plan.forEachGroup(
                expressions, order: [GroupOrder(.aggregate(0), isAscending: false)], in: snapshot
            ) { _, found in
                if let last { #expect(ValueNumbers.order(last, found[0]) >= 0) }
                last = found[0]
                return true
            }
            #expect(last != nil)
        }
    }

    /// Operators of the query language, on collections and on properties across links.
    @Test func conditionsEqualThoseOfPlainArrays() throws {
        for function in AggregateFunction.all where !function.operators.isEmpty {
            if function == .count { continue }
            for (name, type, kind) in AggregateTestFile.collections {
                try compare("\(name).\(function.operators[0])") { row in
                    PlainAggregate(function, type, inDictionary: kind == .dictionary)
                        .result(row.collections[name]!, widens: false)
                }
            }
            for single in AggregateTestFile.singles {
                let type = OperandType(single.type, target: .none)
                guard function.isDefined(for: type), type != .timestamp else { continue }
                try compare("links.\(function.operators[0]).\(single.name)") { row in
                    let values = row.links.map { file.rows[$0].values[single.name]! }
                    return PlainAggregate(function, single.type).result(values, widens: false)
                }
            }
        }
    }

    /// Compares the objects whose operand is in a range with the matching objects of the model.
    private func compare(
        _ operand: String, _ model: (AggregateTestFile.Row) -> Value
    ) throws {
        let values = file.rows.map(model)
        for limit in [-3.0, 0, 0.75, 2.5, 20] {
            let found = try plan("\(operand) >= $0 AND \(operand) <= $1", [limit, 1e18])
            let expected = values.map { value in
                value.plainNumber.map { $0 >= limit && $0 <= 1e18 } ?? false
            }
            let keys = try found.rows(in: snapshot).keys
            var matches = file.rows.map { _ in false }
            for key in keys { matches[file.indexes[key]!] = true }
            for i in values.indices where matches[i] != expected[i] {
                // The values may differ only by rounding.
                let isClose = values[i].plainNumber.map { abs($0 - limit) < 1e-9 } ?? false
                #expect(isClose, "\(operand) >= \(limit) of object \(i), \(values[i])")
            }
        }
        let nulls = try plan("\(operand) == null").count(in: snapshot)
        #expect(nulls == values.count { if case .null = $0 { true } else { false } }, "\(operand)")
    }

    private func plan(_ text: String, _ arguments: [Double]) throws -> QueryPlan {
        let query = try Query(text, arguments: arguments.map { .double($0) })
        return try QueryPlan(query.bound(to: table), in: snapshot)
    }

    private static func name(_ values: [Value]) -> String {
        values.map { value in
            switch value {
            case .string(let text): "'\(text.string)'"
            case .double(let x) where x.isNaN: "nan"
            default: "\(value)"
            }
        }.joined(separator: ", ")
    }

    private static func precedes(_ a: [Value], _ b: [Value]) -> Bool {
        for (x, y) in zip(a, b) {
            let order = ValueNumbers.order(x, y)
            if order != 0 { return order < 0 }
        }
        return false
    }
}
