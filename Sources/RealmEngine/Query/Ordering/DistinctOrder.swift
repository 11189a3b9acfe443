/// Position in sorted order of each distinct value of an enumerated column. Rows of such a column
/// store indexes of distinct values, so they can be sorted without reading texts.
struct DistinctOrder {
    struct Entry {
        /// A distinct value of the column: null or a string.
        let value: Value
        /// Position of the value among all distinct values in sorted order. Equal values have the
        /// same position.
        fileprivate(set) var place: UInt32 = 0

        /// Length in bytes of a string; 0 for other values.
        @inline(__always) var size: Int {
            if case .string(let text) = value { return text.count }
            return 0
        }
    }

    private var entries: [Entry] = []

    /// Sorts the distinct values of an enumerated column. Every leaf of the column references the
    /// same list of distinct values; `texts` is one of the leaves.
    init(_ texts: BytesLeaf) throws(RealmError) {
        let values = try texts.distinctValues()
        entries.reserveCapacity(values.count)
        for i in 0..<values.count {
            entries.append(Entry(value: try values.value(i).map(Value.string) ?? .null))
        }
        let order = Array(entries.indices).ordered {
            ValueNumbers.order(entries[$0].value, entries[$1].value) < 0
        }
        var place: UInt32 = 0
        for (last, next) in zip(order, order.dropFirst()) {
            if ValueNumbers.order(entries[last].value, entries[next].value) != 0 { place += 1 }
            entries[next].place = place
        }
    }

    /// Returns the distinct value that rows store as `index`, with its position among the sorted
    /// distinct values; nil if `index` is out of range.
    @inline(__always)
    subscript(index: Int64) -> Entry? {
        index >= 0 && index < Int64(entries.count) ? entries[Int(index)] : nil
    }
}
