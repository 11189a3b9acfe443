/// Values of one column, stored as one or two numbers each, from which leaves are encoded.
///
/// | layout | `words` | `extras` |
/// |---|---|---|
/// | int, optional | the number | 1 for null |
/// | string, binary | the address of the bytes, 0 for null | their count |
/// | timestamp | seconds | nanoseconds, `nullTime` for null |
/// | int, bool, float, double, link, backlink, collection | as a leaf of the type stores it | |
///
/// Values of rare types are stored as `Value`. The caller owns the bytes. The address of a cell
/// stays the same during the lifetime of the object.
final class LeafCells {
    enum Form: UInt8 { case numbers, optionalNumbers, bytes, times, values }

    let layout: LeafLayout
    let form: Form
    let capacity: Int
    private let memory: UnsafeMutableRawPointer
    /// First number of each cell; unused if cells are stored as `Value`.
    let words: UnsafeMutablePointer<Int64>
    /// Second number of each cell; equal to `words` for layouts with one number per cell.
    let extras: UnsafeMutablePointer<Int64>
    /// The cells, if they are stored as `Value`.
    let values: UnsafeMutablePointer<Value>
    /// The number in `words` that means null. Used by layouts with one number per cell.
    private let nullWord: Int64

    static let nullTime = Int64.min
    static let noLink = ObjectKey.none.raw

    private let ownsMemory: Bool

    /// Makes cells that are all zero: empty collections, or columns without backlinks.
    ///
    /// - Parameter memory: `byteSize(_:capacity:)` bytes that must outlive the cells; nil to
    ///   allocate.
    init(_ layout: LeafLayout, capacity: Int, memory shared: UnsafeMutableRawPointer? = nil) {
        self.layout = layout
        self.capacity = capacity
        form = Self.form(layout)
        let size = Self.bytesPerCell(form)
        memory = shared ?? .allocate(byteCount: size * capacity, alignment: Self.alignment)
        ownsMemory = shared == nil
        words = memory.assumingMemoryBound(to: Int64.self)
        values = memory.assumingMemoryBound(to: Value.self)
        if form != .values { words.initialize(repeating: 0, count: capacity) }
        extras = size > 8 && form != .values ? words + capacity : words
        nullWord = layout.nullNumber
    }

    /// Copies the first `count` cells of `smaller` to a larger buffer.
    convenience init(_ smaller: LeafCells, count: Int, capacity: Int) {
        self.init(smaller.layout, capacity: capacity)
        copy(smaller, from: 0, count: count, to: 0)
    }

    /// Memory, in bytes, that the cells take.
    var byteSize: Int { Self.bytesPerCell(form) * capacity }

    private static func bytesPerCell(_ form: Form) -> Int {
        switch form {
        case .numbers: 8
        case .optionalNumbers, .bytes, .times: 16
        case .values: MemoryLayout<Value>.stride
        }
    }

    /// Memory, in bytes, for `capacity` cells of a layout, rounded up to the alignment.
    static func byteSize(_ layout: LeafLayout, capacity: Int) -> Int {
        (bytesPerCell(form(layout)) * capacity + alignment - 1) / alignment * alignment
    }

    static let alignment = MemoryLayout<Value>.alignment

    deinit { if ownsMemory { memory.deallocate() } }

    private static func form(_ layout: LeafLayout) -> Form {
        if layout.collection != nil { return .numbers }
        switch layout.type {
        case .int: return layout.isNullable ? .optionalNumbers : .numbers
        case .bool, .float, .double, .link, .backlink: return .numbers
        case .string, .binary: return .bytes
        case .timestamp: return .times
        case .decimal, .objectID, .uuid, .mixed, .typedLink: return .values
        }
    }

    /// Pointers to the cells, for storing values without reference counting. Valid during the
    /// lifetime of the cells.
    var target: Target {
        Target(
            form: form, isCollection: layout.collection != nil, nullWord: nullWord, words: words,
            extras: extras, values: values)
    }

    /// Returns the value of cell `i`, as stored.
    func value(_ i: Int) -> Value {
        assert(i >= 0 && i < capacity)
        switch form {
        case .numbers: return value(number: words[i])
        case .optionalNumbers: return extras[i] != 0 ? .null : .int(words[i])
        case .bytes:
            guard let base = UnsafeRawPointer(bitPattern: Int(words[i])) else { return .null }
            let bytes = ByteView(base, count: Int(extras[i]))
            return layout.type == .string ? .string(bytes) : .binary(bytes)
        case .times:
            guard extras[i] != Self.nullTime else { return .null }
            return .timestamp(
                Timestamp(seconds: words[i], nanoseconds: Int32(truncatingIfNeeded: extras[i])))
        case .values: return values[i]
        }
    }

