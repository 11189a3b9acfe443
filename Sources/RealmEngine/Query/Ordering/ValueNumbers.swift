/// Assigns the ordinals 0, 1, 2 ... to values, in the order of first occurrence. Equal values have
/// the same ordinal.
///
/// The hash uses a random secret, so that a file cannot be built to make all values collide.
final class ValueNumbers {
    /// The value of each ordinal: of several equal values, the first that occurred. If `heads` is
    /// not nil, texts of up to `TextHeads.maximumLength` bytes are copies.
    let values = ReusedBuffer<Value>()
    /// Copies of the texts' first bytes; nil if texts are compared in the file's pages.
    private var heads: TextHeads?
    private let hashes = ReusedBuffer<UInt64>()
    private let collation: TextCollation
    /// Sort keys of the texts under the collation; nil without a collation.
    private var keys: TextHeads?
    /// Copy of each value that is a text of at most 16 bytes, at the index that is the value's
    /// ordinal. These texts are compared without reading the file.
    private let shorts = ReusedBuffer<ShortText>()
    /// Hash table of all values so far. A slot contains the value's ordinal plus 1; 0 if the slot
    /// is free.
    private var slots: UnsafeMutablePointer<UInt32>
    private var mask: Int
    private let secret = UInt64.random(in: 0...UInt64.max) | 1

    private static let minimumSlotCount = 256

    init(copiesTexts: Bool = false, _ collation: TextCollation = .binary) {
        self.collation = collation
        if copiesTexts { heads = TextHeads(capacity: 0) }
        if !collation.isBinary { keys = TextHeads(capacity: 0, collation) }
        mask = Self.minimumSlotCount - 1
        slots = .allocate(capacity: Self.minimumSlotCount)
        slots.initialize(repeating: 0, count: Self.minimumSlotCount)
    }

    deinit { slots.deallocate() }

    var count: Int { values.count }

    /// Memory in bytes that the values and their hash table use.
    var size: Int {
        values.count * (MemoryLayout<Value>.stride + MemoryLayout<ShortText>.stride + 8)
            + (mask + 1) * 4 + (heads?.size ?? 0) + (keys?.size ?? 0)
    }

    func removeAll() {
        values.removeAll()
        hashes.removeAll()
        shorts.removeAll()
        if heads != nil { heads = TextHeads(capacity: 0) }
        if keys != nil { keys = TextHeads(capacity: 0, collation) }
        slots.deallocate()
        mask = Self.minimumSlotCount - 1
        slots = .allocate(capacity: Self.minimumSlotCount)
        slots.initialize(repeating: 0, count: Self.minimumSlotCount)
    }

    /// Returns the ordinal of an integer; assigns the next ordinal to a new integer. May be used
    /// only if all values are integers.
    @inline(__always)
    func number(of integer: Int64) -> UInt32 {
        let hash = mix(UInt64(bitPattern: integer))
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while slots[bucket] != 0 {
            let number = slots[bucket] &- 1
            if case .int(integer) = values.all[Int(number)] { return number }
            bucket = (bucket &+ 1) & mask
        }
        return add(.int(integer), hash, at: bucket)
    }

    /// Whether `number(ofShort:)` must be used for texts of at most 16 bytes. False if texts are
    /// compared by a collation.
    @inline(__always)
    var takesShort: Bool { keys == nil }

    /// Returns the ordinal of a text of at most 16 bytes; assigns the next ordinal to a new text.
    /// Texts of that size must be passed to this function only.
    @inline(__always)
    func number(ofShort text: ByteView) -> UInt32 {
        let short = ShortText(text)
        let hash = mix(mix(short.low ^ UInt64(short.count)) ^ short.high)
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while slots[bucket] != 0 {
            let number = slots[bucket] &- 1
            if shorts.all[Int(number)] == short { return number }
            bucket = (bucket &+ 1) & mask
        }
        return add(.string(text), hash, at: bucket, short)
    }

    /// Returns the ordinal of a value of any type; assigns the next ordinal to a new value.
    /// Numerically equal values of different types have the same ordinal.
    func number(of value: Value) -> UInt32 {
        if keys != nil, case .string(let text) = value {
            return collation.withKey(of: text) { number(of: value, key: $0) }
        }
        return number(of: value, hash(value)) { Self.areEqual(values.all[$0], value) }
    }

    /// Returns the ordinal of a value with the given hash; assigns the next ordinal to a new value.
    /// `isEqual` receives an ordinal and returns whether its value equals `value`.
    @inline(__always)
    private func number(
        of value: Value, _ hash: UInt64, _ isEqual: (Int) -> Bool
    ) -> UInt32 {
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while slots[bucket] != 0 {
            let number = slots[bucket] &- 1
            if hashes.all[Int(number)] == hash, isEqual(Int(number)) { return number }
            bucket = (bucket &+ 1) & mask
        }
        return add(value, hash, at: bucket)
    }

