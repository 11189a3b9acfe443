/// Leaf of integers that are never null (object format 3.1).
struct IntegerLeaf {
    let node: NodeView

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.integers(ref, "integer leaf")
    }

    /// - Parameter node: an integer leaf that has been opened and checked before.
    init(opened node: NodeView) { self.node = node }

    @inline(__always) var count: Int { node.count }
    @inline(__always) func value(_ i: Int) -> Int64 { node.integer(i) }
    @inline(__always) func stored(_ i: Int) -> Value { .int(value(i)) }
}

/// Leaf of optional integers. Element 0 is the null marker, the number that means null (object
/// format 3.2).
struct NullableIntegerLeaf {
    let node: NodeView
    let marker: Int64

    /// Index of the first value in the array. Element 0 of the array is the null marker.
    static let first = 1
    /// Null marker for each width code: the largest value of the width. With 64 bits, the marker
    /// may be any number that is no value of the leaf; writers prefer the largest.
    static let markers: [Int64] = [0, 1, 3, 15, 127, 32767, 0x7FFF_FFFF, .max]

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.integers(ref, "nullable integer leaf")
        guard node.count >= 1 else {
            throw .corrupt("a nullable integer leaf without its null marker", at: ref)
        }
        marker = node.nullMarker
    }

    /// - Parameter node: a leaf of optional integers that has been opened and checked before.
    init(opened node: NodeView) {
        self.node = node
        marker = node.nullMarker
    }

    @inline(__always) var count: Int { node.count - Self.first }

    /// The rows that are null. The leaf must have at most 256 values.
    var nullRows: Selection {
        IntegerKernels.rows(
            in: IntegerRange(low: marker, high: marker), node, first: Self.first,
            count: count)
    }

    @inline(__always) func value(_ i: Int) -> Int64? {
        let v = node.integer(i + Self.first)
        return v == marker ? nil : v
    }

    @inline(__always) func stored(_ i: Int) -> Value {
        guard let value = value(i) else { return .null }
        return .int(value)
    }
}

extension NodeView {
    /// The number that means null in a leaf of optional integers.
    @inline(__always) var nullMarker: Int64 { integer(0) }
}

/// Leaf of booleans: 0 is false, 3 is null, and every other number is true; 1 is what writers store
/// (object format 3.3).
struct BoolLeaf {
    let node: NodeView
    static let null: Int64 = 3

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.integers(ref, "bool leaf")
    }

    /// - Parameter node: a leaf of booleans that has been opened and checked before.
    init(opened node: NodeView) { self.node = node }

    @inline(__always) var count: Int { node.count }

    @inline(__always) func value(_ i: Int) -> Bool? {
        let v = node.integer(i)
        return v == Self.null ? nil : v != 0
    }

    @inline(__always) func stored(_ i: Int) -> Value {
        guard let value = value(i) else { return .null }
        return .bool(value)
    }
}

/// Leaf of IEEE single-precision numbers. One of the NaN bit patterns means null (object format
/// 3.4).
struct FloatLeaf {
    let node: NodeView
    static let nullBits: UInt32 = 0x7FC0_00AA

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.node(ref)
        guard !node.hasRefs, node.widthType == 1, node.width == 4 || node.count == 0 else {
            throw space.wrongShape(ref, "float leaf")
        }
    }

    /// - Parameter node: a leaf of floats that has been opened and checked before.
    init(opened node: NodeView) { self.node = node }

    @inline(__always) var count: Int { node.count }

    /// All numbers as stored; null is a NaN.
    @inline(__always) var numbers: UnsafePointer<Float> {
        node.payload.assumingMemoryBound(to: Float.self)
    }

    @inline(__always) func value(_ i: Int) -> Float? {
        let bits = node.payload.load(fromByteOffset: i &* 4, as: UInt32.self)
        return bits == Self.nullBits ? nil : Float(bitPattern: bits)
    }

    /// Number `i` as stored; null is a NaN.
    @inline(__always) func number(_ i: Int) -> Float {
        Float(bitPattern: node.payload.load(fromByteOffset: i &* 4, as: UInt32.self))
    }

    @inline(__always) func stored(_ i: Int) -> Value { value(i).map(Value.float) ?? .null }
}

