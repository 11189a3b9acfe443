/// Result of a test for each distinct value of an enumerated column. Each text is tested once. A
/// row stores the index of its distinct value, so rows are then tested by these indexes, a leaf at
/// a time.
struct DictionaryPredicate {
    private var answers: [Bool] = []
    private(set) var isFilled = false
    /// The matching distinct values, as ranges of their indexes. If `isNegated`, the distinct
    /// values that do not match. Nil if there are too many ranges.
    private var ranges: [IntegerRange]?
    private var isNegated = false

    /// Maximum number of ranges in `ranges`. If there are more, a row is tested faster by the
    /// result in `answers` for its distinct value.
    private static let maximumRangeCount = 4

    /// Tests every distinct value of the enumerated column `column` and stores the results.
    mutating func fill(
        _ column: BytesLeaf, _ test: (ByteView?) -> Bool
    ) throws(RealmError) {
        let values = try column.distinctValues()
        answers.reserveCapacity(values.count)
        for i in 0..<values.count { answers.append(test(try values.value(i))) }
        let (held, others) = (places(of: true), places(of: false))
        isNegated = others.count < held.count
        let fewest = isNegated ? others : held
        ranges = fewest.count <= Self.maximumRangeCount ? fewest : nil
        isFilled = true
    }

    /// Returns the indexes of the distinct values for which the test returned `answer`, as ranges.
    private func places(of answer: Bool) -> [IntegerRange] {
        var runs: [IntegerRange] = []
        for (i, found) in answers.enumerated() where found == answer {
            let place = Int64(i)
            if let last = runs.last, last.high == place - 1 {
                runs[runs.count - 1].high = place
            } else {
                runs.append(IntegerRange(low: place, high: place))
            }
        }
        return runs
    }

    /// Returns the rows whose distinct values match, in a leaf of at most 256 rows of an enumerated
    /// column. Nil if a row stores an index without a distinct value.
    func rows(_ node: NodeView) -> Selection? {
        let count = node.count
        let everyRow = Selection(first: count)
        let known = IntegerRange(low: 0, high: Int64(answers.count) - 1)
        guard IntegerKernels.rows(in: known, node, first: 0, count: count) == everyRow else {
            return nil
        }
        guard let ranges else { return looked(up: node, count) }
        var rows = Selection.none
        for range in ranges {
            rows = rows | IntegerKernels.rows(in: range, node, first: 0, count: count)
        }
        return isNegated ? everyRow.subtracting(rows) : rows
    }

    private func looked(up node: NodeView, _ count: Int) -> Selection {
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: ClusterRows.maximum) { places in
            let places = places.baseAddress!
            IntegerKernels.decode(node, first: 0, count: count, into: places)
            return answers.withUnsafeBufferPointer { answers in
                Selection(count) { (from, n) in
                    var bits: UInt64 = 0
                    for i in 0..<n where answers[Int(places[from &+ i])] {
                        bits |= 1 &<< UInt64(i)
                    }
                    return bits
                }
            }
        }
    }
}
