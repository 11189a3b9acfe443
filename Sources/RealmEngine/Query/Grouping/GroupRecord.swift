/// Layout of a group's record: keys, number of objects, size of the record, states of the aggregates, and
/// a tail with the first bytes of keys that are texts, if those are copied.
struct GroupRecord: Sendable {
    let keys: Int
    let aggregates: Int
    /// Keys are compared by copies of their first bytes.
    let copiesTexts: Bool

    private static var valueSize: Int { (MemoryLayout<Value>.stride + 15) & ~15 }
    private static var stateSize: Int { (MemoryLayout<AggregateState>.stride + 15) & ~15 }
    /// Bytes of a key: its value, then size and offset of its copy.
    private static var keySize: Int { valueSize + 16 }
    private var countOffset: Int { keys * Self.keySize }
    private var sizeOffset: Int { countOffset + 8 }

    /// Bytes of a record, without its tail.
    var size: Int { countOffset + 16 + aggregates * Self.stateSize }

    /// Most bytes of a record, with its tail.
    var longest: Int { copiesTexts ? size + keys * TextHeads.longest + 7 : size }

    @inline(__always)
    func size(of record: UnsafeRawPointer) -> Int {
        record.load(fromByteOffset: sizeOffset, as: Int.self)
    }

    /// The value of a key. A text that is in the record as a whole is valid as long as the record is.
    func key(_ i: Int, of record: UnsafeRawPointer) -> Value {
        let value = record.load(fromByteOffset: i * Self.keySize, as: Value.self)
        guard copiesTexts else { return value }
        let head = head(i, of: record)
        switch value {
        case .string(let text) where text.count == head.count: return .string(head)
        case .binary(let text) where text.count == head.count: return .binary(head)
        default: return value
        }
    }

    private func head(_ i: Int, of record: UnsafeRawPointer) -> ByteView {
        let place = i * Self.keySize + Self.valueSize
        let count = record.load(fromByteOffset: place, as: Int.self)
        return ByteView(
            record + record.load(fromByteOffset: place + 8, as: Int.self), count: count)
    }

    /// Stores all keys, and with them the size of the record.
    func setKeys(_ values: [Value], of record: UnsafeMutableRawPointer) {
        var end = size
        for (i, value) in values.enumerated() {
            let place = i * Self.keySize
            record.storeBytes(of: value, toByteOffset: place, as: Value.self)
            var head = ByteView.empty
            switch value {
            case .string(let text) where copiesTexts, .binary(let text) where copiesTexts:
                head = ByteView(text.base, count: min(text.count, TextHeads.longest))
            default: break
            }
            record.storeBytes(of: head.count, toByteOffset: place + Self.valueSize, as: Int.self)
            record.storeBytes(of: end, toByteOffset: place + Self.valueSize + 8, as: Int.self)
            (record + end).copyMemory(from: head.base, byteCount: head.count)
            end += head.count
        }
        // Records begin at multiples of 8.
        record.storeBytes(of: (end + 7) & ~7, toByteOffset: sizeOffset, as: Int.self)
    }

    func count(of record: UnsafeRawPointer) -> Int {
        record.load(fromByteOffset: countOffset, as: Int.self)
    }

    func setCount(_ count: Int, of record: UnsafeMutableRawPointer) {
        record.storeBytes(of: count, toByteOffset: countOffset, as: Int.self)
    }

    func state(_ i: Int, of record: UnsafeRawPointer) -> AggregateState {
        record.load(fromByteOffset: countOffset + 16 + i * Self.stateSize, as: AggregateState.self)
    }

    func setState(_ i: Int, _ state: AggregateState, of record: UnsafeMutableRawPointer) {
        record.storeBytes(
            of: state, toByteOffset: countOffset + 16 + i * Self.stateSize, as: AggregateState.self)
    }

    func result(_ i: Int, of record: UnsafeRawPointer) -> Value {
        state(i, of: record).result(objects: count(of: record))
    }

    /// Negative, zero or positive: by the keys.
    func compareKeys(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
        for i in 0..<keys {
            let order = compareKey(i, a, b)
            if order != 0 { return order }
        }
        return 0
    }

    /// Compares two records by one key: negative, zero or positive.
    func compareKey(_ i: Int, _ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
        let values = (key(i, of: a), key(i, of: b))
        guard copiesTexts else { return ValueNumbers.order(values.0, values.1) }
        switch values {
        case (.string, .string), (.binary, .binary):
            return TextHeads.compare(head(i, of: a), head(i, of: b), values)
        default: return ValueNumbers.order(values.0, values.1)
        }
    }

    /// Adds what the other record of the same group has.
    func merge(_ other: UnsafeRawPointer, into record: UnsafeMutableRawPointer) {
        setCount(count(of: record) + count(of: other), of: record)
        for i in 0..<aggregates {
            var state = state(i, of: record)
            state.merge(self.state(i, of: other))
            setState(i, state, of: record)
        }
    }
}
