/// Layout of a group's record: keys, number of objects, size of the record, and the states or the
/// results of the aggregates. If texts are copied, the first bytes of each text key follow at the
/// end.
struct GroupRecord: Sendable {
    var keys: Int { collations.count }
    /// Size in bytes of the part of a record that contains the states of the aggregates. When
    /// groups are sorted by results, this part contains the results of the aggregates instead.
    let stateSize: Int
    /// Whether text keys are compared by copies of their first bytes.
    let copiesTexts: Bool
    /// Collation of the texts of each key, by key index.
    let collations: [TextCollation]

    /// Size in bytes of a key value or aggregate result in a record, rounded up for alignment.
    static var valueSize: Int { (MemoryLayout<Value>.stride + 15) & ~15 }
    /// Size in bytes of a key in a group record: the value, and the length and offset of the copy
    /// of its text.
    private static var keySize: Int { valueSize + 16 }
    private var countOffset: Int { keys * Self.keySize }
    private var sizeOffset: Int { countOffset + 8 }
    private var statesOffset: Int { countOffset + 16 }

    /// Size in bytes of a record without the copies of text keys at its end.
    var size: Int { statesOffset + ((stateSize + 15) & ~15) }

    /// Maximum size in bytes of a record with the copies of text keys at its end.
    var maximumLength: Int { copiesTexts ? size + keys * TextHeads.maximumLength + 15 : size }

    @inline(__always)
    func size(of record: UnsafeRawPointer) -> Int {
        record.load(fromByteOffset: sizeOffset, as: Int.self)
    }

    /// Returns the value of key `i` of a record. If the record contains a complete copy of the
    /// text, returns this copy, which is valid as long as the record.
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

    /// Stores the values of all keys in the record, and the record's size.
    func setKeys(_ values: [Value], of record: UnsafeMutableRawPointer) {
        setKeys(of: record) { i in
            var head = ByteView.empty
            switch values[i] {
            case .string(let text) where copiesTexts, .binary(let text) where copiesTexts:
                head = ByteView(text.base, count: min(text.count, TextHeads.maximumLength))
            default: break
            }
            return (values[i], head)
        }
    }

    /// Copies the keys of the record `other`, which has the same number of keys, to `record`, and
    /// stores the size of `record`.
    func copyKeys(of other: UnsafeRawPointer, to record: UnsafeMutableRawPointer) {
        setKeys(of: record) { i in
            let value = other.load(fromByteOffset: i * Self.keySize, as: Value.self)
            return (value, head(i, of: other))
        }
    }

    private func setKeys(
        of record: UnsafeMutableRawPointer, _ key: (Int) -> (value: Value, head: ByteView)
    ) {
        var end = size
        for i in 0..<keys {
            let (value, head) = key(i)
            let place = i * Self.keySize
            record.storeBytes(of: value, toByteOffset: place, as: Value.self)
            record.storeBytes(of: head.count, toByteOffset: place + Self.valueSize, as: Int.self)
            record.storeBytes(of: end, toByteOffset: place + Self.valueSize + 8, as: Int.self)
            (record + end).copyMemory(from: head.base, byteCount: head.count)
            end += head.count
        }
        // The size of every record is a multiple of 16.
        record.storeBytes(of: (end + 15) & ~15, toByteOffset: sizeOffset, as: Int.self)
    }

    func count(of record: UnsafeRawPointer) -> Int {
        record.load(fromByteOffset: countOffset, as: Int.self)
    }

    func setCount(_ count: Int, of record: UnsafeMutableRawPointer) {
        record.storeBytes(of: count, toByteOffset: countOffset, as: Int.self)
    }

    func states(of record: UnsafeRawPointer) -> UnsafeRawPointer { record + statesOffset }

    func states(of record: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        record + statesOffset
    }

    /// Returns the result of aggregate `i` from a record that stores results.
    func result(_ i: Int, of record: UnsafeRawPointer) -> Value {
        record.load(fromByteOffset: statesOffset + i * Self.valueSize, as: Value.self)
    }

    func setResult(_ i: Int, _ value: Value, of record: UnsafeMutableRawPointer) {
        record.storeBytes(
            of: value, toByteOffset: statesOffset + i * Self.valueSize, as: Value.self)
    }

    /// Compares the keys of two records of groups: negative, zero or positive. The parts of the
    /// records after the keys may differ in layout.
    func compareKeys(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
        for i in 0..<keys {
            let order = compareKey(i, a, b)
            if order != 0 { return order }
        }
        return 0
    }

    /// Compares key `i` of two group records: negative, zero or positive.
    func compareKey(_ i: Int, _ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
        let values = (key(i, of: a), key(i, of: b))
        let collation = collations[i]
        guard copiesTexts, collation.isBinary else { return collation.order(values.0, values.1) }
        switch values {
        case (.string, .string), (.binary, .binary):
            return TextHeads.compare(head(i, of: a), head(i, of: b), values, collation)
        default: return ValueNumbers.order(values.0, values.1)
        }
    }
}
