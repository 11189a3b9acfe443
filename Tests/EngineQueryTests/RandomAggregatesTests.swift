import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares aggregates and groups of columns of all types and widths with naive ones of plain
/// arrays, on the first scan of a table and on later ones, which use the leaf directory.
@Suite struct RandomAggregatesTests {
    private struct Row {
        let key: ObjectKey
        let values: [Value]
    }

    private func rows(_ condition: String, _ file: RandomColumnsFile) throws -> [Row] {
        let query = try Query(condition).bound(to: file.table)
        return try QueryPlan(query, in: file.snapshot).rows(in: file.snapshot).keys.map { key in
            let row = try file.table.row(key)!
            return Row(
                key: key, values: try RandomColumnsFile.names.indices.map { try row.value($0) })
        }
    }

    /// Every function of every column it is defined for, except means of `wide`, which the model
    /// cannot compute exactly.
    private func expressions(_ file: RandomColumnsFile) -> [AggregateExpression] {
        AggregateFunction.all.flatMap { function in
            RandomColumnsFile.names.indices.compactMap { column in
                let isMean = [.average, .standardDeviation, .median].contains(function)
                if isMean, RandomColumnsFile.names[column] == "wide" { return nil }
                return AggregateExpression(function, of: column, in: file.table.info)
            }
        }
    }

    private func plan(
        _ text: String, _ file: RandomColumnsFile, memory: Int = .max
    ) throws -> QueryPlan {
        var options = QueryOptions()
        options.memoryLimit = memory
        return try QueryPlan(
            Query(text).bound(to: file.table), in: file.snapshot, options: options)
    }

