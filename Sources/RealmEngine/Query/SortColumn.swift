/// One key of SORT or DISTINCT for all rows: a rank, 64 bits that order most values by themselves,
/// and the values for when they do not.
final class SortColumn {
    let key: BoundSortKey
    /// 0 null, 255 behind a null link, between them the kinds in the order of values.
    private(set) var ranks: [UInt8] = []
    private(set) var bits: [UInt64] = []
    /// Empty when `bits` say everything.
    private(set) var values: [Value] = []
    /// Values of unlike types whose approximations do not follow their order.
    private let isMixed: Bool
    /// A decimal may equal doubles that are not equal to each other, so then no number is hashed.
    private var hasDecimals = false
    private let isExact: Bool

    static let missing: UInt8 = 255

    init(_ key: BoundSortKey, capacity: Int) {
        self.key = key
        let type = key.column.layout.type
        isMixed = type == .mixed || key.key != nil
        switch type {
        case .int, .bool, .float, .double, .link: isExact = key.key == nil
        default: isExact = false
        }
        ranks.reserveCapacity(capacity)
        bits.reserveCapacity(capacity)
        if !isExact { values.reserveCapacity(capacity) }
    }

    /// Appends the key of the object at `spot`.
    func add(_ spot: Spot, _ evaluator: QueryEvaluator) throws(RealmError) {
        guard let target = try evaluator.follow(key.hops[...], from: spot) else {
            append(.null, rank: Self.missing)
            return
        }
        var value = try target.value(key.column)
        if let entry = key.key {
            guard case .dictionary(let view) = value else { return append(.null, rank: 0) }
            value = try evaluator.entry(view, entry) ?? .null
        }
        append(value, rank: UInt8(ValueOrder.rank(value) + 1))
    }

    private func append(_ value: Value, rank: UInt8) {
        ranks.append(rank)
        bits.append(isMixed ? 0 : Self.bits(of: value))
        if isExact { return }
        values.append(value)
        if case .decimal = value { hasDecimals = true }
    }

    /// Bits whose unsigned order never contradicts the order of values of one type.
    static func bits(of value: Value) -> UInt64 {
        switch value {
        case .int(let x): UInt64(bitPattern: x) ^ 1 << 63
        case .bool(let x): x ? 1 : 0
        case .float(let x): bits(of: Double(x))
        case .double(let x): bits(of: x)
        case .string(let text), .binary(let text): prefix(of: text)
        case .timestamp(let time): UInt64(bitPattern: time.seconds) ^ 1 << 63
        case .objectID(let id): id.high
        case .uuid(let id): id.high
        case .link(let link): UInt64(bitPattern: link.key.raw) ^ 1 << 63
        case .decimal, .null, .list, .set, .dictionary: 0
        }
    }

    private static func bits(of x: Double) -> UInt64 {
        // All NaNs are one, below every number; both zeros are one.
        if x.isNaN { return 0 }
        let pattern = x == 0 ? 0 : x.bitPattern
        return pattern >> 63 != 0 ? ~pattern : pattern | 1 << 63
    }

    /// The first eight bytes as a big-endian number, zeros behind a shorter text.
    private static func prefix(of text: ByteView) -> UInt64 {
        if text.count >= 8 { return text.base.loadUnaligned(as: UInt64.self).byteSwapped }
        var bits: UInt64 = 0
        for i in 0..<text.count { bits |= UInt64(text[i]) << UInt64(56 - 8 * i) }
        return bits
    }

    /// Negative, zero or positive, ascending.
    @inline(__always)
    func compare(_ a: Int, _ b: Int) -> Int {
        if ranks[a] != ranks[b] { return ranks[a] < ranks[b] ? -1 : 1 }
        if bits[a] != bits[b] { return bits[a] < bits[b] ? -1 : 1 }
        return isExact ? 0 : ValueRules.compare(values[a], values[b])
    }