    /// Returns the ordinal of a text; assigns the next ordinal to a new text. `key` is the text's
    /// collation key: texts with equal collation keys have the same ordinal.
    private func number(of text: Value, key: ByteView) -> UInt32 {
        let head = ByteView(key.base, count: min(key.count, TextHeads.maximumLength))
        return number(of: text, hash(key)) { number in
            guard let keys, case .string = values.all[number] else { return false }
            return TextHeads.compare(keys[number], head, (values.all[number], text), collation) == 0
        }
    }

    /// Compares the values with the ordinals `a` and `b`: negative, zero or positive.
    func order(_ a: Int, _ b: Int) -> Int {
        let (first, second) = (values.all[a], values.all[b])
        guard let keys, case .string = first, case .string = second else {
            return Self.order(first, second)
        }
        return TextHeads.compare(keys[a], keys[b], (first, second), collation)
    }

    private static func areEqual(_ a: Value, _ b: Value) -> Bool { order(a, b) == 0 }

    /// Compares by rank of the type, nulls first, then by value: negative, zero or positive.
    static func order(_ a: Value, _ b: Value) -> Int { TextCollation.binary.order(a, b) }

    @inline(never)
    private func add(
        _ value: Value, _ hash: UInt64, at bucket: Int, _ short: ShortText = .none
    ) -> UInt32 {
        let number = UInt32(values.count)
        shorts.append(short)
        values.append(heads?.copy(of: value) ?? value)
        keys?.append(value)
        hashes.append(hash)
        slots[bucket] = number + 1
        if values.count * 2 > mask { grow() }
        return number
    }

    private func grow() {
        slots.deallocate()
        mask = (mask + 1) * 4 - 1
        slots = .allocate(capacity: mask + 1)
        slots.initialize(repeating: 0, count: mask + 1)
        for number in 0..<values.count {
            var bucket = Int(truncatingIfNeeded: hashes.all[number]) & mask
            while slots[bucket] != 0 { bucket = (bucket + 1) & mask }
            slots[bucket] = UInt32(number + 1)
        }
    }
}

/// A text of at most 16 bytes, stored in two words.
struct ShortText: Equatable {
    let low: UInt64
    let high: UInt64
    let count: Int

    static let maximumLength = 16
    /// Placeholder for a value that is not a short text. Equals no text.
    static let none = ShortText(low: 0, high: 0, count: -1)

    private init(low: UInt64, high: UInt64, count: Int) {
        (self.low, self.high, self.count) = (low, high, count)
    }

    @inline(__always)
    init(_ text: ByteView) {
        let chunk = ByteChunk(text.base, count: text.count)
        (low, high, count) = (chunk.low, chunk.high, text.count)
    }
}

// MARK: - Hashes

extension ValueNumbers {
    @inline(__always)
    private func mix(_ bits: UInt64) -> UInt64 {
        let product = (bits ^ secret).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15 ^ (secret << 1))
        return product.high ^ product.low
    }

    private func hash(_ value: Value) -> UInt64 {
        switch value {
        case .null: return 1
        case .bool(let x): return x ? 3 : 2
        case .int(let x): return mix(Self.bits(Double(x)))
        case .float(let x): return mix(Self.bits(Double(x)))
        case .double(let x): return mix(Self.bits(x))
        case .decimal(let x): return mix(Self.bits(x.isNaN ? .nan : x.doubleValue))
        case .string(let text), .binary(let text): return hash(text)
        case .timestamp(let time):
            return mix(UInt64(bitPattern: time.seconds)) ^ mix(UInt64(time.nanoseconds.magnitude))
        case .objectID(let id): return mix(id.high) ^ UInt64(id.low)
        case .uuid(let id): return mix(mix(id.high) ^ id.low)
        case .link(let link): return mix(UInt64(bitPattern: link.key.raw))
        case .list: return 4
        case .set: return 5
        case .dictionary: return 6
        }
    }

    private static func bits(_ x: Double) -> UInt64 { x.isNaN ? 1 : x == 0 ? 0 : x.bitPattern }

    private func hash(_ text: ByteView) -> UInt64 {
        var hash = mix(UInt64(text.count))
        var position = 0
        while position &+ 8 <= text.count {
            hash = mix(
                hash ^ text.base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position &+= 8
        }
        var rest: UInt64 = 0
        while position < text.count {
            rest = rest << 8 | UInt64(text[position])
            position &+= 1
        }
        return mix(hash ^ rest)
    }
}
