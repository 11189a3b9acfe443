/// Rewrites equality tests of one property in an OR to a single IN test, so that each value of the
/// property, or the index, is read only once.
enum OrToInRewrite {
    /// Returns the terms of an OR after merging equality tests of one property into one IN test.
    /// The IN test is at the position of the first merged test.
    static func joined(_ terms: [BoundCondition]) -> [BoundCondition] {
        if terms.count < 2 { return terms }
        var result: [BoundCondition] = []
        var lists: [Int: List] = [:]
        for term in terms {
            guard case .test(let test) = term, let values = values(of: test) else {
                result.append(term)
                continue
            }
            if lists[test.column.leafIndex] == nil {
                lists[test.column.leafIndex] = List(place: result.count, test)
                result.append(term)
            }
            lists[test.column.leafIndex]?.add(values, test)
        }
        for list in lists.values where list.count > 1 { result[list.place] = .test(list.test) }
        return result
    }

    private struct List {
        let place: Int
        private let column: BoundColumn
        private var range: SourceRange
        private var values: [Value] = []
        /// Number of tests that were merged into this IN test.
        private(set) var count = 0

        init(place: Int, _ test: ColumnTest) {
            self.place = place
            column = test.column
            range = test.range
        }

        mutating func add(_ more: [Value], _ test: ColumnTest) {
            values += more
            count += 1
            range.start = min(range.start, test.range.start)
            range.end = max(range.end, test.range.end)
        }

        var test: ColumnTest {
            ColumnTest(
                column: column, range: range, relation: .equal,
                operand: .members(values))
        }
    }

    /// Returns the constants of a test with `==` or IN that can be merged with other tests of its
    /// property into one IN test. Nil for any other test.
    private static func values(of test: ColumnTest) -> [Value]? {
        guard test.relation == .equal, test.folding.isNone, test.column.layout.collection == nil
        else {
            return nil
        }
        switch test.operand {
        case .strict(let value): return [value]
        case .members(let values): return values
        case .general, .anyOf, .range: return nil
        }
    }
}