    /// A number that equal keys share.
    func hash(_ row: Int) -> UInt64 {
        var hash = UInt64(ranks[row]) &* 0x9E37_79B9_7F4A_7C15 ^ bits[row]
        guard !isExact else { return hash }
        switch values[row] {
        case .string(let text), .binary(let text):
            for i in 0..<text.count { hash = (hash ^ UInt64(text[i])) &* 0x100_0000_01B3 }
        case .timestamp(let time): hash ^= UInt64(bitPattern: time.seconds)
        case .int(let x) where !hasDecimals: hash ^= Self.bits(of: Double(x))
        case .float(let x) where !hasDecimals: hash ^= Self.bits(of: Double(x))
        case .double(let x) where !hasDecimals: hash ^= Self.bits(of: x)
        default: break
        }
        return hash
    }
}

/// The order of rows by several columns; ties keep the order they are in.
struct SortOrder {
    private struct Entry {
        let bits: UInt64
        let row: UInt32
        let rank: UInt8
    }

    private let columns: [SortColumn]
    private let count: Int

    init(_ columns: [SortColumn], count: Int) {
        self.columns = columns
        self.count = count
    }

    /// The first `limit` rows in order.
    func sorted(limit: Int) -> [UInt32] {
        var entries = entries()
        if limit < count / 4 { entries = best(limit, of: entries) }
        entries.sort { precedes($0, $1) }
        return entries.prefix(limit).map(\.row)
    }

    private func entries() -> [Entry] {
        let first = columns[0]
        let flip: UInt64 = first.key.isAscending ? 0 : .max
        return (0..<count).map {
            Entry(
                bits: first.bits[$0] ^ flip, row: UInt32($0),
                rank: first.ranks[$0] ^ UInt8(truncatingIfNeeded: flip))
        }
    }

    private func precedes(_ a: Entry, _ b: Entry) -> Bool {
        if a.rank != b.rank { return a.rank < b.rank }
        if a.bits != b.bits { return a.bits < b.bits }
        for column in columns {
            let order = column.compare(Int(a.row), Int(b.row))
            if order != 0 { return column.key.isAscending ? order < 0 : order > 0 }
        }
        return a.row < b.row
    }

    /// The `limit` first entries, unsorted: candidates are cut back whenever they are twice as
    /// many, and whatever comes after the last of them is passed over.
    private func best(_ limit: Int, of entries: [Entry]) -> [Entry] {
        if limit <= 0 { return [] }
        let room = max(64, limit * 2)
        var kept: [Entry] = []
        kept.reserveCapacity(room)
        var worst: Entry?
        for entry in entries {
            if let worst, !precedes(entry, worst) { continue }
            kept.append(entry)
            if kept.count == room {
                kept.sort { precedes($0, $1) }
                kept.removeLast(kept.count - limit)
                worst = kept[limit - 1]
            }
        }
        return kept
    }
}

/// The first row of each set of equal keys.
struct DistinctSet {
    private let columns: [SortColumn]
    private let count: Int

    init(_ columns: [SortColumn], count: Int) {
        self.columns = columns
        self.count = count
    }

    /// In the order they are in; rows behind a null link are left out.
    func firstRows() -> [UInt32] {
        var capacity = 64
        while capacity < count * 2 { capacity *= 2 }
        var slots = [Int32](repeating: -1, count: capacity)
        var result: [UInt32] = []
        rows: for row in 0..<count {
            for column in columns where column.ranks[row] == SortColumn.missing { continue rows }
            var slot = Int(truncatingIfNeeded: hash(row)) & (capacity - 1)
            while slots[slot] >= 0 {
                if areEqual(Int(slots[slot]), row) { continue rows }
                slot = (slot + 1) & (capacity - 1)
            }
            slots[slot] = Int32(row)
            result.append(UInt32(row))
        }
        return result
    }

    private func hash(_ row: Int) -> UInt64 {
        var hash: UInt64 = 0
        for column in columns { hash = (hash ^ column.hash(row)) &* 0x9E37_79B9_7F4A_7C15 }
        return hash ^ hash >> 32
    }

    private func areEqual(_ a: Int, _ b: Int) -> Bool {
        for column in columns where column.compare(a, b) != 0 { return false }
        return true
    }
}
