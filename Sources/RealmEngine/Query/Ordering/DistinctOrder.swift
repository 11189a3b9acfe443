/// The distinct values of an enumerated column and the order they have, so that rows are put in order
/// by the numbers they hold.
struct DistinctOrder {
    struct Entry {
        /// Null or a string.
        let value: Value
        /// Equal values share one.
        fileprivate(set) var place: UInt32 = 0

        /// Bytes of the text.
        @inline(__always) var size: Int {
            if case .string(let text) = value { return text.count }
            return 0
        }
    }

    private var entries: [Entry] = []

    /// The values that the numbers of `texts`, an enumerated leaf, stand for.
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

    /// Nil when the number stands for no value.
    @inline(__always)
    subscript(index: Int64) -> Entry? {
        index >= 0 && index < Int64(entries.count) ? entries[Int(index)] : nil
    }
}
