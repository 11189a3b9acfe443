import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares aggregates of a query's objects with aggregates of their values, one by one.
@Suite struct AggregatesTests {
    private let file: QueryTestFile
    private let snapshot: Snapshot
    private let table: Table

    init() throws {
        file = try QueryTestFile(rows: 700)
        snapshot = try Database(immutable: file.path).snapshot()
        table = snapshot.table(snapshot.schema.table(named: "Node")!)
    }

    private func term(_ function: AggregateFunction, _ name: String) throws -> AggregateExpression {
        let column = try #require(table.info.columnIndex(named: name))
        return try #require(AggregateExpression(function, of: column, in: table.info))
    }

    /// The values of a property of the objects, without nulls.
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
    func aggregatesEqualThoseOfTheirValues(_ text: String) throws {
        for options in QueryOptions.ways {
            let plan = try QueryPlan(Query(text).bound(to: table), in: snapshot, options: options)
            let keys = Array(try plan.rows(in: snapshot).keys)
            for name in ["i", "oi", "d"] {
                let terms: [AggregateExpression] = [
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

    /// As one aggregate state and as merged partial states.
    @Test func aggregatesSkipNaNAndNull() {
        func result(
            _ function: AggregateFunction, _ type: OperandType, _ values: [Value],
            inDictionary: Bool = false
        ) -> Value {
            let operation = function.operation(of: type, inDictionary: inDictionary)
            let states = (0..<3).map { _ in
                UnsafeMutableRawPointer.allocate(byteCount: operation.size, alignment: 16)
            }
            defer { for state in states { state.deallocate() } }
            let (whole, parts, part) = (states[0], states[1], states[2])
            operation.start(whole)
            operation.start(parts)
            for value in values {
                operation.start(part)
                operation.add(value, times: 1, to: part)
                operation.add(value, times: 1, to: whole)
                operation.merge(part, into: parts)
            }
            let result = operation.result(whole, .wraps)
            #expect(ValueRules.compare(result, operation.result(parts, .wraps)) == 0)
            return result
        }
        func expect(_ a: Value, _ b: Value, line: Int = #line) {
            #expect(ValueRules.compare(a, b) == 0, "line \(line): \(a), not \(b)")
        }
        let nan = Decimal128.nan
        let doubles: [Value] = [.double(.nan), .double(1), .null, .double(2)]
        let floats: [Value] = [.float(.nan), .float(1), .null, .float(2)]
        let decimals: [Value] = [
            .decimal(nan), .decimal(Decimal128(1)), .null, .decimal(Decimal128(2)),
        ]
        for (type, values) in [
            (OperandType.double, doubles), (.float, floats), (.decimal, decimals),
            (.mixed, decimals),
        ] {
            expect(result(.sum, type, values), .int(3))
            expect(result(.average, type, values), .double(1.5))
            expect(result(.min, type, values), .int(1))
            expect(result(.max, type, values), .int(2))
            expect(result(.sum, type, [values[0]]), .int(0))
            for function in [AggregateFunction.average, .min, .max] {
                expect(result(function, type, [values[0], .null]), .null)
            }
        }
        expect(result(.sum, .mixed, doubles), .double(.nan))
        expect(result(.min, .mixed, doubles), .double(.nan))
        expect(result(.max, .mixed, doubles), .int(2))
        expect(result(.min, .double, doubles, inDictionary: true), .double(.nan))
        expect(result(.sum, .double, doubles, inDictionary: true), .int(3))
        expect(result(.min, .decimal, decimals, inDictionary: true), .int(1))
    }

    /// The file has NaN in every column that allows it; columns are read by leaf and by row.
    @Test func aggregatesSkipNaNInColumns() throws {
        let path = QueryCases.folder.appending(path: "types.realm").path
        let snapshot = try Database(immutable: path).snapshot()
        let table = snapshot.table(snapshot.schema.table(named: "Row")!)
        for name in ["f", "d", "dec", "of", "od", "odec", "mx", "i", "oi"] {
            let column = try #require(table.info.columnIndex(named: name))
            for function in [AggregateFunction.sum, .average, .min, .max] {
                let expression = try #require(
                    AggregateExpression(function, of: column, in: table.info))
                let run = try #require(expression.run(in: table.info))
                let scan = table.scan(columns: [column])
                while try scan.next() {
                    for row in 0..<scan.count { run.add(try scan.value(row: row, column: 0)) }
                }
                let expected = run.result(.widens)
                for text in ["TRUEPREDICATE", "TRUEPREDICATE LIMIT(1000)"] {
                    let plan = try QueryPlan(Query(text).bound(to: table), in: snapshot)
                    let found = try plan.aggregates([expression], in: snapshot).values[0]
                    #expect(ValueRules.compare(found, expected) == 0, "\(function.name) \(name)")
                }
            }
        }
    }

    @Test func aggregatesAreDefinedForNumbersAndDates() throws {
        let index = { table.info.columnIndex(named: $0)! }
        #expect(AggregateExpression(.sum, of: index("s"), in: table.info) == nil)
        #expect(AggregateExpression(.max, of: index("s"), in: table.info) == nil)
        #expect(AggregateExpression(.sum, of: index("t"), in: table.info) == nil)
        #expect(AggregateExpression(.max, of: index("t"), in: table.info) != nil)
        #expect(AggregateExpression(.min, of: index("kids"), in: table.info) == nil)
        #expect(AggregateExpression(.count, of: index("i"), in: table.info) == nil)
        #expect(AggregateExpression(.standardDeviation, of: index("t"), in: table.info) == nil)
        #expect(AggregateExpression(.median, of: index("s"), in: table.info) == nil)
        #expect(AggregateExpression(.distinctCount, of: index("s"), in: table.info) != nil)
        #expect(AggregateExpression(.distinctCount, of: index("kids"), in: table.info) == nil)
    }

    @Test func standardDeviationNeedsTwoValues() throws {
        func deviation(_ values: Value...) -> Double? {
            AggregateFunction.standardDeviation.result(of: values, .mixed)?.plainNumber
        }
        #expect(deviation() == nil && deviation(.int(3)) == nil && deviation(.null, .int(3)) == nil)
        #expect(deviation(.int(3), .double(3)) == 0)
        #expect(deviation(.int(2), .float(4)) == 2.0.squareRoot())
        #expect(
            deviation(.int(1), .int(2), .int(3), .int(4), .string(.empty)) == (5.0 / 3).squareRoot()
        )
    }

    /// Large numbers with small differences keep all digits.
    @Test func standardDeviationIsExactForLargeNumbers() throws {
        let values = (0..<1000).map { Value.double(1e9 + Double($0 % 2)) }
        let found = AggregateFunction.standardDeviation.result(of: values, .double)?.plainNumber
        let expected = (250.0 / 999).squareRoot()
        #expect(abs(try #require(found) - expected) < 1e-9)
    }

    @Test func medianIsTheMiddleValue() {
        func median(_ type: ColumnType, _ values: Value...) -> Value {
            AggregateFunction.median.result(of: values, type) ?? .bool(false)
        }
        func expect(_ found: Value, _ expected: Value, line: Int = #line) {
            #expect(PlainAggregate.agree(found, expected), "line \(line): \(found)")
        }
        expect(median(.int), .null)
        expect(median(.int, .null, .int(7)), .double(7))
        expect(median(.int, .int(9), .int(1), .int(2)), .double(2))
        expect(median(.int, .int(9), .int(1), .int(2), .int(3)), .double(2.5))
        expect(median(.int, .int(.max), .int(.max)), .double(0x1p63))
        expect(median(.double, .double(1e308), .double(1.5e308)), .double(1.25e308))
        expect(median(.double, .double(-.infinity), .double(.infinity)), .double(.nan))
        expect(median(.double, .double(.nan), .double(5)), .double(5))
        expect(median(.mixed, .int(1), .double(2), .bool(true)), .decimal(Decimal128(1.5)))
        expect(median(.bool, .bool(true)), .bool(false))
    }

    @Test func functionsAreFoundByTheirOperators() {
        #expect(AggregateFunction.named(operator: "@avg") === AggregateFunction.average)
        #expect(
            AggregateFunction.named(operator: "@stddev") === AggregateFunction.standardDeviation)
        for name in ["avg", "@", "", "@average", "@avg ", "@distinct"] {
            #expect(AggregateFunction.named(operator: name) == nil, "\(name)")
        }
        let operators = AggregateFunction.all.flatMap { $0.operators.map { "\($0)" } }
        for name in operators {
            #expect(!operators.contains { $0 != name && $0.hasPrefix(name) }, "\(name)")
        }
        #expect(Set(AggregateFunction.all.map(\.form)).count == AggregateFunction.all.count)
    }
}
