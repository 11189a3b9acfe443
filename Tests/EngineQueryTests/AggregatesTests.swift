import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Figures of the objects of a query are those of their values, one by one.
@Suite struct AggregatesTests {
    private let file: QueryTestFile
    private let snapshot: Snapshot
    private let table: Table

    init() throws {
        file = try QueryTestFile(rows: 700)
        snapshot = try Database(immutable: file.path).snapshot()
        table = snapshot.table(snapshot.schema.table(named: "Node")!)
    }

    private func term(_ reduction: QueryReduction, _ name: String) throws -> AggregateTerm {
        let column = try #require(table.info.columnIndex(named: name))
        return try #require(AggregateTerm(reduction, of: column, in: table.info))
    }

    /// The values of a property of the objects found, without nulls.
    private func values(_ keys: [ObjectKey], _ name: String) throws -> [Value] {
        let column = try #require(table.info.columnIndex(named: name))
        return try keys.map { try table.row($0)!.value(column) }.filter {
            if case .null = $0 { false } else { true }
        }
    }

    private func number(_ value: Value) -> Double {
        switch value {
        case .int(let v): Double(v)
        case .double(let v): v
        default: .nan
        }
    }

    @Test(arguments: [
        "TRUEPREDICATE", "i > 20", "id == 7", "FALSEPREDICATE", "i > 20 SORT(d DESC) LIMIT(40)",
        "up.i > 30 DISTINCT(i)",
    ])
    func agreeWithTheirValues(_ text: String) throws {
        for options in QueryOptions.ways {
            let plan = try QueryPlan(Query(text).bound(to: table), in: snapshot, options: options)
            let keys = Array(try plan.rows(in: snapshot).keys)
            for name in ["i", "oi", "d"] {
                let terms: [AggregateTerm] = [
                    .count, try term(.sum, name), try term(.average, name), try term(.min, name),
                    try term(.max, name),
                ]
                let (count, found) = try plan.aggregates(terms, in: snapshot)
                let values = try values(keys, name).map(number)
                let sum = values.reduce(0, +)
                #expect(count == keys.count && number(found[0]) == Double(count))
                #expect(number(found[1]) == sum, "\(text) \(name)")
                guard !values.isEmpty else {
                    for figure in found[2...] { #expect(number(figure).isNaN) }
                    continue
                }
                #expect(number(found[2]) == sum / Double(values.count))
                #expect(number(found[3]) == values.min())
                #expect(number(found[4]) == values.max())
            }
        }
    }

    @Test func onlyNumbersAndDatesAreReduced() throws {
        let index = { table.info.columnIndex(named: $0)! }
        #expect(AggregateTerm(.sum, of: index("s"), in: table.info) == nil)
        #expect(AggregateTerm(.max, of: index("s"), in: table.info) == nil)
        #expect(AggregateTerm(.sum, of: index("t"), in: table.info) == nil)
        #expect(AggregateTerm(.max, of: index("t"), in: table.info) != nil)
        #expect(AggregateTerm(.min, of: index("kids"), in: table.info) == nil)
    }
}
