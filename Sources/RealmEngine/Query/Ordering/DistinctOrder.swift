/// Sort positions of an enumerated column's distinct values, so that rows are sorted by the numbers
/// they store.
struct DistinctOrder {
    struct Entry {
        /// Null or a string.
        let value: Value
        /// Position in sorted order; the same for equal values.
        fileprivate(set) var place: UInt32 = 0

        /// Length of the text in bytes.
        @inline(__always) var size: Int {
            if case .string(let text) = value { return text.count }
            return 0
        }
    }

    private var entries: [Entry] = []

    /// Sorts the distinct values of `texts`, an enumerated leaf.
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

    /// Returns the entry at an index; nil if it is out of range.
    @inline(__always)
    subscript(index: Int64) -> Entry? {
        index >= 0 && index < Int64(entries.count) ? entries[Int(index)] : nil
    }
}