    private func expect(
        _ results: [Value], _ expressions: [AggregateExpression], _ rows: [Row],
        _ file: RandomColumnsFile, _ context: String, inOneRun: Bool = true
    ) {
        for (expression, result) in zip(expressions, results) {
            let (function, column) = (expression.function, expression.column)
            let type = file.table.info.columns[column].type
            let expected = PlainAggregate(function, type)
                .result(rows.map { $0.values[column] }, widens: true)
            #expect(
                isSame(result, expected, function, inOneRun),
                "\(function.form(of: RandomColumnsFile.names[column])) \(context): \(result), not \(expected)"
            )
        }
    }

    /// Minimum and maximum return the first of equal zeros. Sums are rounded after each addition,
    /// unless groups were spilled and merged.
    private func isSame(
        _ a: Value, _ b: Value, _ function: AggregateFunction, _ inOneRun: Bool
    ) -> Bool {
        let isExact = [.min, .max].contains(function) || function == .sum && inOneRun
        if isExact, case .double(let x) = a, case .double(let y) = b, x == x || y == y {
            return x.bitPattern == y.bitPattern
        }
        if isExact, case .float(let x) = a, case .float(let y) = b {
            return x.bitPattern == y.bitPattern
        }
        return PlainAggregate.agree(a, b)
    }

    private static let conditions = [
        "TRUEPREDICATE", "tiny > 20", "small == null", "wide > 0 AND flag == true", "tiny == 1000",
    ]

    @Test(arguments: [false, true]) func aggregatesEqualThoseOfPlainArrays(isEncrypted: Bool) throws
    {
        let file = try RandomColumnsFile(
            rows: 900, .fresh("aggregates of columns"),
            key: isEncrypted ? EncryptedImage.key() : nil)
        let expressions = expressions(file)
        #expect(expressions.count > 40)
        for condition in Self.conditions {
            let rows = try rows(condition, file)
            for turn in 0..<3 {
                let (count, results) = try plan(condition, file)
                    .aggregates(expressions, in: file.snapshot)
                #expect(count == rows.count)
                expect(results, expressions, rows, file, "\(condition), turn \(turn)")
            }
        }
    }

    @Test(arguments: [false, true]) func groupsEqualThoseOfPlainArrays(isEncrypted: Bool) throws {
        var random = SeededRandom.fresh("groups of columns")
        let file = try RandomColumnsFile(
            rows: 520, random, key: isEncrypted ? EncryptedImage.key() : nil)
        let expressions = expressions(file)
        let names = RandomColumnsFile.names
        for turn in 0..<20 {
            let keys =
                turn < names.count
                ? [turn] : (0..<2 + random.below(2)).map { _ in random.below(names.count) }
            let condition = Self.conditions[random.below(Self.conditions.count)]
            var groups: [(keys: [Value], rows: [Row])] = []
            for row in try rows(condition, file) {
                let values = keys.map { row.values[$0] }
                if let i = groups.firstIndex(where: { areEqual($0.keys, values) }) {
                    groups[i].rows.append(row)
                } else {
                    groups.append((values, [row]))
                }
            }
            let sort = keys.map { "\(names[$0]) ASC" }.joined(separator: ", ")
            let text = "\(condition) SORT(\(sort))"
            let memory = [Int.max, .max, 200_000][random.below(3)]
            var found = 0
            try plan(text, file, memory: memory).forEachGroup(expressions, in: file.snapshot) {
                values, results in
                found += 1
                let group = groups.first { areEqual($0.keys, values) }
                #expect(group != nil, "\(text): \(values)")
                expect(
                    results, expressions, group?.rows ?? [], file, "\(text): \(values)",
                    inOneRun: memory == .max)
                return true
            }
            #expect(found == groups.count, "\(text)")
        }
    }

    private func areEqual(_ a: [Value], _ b: [Value]) -> Bool {
        zip(a, b).allSatisfy { ValueNumbers.order($0, $1) == 0 }
    }

    // MARK: Kernels

    /// Encodes integers in the narrowest width.
    private func node(_ integers: [Int64], _ memory: UnsafeMutableRawBufferPointer) -> NodeView {
        let code: UInt8 =
            integers.allSatisfy { $0 == Int64(Int8(truncatingIfNeeded: $0)) }
            ? 4
            : integers.allSatisfy { $0 == Int64(Int16(truncatingIfNeeded: $0)) }
                ? 5
                : integers.allSatisfy { $0 == Int64(Int32(truncatingIfNeeded: $0)) } ? 6 : 7
        let start = memory.baseAddress!
        for (i, integer) in integers.enumerated() {
            switch code {
            case 4: start.storeBytes(of: Int8(integer), toByteOffset: i, as: Int8.self)
            case 5: start.storeBytes(of: Int16(integer), toByteOffset: 2 * i, as: Int16.self)
            case 6: start.storeBytes(of: Int32(integer), toByteOffset: 4 * i, as: Int32.self)
            default: start.storeBytes(of: integer, toByteOffset: 8 * i, as: Int64.self)
            }
        }
        return NodeView(payload: UnsafeRawPointer(start), count: integers.count, flags: code)
    }

    @Test func packedIntegersHaveExactSumsAndExtremes() {
        var random = SeededRandom.fresh("packed integers")
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8 * 3000, alignment: 16)
        defer { memory.deallocate() }
        for bits in [8, 16, 32, 64] as [UInt64] {
            for count in [1, 2, 7, 8, 9, 255, 256, 257, 1023, 1025, 3000] {
                let integers = (0..<count).map { _ in
                    random.below(20) == 0
                        ? [Int64.min, .max][random.below(2)] >> Int64(64 - bits)
                        : Int64(bitPattern: random.next()) >> Int64(64 - bits)
                }
                let node = node(integers, memory)
                #expect(IntegerKernels.sum(node) == integers.reduce(0) { $0 + Int128($1) })
                #expect(
                    IntegerKernels.extreme(isLeast: true, node, count: count) == integers.min())
                #expect(
                    IntegerKernels.extreme(isLeast: false, node, count: count) == integers.max())
                let marker = integers[0]
                let rest = integers.dropFirst().filter { $0 != marker }
                for isLeast in [true, false] {
                    let found = IntegerKernels.extreme(
                        isLeast: isLeast, node, first: 1, count: count - 1, excluding: marker)
                    #expect(found == (isLeast ? rest.min() : rest.max()))
                }
            }
        }
    }

    @Test func minimumAndMaximumAreTheFirstOfEqualDoubles() {
        var random = SeededRandom.fresh("extremes of doubles")
        let choices = [0, -0.0, .nan, .infinity, -.infinity, 1, -1, 0.5]
        for _ in 0..<3000 {
            let few = choices.shuffledPrefix(1 + random.below(4), &random)
            let numbers = (0..<1 + random.below(9)).map { _ in few[random.below(few.count)] }
            var rows = Selection(first: numbers.count)
            if random.below(2) == 0 { rows.filterRows { _ in random.below(2) == 0 } }
            for isLeast in [true, false] {
                var best: Double?
                for (i, number) in numbers.enumerated() where rows.contains(i) && !number.isNaN {
                    if let last = best, isLeast ? number >= last : number <= last { continue }
                    best = number
                }
                let found = FloatKernels.extreme(isLeast, numbers, numbers.count, rows)
                #expect(found?.bitPattern == best?.bitPattern, "\(numbers) \(rows)")
            }
        }
    }
}

extension [Double] {
    /// Returns randomly chosen elements.
    fileprivate func shuffledPrefix(_ count: Int, _ random: inout SeededRandom) -> [Double] {
        (0..<count).map { _ in self[random.below(self.count)] }
    }
}
