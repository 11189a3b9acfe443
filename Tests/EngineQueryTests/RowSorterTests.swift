import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares SORT and DISTINCT with comparisons of all values.
@Suite struct RowSorterTests {
    /// Negative, zero or positive: nulls first, then by type.
    private func compare(_ a: Value, _ b: Value) -> Int { ValueNumbers.order(a, b) }

    private func values(_ file: RandomColumnsFile) throws -> [(key: ObjectKey, values: [Value])] {
        let query = try Query("TRUEPREDICATE").bound(to: file.table)
        return try QueryPlan(query, in: file.snapshot).rows(in: file.snapshot).keys.map { key in
            let row = try file.table.row(key)!
            return (key, try RandomColumnsFile.names.indices.map { try row.value($0) })
        }
    }

    private func keys(
        _ tail: String, _ file: RandomColumnsFile, memory: Int,
        where condition: String = "TRUEPREDICATE"
    ) throws -> [ObjectKey] {
        var options = QueryOptions()
        options.memoryLimit = memory
        let query = try Query(condition + " " + tail).bound(to: file.table)
        return Array(
            try QueryPlan(query, in: file.snapshot, options: options).rows(in: file.snapshot).keys)
    }

    @Test(arguments: [Int.max, 200_000, 20_000])
    func rowsAreSortedByTheirValues(memory: Int) throws {
        var random = SeededRandom.fresh("sorted rows")
        let file = try RandomColumnsFile(rows: 1200, random)
        let rows = try values(file)
        let names = RandomColumnsFile.names
        for turn in 0..<60 {
            let count = 1 + random.below(3)
            let columns =
                turn < names.count
                ? [turn] : (0..<count).map { _ in random.below(names.count) }
            let ascending = columns.map { _ in random.below(2) == 0 }
            let expected = rows.enumerated().sorted { a, b in
                for (column, isAscending) in zip(columns, ascending) {
                    let order = compare(a.element.values[column], b.element.values[column])
                    if order != 0 { return isAscending ? order < 0 : order > 0 }
                }
                return a.offset < b.offset
            }
            let tail = zip(columns, ascending).map { "\(names[$0]) \($1 ? "ASC" : "DESC")" }
                .joined(separator: ", ")
            let found = try keys("SORT(\(tail))", file, memory: memory)
            #expect(found == expected.map(\.element.key), "\(tail)")
        }
    }

    /// Columns without nulls whose keys are one number are sorted by the joined words of two.
    @Test func rowsAreSortedByTwoColumnsAtOnce() throws {
        var random = SeededRandom.fresh("joined words")
        let file = try RandomColumnsFile(rows: 1500, random)
        let names = ["tiny", "small", "flag", "d", "wide", "time", "uuid", "word"]
        let places = names.map { RandomColumnsFile.names.firstIndex(of: $0)! }
        let condition = names.map { "\($0) != null" }.joined(separator: " AND ")
        let rows = try values(file).filter { row in
            places.allSatisfy { compare(row.values[$0], .null) != 0 }
        }
        #expect(rows.count > 300)
        for first in 0..<3 {
            for second in names.indices where second != first {
                let columns = [first, second, random.below(names.count)]
                let ascending = columns.map { _ in random.below(2) == 0 }
                let expected = rows.enumerated().sorted { a, b in
                    for (column, isAscending) in zip(columns, ascending) {
                        let place = places[column]
                        let order = compare(a.element.values[place], b.element.values[place])
                        if order != 0 { return isAscending ? order < 0 : order > 0 }
                    }
                    return a.offset < b.offset
                }
                let tail = zip(columns, ascending).map { "\(names[$0]) \($1 ? "ASC" : "DESC")" }
                    .joined(separator: ", ")
                let found = try keys("SORT(\(tail))", file, memory: .max, where: condition)
                #expect(found == expected.map(\.element.key), "\(tail)")
            }
        }
    }

    @Test(arguments: [Int.max, 40_000, 4000])
    func distinctKeepsTheFirstRowOfEachValue(memory: Int) throws {
        var random = SeededRandom.fresh("distinct rows")
        let file = try RandomColumnsFile(rows: 1200, random)
        let rows = try values(file)
        let names = RandomColumnsFile.names
        for turn in 0..<50 {
            let columns =
                turn < names.count
                ? [turn] : (0..<1 + random.below(3)).map { _ in random.below(names.count) }
            var expected: [(key: ObjectKey, values: [Value])] = []
            for row in rows
            where !expected.contains(where: { other in
                columns.allSatisfy { compare(other.values[$0], row.values[$0]) == 0 }
            }) {
                expected.append(row)
            }
            let tail = columns.map { names[$0] }.joined(separator: ", ")
            let wanted = expected.map(\.key)
            #expect(try keys("DISTINCT(\(tail))", file, memory: memory) == wanted, "\(tail)")
            let few = try keys("DISTINCT(\(tail)) LIMIT(3)", file, memory: memory)
            #expect(few == Array(wanted.prefix(3)), "\(tail)")
        }
    }

    @Test func wordsOfAnyDistributionAreSorted() {
        var random = SeededRandom.fresh("words")
        for count in [0, 1, 2, 31, 32, 33, 100, 5000, 40_000] {
            for shift in [0, 20, 40, 56, 63] as [UInt64] {
                var items = (0..<count).map {
                    SortItem(word: (random.next() >> shift) << (shift / 2), row: UInt32($0))
                }
                let expected = items.map(\.word).sorted()
                items.withUnsafeMutableBufferPointer { WordSort.sort($0) }
                #expect(items.map(\.word) == expected)
                #expect(Set(items.map(\.row)).count == count)
            }
        }
    }
}
