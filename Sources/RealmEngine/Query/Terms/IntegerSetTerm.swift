/// Tests integers against many ranges. An IN with many integers is tested by this term.
final class IntegerSetTerm: QueryTerm {
    private var cells: ColumnCells<NodeView>
    /// Index of the first row in the packed array: 1 if element 0 is the null marker, otherwise 0.
    private let first: Int
    /// Ranges of the matching integers, sorted and without overlaps. There is at least one range.
    private let ranges: [IntegerRange]
    /// The integers of all ranges as a bit set; nil if the lowest and the highest integer are too
    /// far apart.
    private let set: ObjectSet?
    private let matchesNull: Bool
    private let scratch = LeafScratch()

    override var label: String { "integer ranges (\(ranges.count)), whole leaves" }

    /// Maximum difference between the lowest and the highest integer for which the integers are
    /// stored in the bit set `set`.
    private static let maximumSpan: UInt64 = 1 << 24

    init(_ column: BoundColumn, _ ranges: [IntegerRange], matchesNull: Bool) {
        cells = ColumnCells(column)
        first = column.layout.isNullable ? 1 : 0
        self.ranges = ranges
        self.matchesNull = matchesNull
        let (low, high) = (ranges[0].low, ranges[ranges.count - 1].high)
        let span = UInt64(bitPattern: high &- low)
        guard span < Self.maximumSpan else {
            set = nil
            return
        }
        let set = ObjectSet(limit: span + 1)
        for range in ranges {
            for number in (range.low &- low)...(range.high &- low) { set.insert(number) }
        }
        self.set = set
    }

    override func attach(_ directory: LeafDirectory) { cells.attach(directory) }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        let node = try cells.leaf(leaf)
        let count = min(leaf.count, ClusterRows.maximum)
        var rows: Selection
        if let set {
            let offset = 0 &- ranges[0].low
            rows = set.rows(node, first: first, offset: offset, count: count, scratch)
        } else {
            rows = search(node, first, count)
        }
        if first == 1 {
            let marker = IntegerRange(low: node.nullMarker, high: node.nullMarker)
            let nulls = IntegerKernels.rows(
                in: marker, node, first: NullableIntegerLeaf.first, count: count)
            rows = matchesNull ? rows | nulls : rows.subtracting(nulls)
        }
        return rows & among
    }

    private func search(_ node: NodeView, _ first: Int, _ count: Int) -> Selection {
        let numbers = scratch.numbers
        IntegerKernels.decode(node, first: first, count: count, into: numbers)
        return ranges.withUnsafeBufferPointer { ranges in
            Selection(count) { (from, n) in
                var bits: UInt64 = 0
                for i in 0..<n where Self.contains(ranges, numbers[from &+ i]) {
                    bits |= 1 &<< UInt64(i)
                }
                return bits
            }
        }
    }

    @inline(__always)
    private static func contains(
        _ ranges: UnsafeBufferPointer<IntegerRange>, _ number: Int64
    ) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low &+ high) &>> 1
            if ranges[middle].high < number { low = middle &+ 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].low <= number
    }
}
