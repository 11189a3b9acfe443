/// Memory for the current leaf of one column, to read values faster than from a `ColumnLeaf`. A
/// leaf of a frequent type is stored without the `ColumnLeaf` case around it. Reading a value then
/// accesses a few fields and copies no `ColumnLeaf`.
///
/// Owns its memory; the owner of the slot must call `free`.
struct ColumnSlot {
    private enum Form: UInt8 {
        case integer, nullableInteger, bool, double, string, timestamp, link, collection
        /// The column has no leaf; every value is null.
        case empty
        /// A leaf whose type has no case here. `memory` then contains the leaf as a `ColumnLeaf`.
        case other
    }

    private var form = Form.other
    private let memory: UnsafeMutableRawPointer

    init() {
        memory = .allocate(
            byteCount: MemoryLayout<ColumnLeaf>.stride,
            alignment: MemoryLayout<ColumnLeaf>.alignment)
    }

    func free() { memory.deallocate() }

    /// Replaces the leaf. The old leaf needs no deinitialisation, because all leaves are trivial
    /// types.
    mutating func store(_ leaf: ColumnLeaf) {
        switch leaf {
        case .integer(let leaf): put(leaf, .integer)
        case .nullableInteger(let leaf): put(leaf, .nullableInteger)
        case .bool(let leaf): put(leaf, .bool)
        case .double(let leaf): put(leaf, .double)
        case .string(let leaf): put(leaf, .string)
        case .timestamp(let leaf): put(leaf, .timestamp)
        case .link(let leaf): put(leaf, .link)
        case .collection(let values): put(values, .collection)
        default: put(leaf, .other)
        }
    }

    /// Removes the leaf; from now on, every value is null.
    mutating func clear() { form = .empty }

    private mutating func put<Leaf>(_ leaf: Leaf, _ form: Form) {
        self.form = form
        memory.initializeMemory(as: Leaf.self, to: leaf)
    }

    @inline(__always)
    private func leaf<Leaf>(_ type: Leaf.Type) -> UnsafeMutablePointer<Leaf> {
        memory.assumingMemoryBound(to: type)
    }

    /// Returns value `i` as the API shows it. `i` must be below the number of values.
    @inline(__always)
    func value(_ i: Int) throws(RealmError) -> Value {
        switch form {
        case .integer: return leaf(IntegerLeaf.self).pointee.stored(i)
        case .nullableInteger: return leaf(NullableIntegerLeaf.self).pointee.stored(i)
        case .bool: return leaf(BoolLeaf.self).pointee.stored(i)
        case .double: return leaf(DoubleLeaf.self).pointee.stored(i)
        case .string:
            guard let value = try leaf(BytesLeaf.self).pointee.value(i) else { return .null }
            return .string(value)
        case .timestamp: return try leaf(TimestampLeaf.self).pointee.stored(i)
        case .link: return leaf(LinkLeaf.self).pointee.stored(i).shown
        case .collection: return try leaf(CollectionValues.self).pointee.stored(i)
        case .empty: return .null
        case .other: return try leaf(ColumnLeaf.self).pointee.value(i)
        }
    }

    /// Stores the values of rows of an integer leaf in memory, one value every `stride` words.
    ///
    /// - Parameters:
    ///   - nulls: address of the word for the first row; the word for each following row is
    ///     `stride` words later. `bit` is set in the words of rows that are null. Nil for a leaf
    ///     without nulls.
    ///   - bit: the bit, or bits, that mean null.
    func storeIntegers(
        _ rows: Range<Int>, to words: UnsafeMutablePointer<Int64>, stride: Int,
        _ nulls: UnsafeMutablePointer<Int64>?, bit: Int64
    ) {
        switch form {
        case .integer: Self.store(leaf(IntegerLeaf.self).pointee.node, 0, rows, words, stride)
        case .nullableInteger:
            let cells = leaf(NullableIntegerLeaf.self).pointee
            Self.store(cells.node, NullableIntegerLeaf.first, rows, words, stride)
            guard let nulls else { return }
            for i in 0..<rows.count where words[i &* stride] == cells.marker {
                nulls[i &* stride] |= bit
            }
        default: preconditionFailure("a leaf of other values than integers")
        }
    }

    private static func store(
        _ node: NodeView, _ first: Int, _ rows: Range<Int>, _ words: UnsafeMutablePointer<Int64>,
        _ stride: Int
    ) {
        let first = first + rows.lowerBound
        if stride == 1 {
            return IntegerKernels.decode(node, first: first, count: rows.count, into: words)
        }
        for i in 0..<rows.count { words[i &* stride] = node.integer(first &+ i) }
    }
}
