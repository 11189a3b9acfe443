/// The bytes under which a search index stores a value (object format 5.2).
///
/// Numbers and ids are stored inline; the bytes of texts and binaries are referenced. An index
/// string is valid as long as the value it was made from.
struct IndexString: @unchecked Sendable {
    /// Address of the bytes; nil if they are stored in `low` and `high`.
    private let bytes: UnsafeRawPointer?
    /// The first and the second eight bytes, little-endian. Unused if `bytes` is not nil.
    private let low: UInt64
    private let high: UInt64
    /// Number of bytes; 0 for null and for an empty string.
    let count: Int
    /// Distinguishes null from an empty string.
    let isNull: Bool

    static let null = IndexString(low: 0, count: 0, isNull: true)

    private init(low: UInt64, high: UInt64 = 0, count: Int, isNull: Bool = false) {
        bytes = nil
        self.low = low
        self.high = high
        self.count = count
        self.isNull = isNull
    }

    @inline(__always)
    init(_ view: ByteView) {
        bytes = view.base
        low = 0
        high = 0
        count = view.count
        isNull = false
    }

    @inline(__always)
    init(_ number: Int64) {
        self.init(low: UInt64(bitPattern: number), count: 8)
    }

    private init(_ text: StaticString) {
        self.init(ByteView(text.utf8Start, count: text.utf8CodeUnitCount))
    }

    init(_ value: Value) {
        switch value {
        case .int(let v): self.init(v)
        case .string(let v), .binary(let v): self.init(v)
        case .null: self = .null
        case .bool(let v): self.init(v ? 1 : 0)
        case .timestamp(let v):
            self.init(
                low: UInt64(bitPattern: v.seconds),
                high: UInt64(UInt32(bitPattern: v.nanoseconds)), count: 12)
        case .objectID(let v):
            self.init(low: v.high.byteSwapped, high: UInt64(v.low.byteSwapped), count: 12)
        case .uuid(let v):
            self.init(low: v.high.byteSwapped, high: v.low.byteSwapped, count: 16)
        default: self = Self.other(value)
        }
    }

    /// Makes index strings of the types that only mixed columns contain.
    private static func other(_ value: Value) -> IndexString {
        switch value {
        case .float(let v):
            if let whole = Int32(exactly: v) { return IndexString(Int64(whole)) }
            return IndexString(low: UInt64(v.bitPattern), count: 4)
        case .double(let v):
            if let whole = Int32(exactly: v) { return IndexString(Int64(whole)) }
            return IndexString(low: v.bitPattern, count: 8)
        case .decimal(let v):
            // Decimals are truncated: decimals that differ only in their fraction share an index
            // string.
            if let whole = v.truncatedToInt64 { return IndexString(whole) }
            return IndexString(low: v.low, high: v.high, count: 16)
        case .link(let v):
            if v.key.raw < 0 { return .null }
            let key = UInt64(bitPattern: v.key.raw)
            return IndexString(
                low: UInt64(v.table.raw) | key << 32, high: key >> 32, count: 12)
        case .list: return IndexString("__List__")
        case .dictionary: return IndexString("__Dictionary__")
        default: return .null
        }
    }

    /// The four bytes at `offset`, a multiple of 4, as one number. After the last byte of the
    /// string follows an `X`, which marks its end (object format 5.3).
    @inline(__always)
    func chunk(at offset: Int) -> Int32 {
        let left = count &- offset
        if left >= 4 { return Int32(bitPattern: word(at: offset).bigEndian) }
        if isNull || left < 0 { return 0 }
        return lastChunk(at: offset, left)
    }

    @inline(__always)
    private func word(at offset: Int) -> UInt32 {
        if let bytes { return bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        let half = offset < 8 ? low : high
        return UInt32(truncatingIfNeeded: half >> UInt64((offset & 4) << 3))
    }

    private func lastChunk(at offset: Int, _ left: Int) -> Int32 {
        var chunk: UInt32 = 0
        for i in 0..<left { chunk = chunk << 8 | UInt32(byte(offset + i)) }
        chunk = chunk << 8 | Self.terminator
        return Int32(bitPattern: chunk << UInt32(8 * (3 - left)))
    }

    private func byte(_ i: Int) -> UInt8 {
        if let bytes { return bytes.load(fromByteOffset: i, as: UInt8.self) }
        let half = i < 8 ? low : high
        return UInt8(truncatingIfNeeded: half >> UInt64((i & 7) * 8))
    }

    private static let terminator: UInt32 = 0x58
    /// Last chunk of a string with a length divisible by four: only the terminator `X` and zeros.
    static let end: Int32 = 0x5800_0000

    static func == (a: IndexString, b: IndexString) -> Bool {
        guard a.count == b.count, a.isNull == b.isNull else { return false }
        if let x = a.bytes, let y = b.bytes {
            return ByteView(x, count: a.count) == ByteView(y, count: b.count)
        }
        if a.bytes == nil, b.bytes == nil { return a.low == b.low && a.high == b.high }
        return (0..<a.count).allSatisfy { a.byte($0) == b.byte($0) }
    }

    static func != (a: IndexString, b: IndexString) -> Bool { !(a == b) }

    /// Whether both strings have the same chunks up to and including the chunk at `offset`.
    func sharesPath(with other: IndexString, through offset: Int) -> Bool {
        var at = 0
        while at <= offset {
            if chunk(at: at) != other.chunk(at: at) { return false }
            at += 4
        }
        return true
    }
}

extension IndexString {
    typealias Words = SIMD8<UInt64>

    /// The bytes, padded with zeros to 64; nil if there are more than 64.
    var words: Words? {
        guard count <= 64 else { return nil }
        var words = Words(low, high, 0, 0, 0, 0, 0, 0)
        guard let bytes else { return words }
        withUnsafeMutableBytes(of: &words) {
            $0.baseAddress!.copyMemory(from: bytes, byteCount: count)
        }
        return words
    }
}