    private func value(number word: Int64) -> Value {
        if let kind = layout.collection {
            return kind.value(
                CollectionView(root: Ref(UInt64(bitPattern: word)), element: layout.element))
        }
        if word == nullWord, layout.type != .int, layout.type != .backlink { return .null }
        switch layout.type {
        case .bool: return .bool(word != 0)
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
        case .double: return .double(Double(bitPattern: UInt64(bitPattern: word)))
        case .link: return .link(ObjectLink(table: layout.target, key: ObjectKey(word)))
        default: return .int(word)
        }
    }

    /// Copies `count` cells of another object with the same form.
    func copy(_ other: LeafCells, from start: Int, count: Int, to i: Int) {
        precondition(form == other.form && count >= 0)
        precondition(i >= 0 && i + count <= capacity)
        precondition(start >= 0 && start + count <= other.capacity)
        switch form {
        case .numbers: (words + i).update(from: other.words + start, count: count)
        case .values: (values + i).update(from: other.values + start, count: count)
        case .optionalNumbers, .bytes, .times:
            (words + i).update(from: other.words + start, count: count)
            (extras + i).update(from: other.extras + start, count: count)
        }
    }
}

extension LeafCells {
    /// Moves cells; source and destination may overlap.
    func move(_ range: Range<Int>, to i: Int) {
        precondition(range.lowerBound >= 0 && range.upperBound <= capacity)
        precondition(i >= 0 && i + range.count <= capacity)
        if form == .values {
            (values + i).update(from: values + range.lowerBound, count: range.count)
            return
        }
        (words + i).update(from: words + range.lowerBound, count: range.count)
        if form == .numbers { return }
        (extras + i).update(from: extras + range.lowerBound, count: range.count)
    }

    /// Stores values in cells without checks. The values must fit the layout, and the indexes must
    /// be below the capacity.
    struct Target {
        let form: Form
        let isCollection: Bool
        fileprivate let nullWord: Int64
        fileprivate let words: UnsafeMutablePointer<Int64>
        fileprivate let extras: UnsafeMutablePointer<Int64>
        fileprivate let values: UnsafeMutablePointer<Value>

        /// Stores a value that fits the layout in cell `i`.
        @inline(__always)
        func store(_ value: Value, at i: Int) {
            switch form {
            case .numbers: words[i] = number(value)
            case .optionalNumbers:
                if case .int(let v) = value {
                    (words[i], extras[i]) = (v, 0)
                } else {
                    (words[i], extras[i]) = (0, 1)
                }
            case .bytes:
                switch value {
                case .string(let v), .binary(let v):
                    (words[i], extras[i]) = (Int64(Int(bitPattern: v.base)), Int64(v.count))
                default: (words[i], extras[i]) = (0, 0)
                }
            case .times:
                if case .timestamp(let v) = value {
                    (words[i], extras[i]) = (v.seconds, Int64(v.nanoseconds))
                } else {
                    (words[i], extras[i]) = (0, LeafCells.nullTime)
                }
            case .values: values[i] = value
            }
        }

        @inline(__always)
        private func number(_ value: Value) -> Int64 {
            switch value {
            case .int(let v): v
            case .bool(let v): v ? 1 : 0
            case .double(let v): Int64(bitPattern: v.bitPattern)
            case .float(let v): Int64(v.bitPattern)
            case .link(let v): v.key.raw
            case .list(let v), .set(let v), .dictionary(let v): Int64(bitPattern: v.root.raw)
            default: nullWord
            }
        }
    }
}

/// Addresses and counts of the bytes of a leaf's values.
struct ByteCells {
    /// Address of the bytes of each value; 0 for null.
    let addresses: UnsafePointer<Int64>
    let counts: UnsafePointer<Int64>
    let count: Int

    /// Bytes of value `i`; nil for null.
    @inline(__always)
    subscript(i: Int) -> ByteView? {
        guard let base = UnsafeRawPointer(bitPattern: Int(addresses[i])) else { return nil }
        return ByteView(base, count: Int(counts[i]))
    }

    /// Number of bytes of the longest value; -1 if all are null.
    var maximumSize: Int {
        var maximumSize: Int64 = -1
        for i in 0..<count where addresses[i] != 0 { maximumSize = max(maximumSize, counts[i]) }
        return Int(maximumSize)
    }
}
