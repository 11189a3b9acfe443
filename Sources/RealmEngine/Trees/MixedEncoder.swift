/// Writes a mixed leaf: a word per element and the pools they point into (object format 3.13).
struct MixedEncoder {
    let context: EditContext
    private var words: [Int64] = []
    private var numbers: [Int64] = []
    private var pairs: [Int64] = []
    private let bytes = LeafBuffer()
    private var refs: [UInt64] = []
    private var keys: [Int64] = []
    private var hasKeys = false

    init(context: EditContext) { self.context = context }

    func encode(_ values: UnsafeBufferPointer<Value>) throws(RealmError) -> Ref {
        var encoder = self
        for value in values {
            encoder.keys.append(0)
            encoder.words.append(encoder.word(value))
        }
        return try encoder.finish()
    }

    private func finish() throws(RealmError) -> Ref {
        let encoder = context.encoder
        var slots: [UInt64] = [try encoder.integers(words).raw]
        slots.append(numbers.isEmpty ? 0 : try encoder.integers(numbers).raw)
        slots.append(pairs.isEmpty ? 0 : try encoder.integers(pairs).raw)
        slots.append(
            bytes.count == 0
                ? 0 : try LeafEncoder(context: context).bytes(bytes, isString: true).raw)
        slots.append(refs.isEmpty ? 0 : try encoder.refs(refs).raw)
        slots.append(hasKeys ? try encoder.integers(keys).raw : 0)
        return try encoder.refs(slots)
    }

    static func word(_ payload: Int, pool: Int64, type: Int64) -> Int64 {
        Int64(payload) << 8 | pool << 5 | type
    }

    private mutating func word(_ value: Value) -> Int64 {
        switch value {
        case .null, .set: return 0
        case .int(let v):
            if v >= -0x8000_0000, v <= 0x7FFF_FFFF { return v << 8 | 1 }
            return number(v, type: 1)
        case .bool(let v): return (v ? 1 : 0) << 8 | 2
        case .string: return blob(value, type: 3)
        case .binary(let v): return blob(.string(v), type: 5)
        case .timestamp(let v): return pair(v.seconds, Int64(v.nanoseconds), type: 9)
        case .float(let v): return number(Int64(v.bitPattern), type: 10)
        case .double(let v): return number(Int64(bitPattern: v.bitPattern), type: 11)
        case .decimal(let v):
            return pair(Int64(bitPattern: v.low), Int64(bitPattern: v.high), type: 12)
        case .objectID(let v): return id(12, type: 16) { v.store(to: $0) }
        case .link(let v): return pair(Int64(v.table.raw), v.key.raw, type: 17)
        case .uuid(let v): return id(16, type: 18) { v.store(to: $0) }
        case .list(let v): return nested(v, type: 20)
        case .dictionary(let v): return nested(v, type: 22)
        }
    }

    private mutating func number(_ v: Int64, type: Int64) -> Int64 {
        numbers.append(v)
        return Self.word(numbers.count - 1, pool: 1, type: type)
    }

    private mutating func pair(_ a: Int64, _ b: Int64, type: Int64) -> Int64 {
        pairs.append(a)
        pairs.append(b)
        return Self.word(pairs.count / 2 - 1, pool: 2, type: type)
    }

    private mutating func blob(_ value: Value, type: Int64) -> Int64 {
        bytes.append(value)
        return Self.word(bytes.count - 1, pool: 3, type: type)
    }

    private mutating func id(
        _ count: Int, type: Int64, _ store: (UnsafeMutableRawPointer) -> Void
    ) -> Int64 {
        let copy = context.arena.allocate(count)
        store(copy)
        return blob(.string(ByteView(copy, count: count)), type: type)
    }

    private mutating func nested(_ view: CollectionView, type: Int64) -> Int64 {
        refs.append(view.root.raw)
        keys[keys.count - 1] = Int64(view.key)
        if view.key != 0 { hasKeys = true }
        return Self.word(refs.count - 1, pool: 4, type: type)
    }
}
