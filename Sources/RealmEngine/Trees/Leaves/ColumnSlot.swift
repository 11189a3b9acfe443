/// A place for the column leaves of one column, one after the other, from which values are read
/// faster than from a `ColumnLeaf`: the frequent forms lie there in their own layout, so that
/// reading a value touches the few fields it needs instead of copying the whole enumeration.
///
/// Owns its memory; whoever made it calls `free`.
struct ColumnSlot {
    private enum Form: UInt8 {
        case integer, nullableInteger, bool, double, string, timestamp, link, collection
        /// No leaf: every value is null.
        case empty
        /// Any other: the memory holds the `ColumnLeaf` itself.
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

    /// Takes the place of the leaf before. All leaves are trivial, so nothing is left to clean up.
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

    /// Takes the place of the leaf before; there is none any more.
    mutating func clear() { form = .empty }

    private mutating func put<Leaf>(_ leaf: Leaf, _ form: Form) {
        self.form = form
        memory.initializeMemory(as: Leaf.self, to: leaf)
    }

    @inline(__always)
    private func leaf<Leaf>(_ type: Leaf.Type) -> UnsafeMutablePointer<Leaf> {
        memory.assumingMemoryBound(to: type)
    }

    /// Value `i` as a user sees it; `i` is below the leaf's count.
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
}