/// Leaf of IEEE double-precision numbers. One of the NaN bit patterns means null (object format
/// 3.4).
struct DoubleLeaf {
    let node: NodeView
    static let nullBits: UInt64 = 0x7FF8_0000_0000_00AA

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.node(ref)
        guard !node.hasRefs, node.widthType == 1, node.width == 8 || node.count == 0 else {
            throw space.wrongShape(ref, "double leaf")
        }
    }

    /// - Parameter node: a leaf of doubles that has been opened and checked before.
    init(opened node: NodeView) { self.node = node }

    @inline(__always) var count: Int { node.count }

    /// All numbers as stored; null is a NaN.
    @inline(__always) var numbers: UnsafePointer<Double> {
        node.payload.assumingMemoryBound(to: Double.self)
    }

    @inline(__always) func value(_ i: Int) -> Double? {
        let bits = node.payload.load(fromByteOffset: i &* 8, as: UInt64.self)
        return bits == Self.nullBits ? nil : Double(bitPattern: bits)
    }

    /// Number `i` as stored; null is a NaN.
    @inline(__always) func number(_ i: Int) -> Double {
        Double(bitPattern: node.payload.load(fromByteOffset: i &* 8, as: UInt64.self))
    }

    @inline(__always) func stored(_ i: Int) -> Value {
        guard let value = value(i) else { return .null }
        return .double(value)
    }
}

/// Leaf of timestamps: an array of optional seconds and an array of nanoseconds (object format
/// 3.8).
struct TimestampLeaf {
    let seconds: NullableIntegerLeaf
    let nanoseconds: NodeView

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        let node = try space.refNode(ref, slots: TimestampLeafShape.count, "timestamp leaf")
        seconds = try NullableIntegerLeaf(space, node.slot(TimestampLeafShape.seconds).ref)
        nanoseconds = try space.integers(
            node.slot(TimestampLeafShape.nanoseconds).ref, "nanoseconds")
        guard nanoseconds.count >= seconds.count else {
            throw .corrupt("a timestamp leaf with fewer nanoseconds than seconds", at: ref)
        }
    }

    @inline(__always) var count: Int { seconds.count }

    @inline(__always) func value(_ i: Int) -> Timestamp? {
        guard let s = seconds.value(i) else { return nil }
        return Timestamp(
            seconds: s, nanoseconds: Int32(truncatingIfNeeded: nanoseconds.integer(i)))
    }

    /// Returns value `i`; throws `corrupt` if it is outside the range of `Timestamp`.
    @inline(__always) func checkedValue(_ i: Int) throws(RealmError) -> Timestamp? {
        guard let s = seconds.value(i) else { return nil }
        guard let time = Timestamp(storedSeconds: s, nanoseconds: nanoseconds.integer(i)) else {
            throw .corrupt("a timestamp out of range", in: "date")
        }
        return time
    }

    @inline(__always) func stored(_ i: Int) throws(RealmError) -> Value {
        guard let time = try checkedValue(i) else { return .null }
        return .timestamp(time)
    }
}

/// Leaf of decimals; all take the same number of bytes, which is 0, 4, 8 or 16 (object format
/// 3.10).
struct DecimalLeaf {
    let node: NodeView

    init(_ space: NodeSpace, _ ref: Ref) throws(RealmError) {
        node = try space.node(ref)
        let width = node.width
        guard !node.hasRefs, node.widthType == 1,
            width == 0 || width == 4 || width == 8 || width == 16
        else { throw space.wrongShape(ref, "decimal leaf") }
    }

    @inline(__always) var count: Int { node.count }

    @inline(__always) func value(_ i: Int) -> Decimal128? {
        let p = node.payload
        let value: Decimal128
        switch node.width {
        case 0: return node.context ? Decimal128.zero : nil
        case 4: value = Decimal128(packed32: p.load(fromByteOffset: i &* 4, as: UInt32.self))
        case 8: value = Decimal128(packed64: p.load(fromByteOffset: i &* 8, as: UInt64.self))
        default:
            value = Decimal128(
                high: p.load(fromByteOffset: i &* 16 + 8, as: UInt64.self),
                low: p.load(fromByteOffset: i &* 16, as: UInt64.self))
        }
        return value == .null ? nil : value
    }

    func stored(_ i: Int) -> Value { value(i).map(Value.decimal) ?? .null }
}

/// Leaf of object ids (12 bytes) or UUIDs (16 bytes), in blocks of eight. Each block begins with a
/// byte of null bits (object format 3.9).
struct FixedBytesLeaf {
    let node: NodeView
    let count: Int
    let width: Int

    init(_ space: NodeSpace, _ ref: Ref, width: Int) throws(RealmError) {
        node = try space.node(ref)
        guard !node.hasRefs, node.widthType == 1, node.width <= 1 else {
            throw space.wrongShape(ref, "fixed-width leaf")
        }
        self.width = width
        let blocks = IDBlocks(width: width)
        let size = node.width == 0 ? 0 : node.count
        count = blocks.count(size)
        guard size == count * width + blocks.blockCount(size) else {
            throw .corrupt("\(size) bytes are no whole number of ids", at: ref)
        }
    }

    /// Address of element `i`; nil for null.
    @inline(__always) func bytes(_ i: Int) -> UnsafeRawPointer? {
        let blocks = IDBlocks(width: width)
        guard node.byte(blocks.nulls(i)) & IDBlocks.bit(i) == 0 else { return nil }
        return node.payload + blocks.offset(i)
    }
}
