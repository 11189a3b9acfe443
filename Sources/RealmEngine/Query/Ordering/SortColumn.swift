/// The sort keys of all rows for one property or operand of SORT or DISTINCT.
final class SortColumn {
    let key: BoundSortKey
    private let evaluator: QueryEvaluator
    /// Rank of each row's key, by which keys are compared first: 0 for null, 255 after a null link,
    /// otherwise the position of the value's type in the order of types.
    let ranks: ReusedBuffer<UInt8>
    /// An eight-byte word for each row's sort key, compared as an unsigned number; empty for texts.
    /// Among keys of equal rank, a smaller word means a smaller key. Different keys may have equal
    /// words.
    let bits: ReusedBuffer<UInt64>
    /// Value of each row's key; empty if `bits` or `texts` describe the keys completely.
    private let values: ReusedBuffer<Value>
    /// Text or binary of each row's sort key; an empty text for null. Empty if the property has
    /// another type.
    let texts: ReusedBuffer<ByteView>
    private let isText: Bool
    /// Whether the column may contain values of different types. Such a column is sorted by
    /// comparing the values, because no eight-byte word could represent the order of values of all
    /// types.
    let isMixed: Bool
    let isExact: Bool
    /// Position of each row's value among the sorted distinct values of an enumerated column. Empty
    /// if the values of some rows are not among the distinct values.
    let places: ReusedBuffer<UInt32>
    private(set) var distinct: DistinctOrder?
    /// Copies of the first bytes of the texts; nil if the sort compares the texts in the mapped
    /// file.
    let heads: TextHeads?
    /// Cached result of `codes()`: for each row, the position of its key among the sorted distinct
    /// keys.
    var codeWords: [UInt64] = []
    /// Lowest and highest rank in `ranks`, for rows appended so far.
    private var rankRange: (lowest: UInt8, highest: UInt8) = (.max, .min)
    /// Whether some key is a decimal. A decimal may equal two doubles that differ from each other,
    /// so numbers then cannot be hashed.
    private var hasDecimals = false

    static let missing: UInt8 = 255

    /// - Parameter copiesTexts: whether texts are compared by copies of their first bytes, not in
    ///   the file's pages.
    init(
        _ key: BoundSortKey, _ evaluator: QueryEvaluator, capacity: Int, copiesTexts: Bool = false
    ) {
        self.key = key
        self.evaluator = evaluator
        let layout = key.column.layout
        let type = layout.type
        let isCollated = !key.collation.isBinary
        let isEnumerated = key.operand == nil && !layout.distinct.isNone && !isCollated
        if let operand = key.operand {
            isMixed = operand.type != .int
            isExact = !isMixed
        } else {
            isMixed = type == .mixed || key.key != nil || isCollated
            isExact = !isMixed && type.isOneNumber
        }
        isText = !isMixed && key.operand == nil && (type == .string || type == .binary)
        heads =
            isCollated || copiesTexts && (isMixed || isText) && !isEnumerated
            ? TextHeads(capacity: capacity, key.collation) : nil
        ranks = ReusedBuffer(capacity: capacity)
        bits = ReusedBuffer(capacity: isText ? 0 : capacity)
        values = ReusedBuffer(capacity: isExact || isText ? 0 : capacity)
        texts = ReusedBuffer(capacity: isText ? capacity : 0)
        places = ReusedBuffer(capacity: isEnumerated ? capacity : 0)
    }

    /// Memory in bytes that copies of texts use.
    var copiedSize: Int { heads?.size ?? 0 }

    /// Memory in bytes that the column uses per row to sort, without copies of texts.
    var rowSize: Int {
        let sizes =
            isText
            ? 1 + MemoryLayout<ByteView>.stride
            : 9 + (isExact ? 0 : MemoryLayout<Value>.stride)
        // To find the position of each key, a hash table and a list of the distinct keys are
        // needed.
        return form == .codes ? sizes + 64 : sizes
    }

    /// Whether all keys have the same rank, so that the sort need not compare ranks.
    var hasOneRank: Bool { rankRange.lowest >= rankRange.highest }

    /// Appends the sort keys of consecutive rows of one leaf. For integers and doubles, this is one
    /// loop over the packed array.
    func add(_ leaf: ClusterLeaf, _ rows: Range<Int>) throws(RealmError) {
        guard key.isOwn, isExact else { return try add(leaf, Array(rows)) }
        switch try leaf.column(key.column.leafIndex, key.column.layout) {
        case .integer(let cells): addIntegers(cells.node, 0, rows)
        case .nullableInteger(let cells):
            let start = bits.count
            addIntegers(cells.node, 1, rows)
            let nulls = cells.nullRows
            for row in rows where nulls.contains(row) { clear(start + row - rows.lowerBound) }
        case .double(let cells):
            let start = bits.count
            addRanks(rows.count)
            bits.append(count: rows.count) { words in
                let numbers = cells.numbers + rows.lowerBound
                for i in 0..<rows.count { words[i] = Self.bits(of: numbers[i]) }
            }
            let nulls = FloatKernels.rows(
                equalTo: DoubleLeaf.nullBits, cells.node.payload, count: cells.count)
            if nulls.isEmpty { return }
            for row in rows where nulls.contains(row) { clear(start + row - rows.lowerBound) }
        default: try add(leaf, Array(rows))
        }
    }

    private func addIntegers(_ node: NodeView, _ first: Int, _ rows: Range<Int>) {
        addRanks(rows.count)
        bits.append(count: rows.count) { words in
            words.withMemoryRebound(to: Int64.self, capacity: rows.count) { integers in
                IntegerKernels.decode(
                    node, first: first + rows.lowerBound, count: rows.count, into: integers)
            }
            for i in 0..<rows.count { words[i] ^= 1 << 63 }
        }
    }

    /// Appends the rank of the number types to `ranks` for `count` rows.
    private func addRanks(_ count: Int) {
        ranks.append(count: count) { $0.initialize(repeating: Self.numberRank, count: count) }
        rankRange = (
            min(rankRange.lowest, Self.numberRank), max(rankRange.highest, Self.numberRank)
        )
    }

    /// Changes the sort key of a row to null. The key must have been appended before.
    private func clear(_ row: Int) {
        ranks[row] = 0
        bits[row] = 0
        rankRange.lowest = 0
    }

    /// Appends the sort keys of the rows `rows` of one leaf, in the order of `rows`.
    func add(_ leaf: ClusterLeaf, _ rows: [Int]) throws(RealmError) {
        if key.isOwn {
            let cells = try leaf.column(key.column.leafIndex, key.column.layout)
            if case .string(let texts) = cells, texts.form == .enumerated, key.collation.isBinary {
                return try add(texts, rows, leaf)
            }
            return isExact ? try addExact(cells, rows) : try add(cells, rows, leaf)
        }
        for row in rows {
            let location = RowLocation(leaf: leaf, row: row)
            if let operand = key.operand {
                if let value = try evaluator.firstValue(of: operand, location) {
                    append(value)
                } else {
                    append(.null, rank: Self.missing)
                }
                continue
            }
            guard let target = try evaluator.follow(key.hops[...], from: location) else {
                append(.null, rank: Self.missing)
                continue
            }
            var value = try target.value(key.column)
            if let entry = key.key {
                if case .dictionary(let view) = value {
                    value = try evaluator.entry(view, entry, target) ?? .null
                } else {
                    value = .null
                }
            }
            append(value)
        }
    }

    private func add(
        _ cells: ColumnLeaf, _ rows: [Int], _ leaf: ClusterLeaf
    ) throws(RealmError) {
        let pass = evaluator.visits.pass
        for row in rows {
            let value = try cells.value(row)
            switch value {
            case .string(let text), .binary(let text):
                try pass.chargeValue(text.count, at: leaf.ref)
            default: break
            }
            append(value)
        }
    }

    /// Appends the sort keys of rows of a leaf. Only for integers, doubles and other types whose
    /// values the eight-byte word in `bits` represents completely.
    private func addExact(_ cells: ColumnLeaf, _ rows: [Int]) throws(RealmError) {
        switch cells {
        case .integer(let leaf):
            for row in rows { append(Self.bits(of: leaf.value(row)), rank: Self.numberRank) }
        case .nullableInteger(let leaf):
            for row in rows {
                let value = leaf.value(row)
                append(value.map(Self.bits) ?? 0, rank: value == nil ? 0 : Self.numberRank)
            }
        case .double(let leaf):
            for row in rows {
                let value = leaf.value(row)
                append(value.map(Self.bits) ?? 0, rank: value == nil ? 0 : Self.numberRank)
            }
        default: for row in rows { append(try cells.value(row)) }
        }
    }

    /// Appends a sort key that two numbers represent completely: its rank, and its word in `bits`.
    /// No value and no text are stored.
    @inline(__always)
    private func append(_ word: UInt64, rank: UInt8) {
        add(rank: rank)
        bits.append(word)
    }

    @inline(__always)
    private func add(rank: UInt8) {
        ranks.append(rank)
        rankRange = (min(rankRange.lowest, rank), max(rankRange.highest, rank))
    }

    private static let numberRank = UInt8(ValueOrder.rank(.int(0)) + 1)

    @inline(__always)
    private static func bits(of number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ 1 << 63 }

    /// Appends the sort keys of rows of a leaf of an enumerated column.
    private func add(
        _ texts: BytesLeaf, _ rows: [Int], _ leaf: ClusterLeaf
    ) throws(RealmError) {
        if distinct == nil { distinct = try DistinctOrder(texts) }
        guard let order = distinct else { return }
        let pass = evaluator.visits.pass
        for row in rows {
            guard let entry = order[texts.node.integer(row)] else { throw texts.damagedOffsets() }
            try pass.chargeValue(entry.size, at: leaf.ref)
            append(entry.value)
            places.append(entry.place)
        }
    }

    /// Appends the sort key of the next row: `value`, with the rank of its type.
    @inline(__always)
    func append(_ value: Value) {
        append(value, rank: UInt8(truncatingIfNeeded: ValueOrder.rank(value) &+ 1))
    }

    @inline(__always)
    private func append(_ value: Value, rank: UInt8) {
        add(rank: rank)
        if isText {
            texts.append(Self.text(of: value))
            heads?.append(value)
            return
        }
        bits.append(isMixed ? 0 : Self.bits(of: value))
        if isExact { return }
        values.append(value)
        heads?.append(value)
        if isMixed, case .decimal = value { hasDecimals = true }
    }

    @inline(__always)
    private static func text(of value: Value) -> ByteView {
        switch value {
        case .string(let text), .binary(let text): text
        default: .empty
        }
    }

    /// The value of a row's sort key, for columns whose eight-byte words do not represent the keys
    /// completely.
    @inline(__always)
    func value(_ row: Int) -> Value {
        guard isText else { return values[row] }
        if ranks[row] == 0 || ranks[row] == Self.missing { return .null }
        return key.column.layout.type == .string ? .string(texts[row]) : .binary(texts[row])
    }

    /// The eight-byte word by which the key of a row is sorted first.
    @inline(__always)
    private func word(_ row: Int) -> UInt64 {
        isText ? (heads?[row] ?? texts[row]).orderedHead : bits[row]
    }

    @inline(__always)
    private static func bits(of value: Value) -> UInt64 {
        switch value {
        case .int(let x): bits(of: x)
        case .bool(let x): x ? 1 : 0
        case .float(let x): bits(of: Double(x))
        case .double(let x): bits(of: x)
        case .timestamp(let time): UInt64(bitPattern: time.seconds) ^ 1 << 63
        case .objectID(let id): id.high
        case .uuid(let id): id.high
        case .link(let link): UInt64(bitPattern: link.key.raw) ^ 1 << 63
        case .string, .binary, .decimal, .null, .list, .set, .dictionary: 0
        }
    }

    private static func bits(of x: Double) -> UInt64 {
        // Sort all NaNs as equal and below every number, and -0 as equal to 0.
        if x.isNaN { return 0 }
        let pattern = x == 0 ? 0 : x.bitPattern
        return pattern >> 63 != 0 ? ~pattern : pattern | 1 << 63
    }

    // MARK: Spilled records

    /// Size in bytes of the fixed-size part of a sort key in a spilled record. This part contains
    /// an eight-byte word, the rank of the value's type, and the length and offset of the text's
    /// copy. The value follows, unless the word represents the whole key. The copied bytes of the
    /// text are not counted; they are stored at the end of the record.
    var recordSize: Int { isExact ? 16 : 16 + (MemoryLayout<Value>.stride + 15) & ~15 }

    /// Maximum size in bytes of the copied text at the end of a spilled record.
    var maximumTailSize: Int { heads == nil ? 0 : TextHeads.maximumLength }

    /// Writes the fixed-size part of the sort key of `row` at `p`, and the copied bytes of its text
    /// at `p + tail`. Returns the number of copied bytes.
    func write(_ row: Int, to p: UnsafeMutableRawPointer, tail: Int) -> Int {
        p.storeBytes(of: word(row), as: UInt64.self)
        p.storeBytes(of: ranks[row], toByteOffset: 8, as: UInt8.self)
        if !isExact { p.storeBytes(of: value(row), toByteOffset: 16, as: Value.self) }
        guard let head = heads?[row] else { return 0 }
        p.storeBytes(of: UInt16(head.count), toByteOffset: 10, as: UInt16.self)
        p.storeBytes(of: UInt32(tail), toByteOffset: 12, as: UInt32.self)
        (p + tail).copyMemory(from: head.base, byteCount: head.count)
        return head.count
    }

    /// Compares the sort keys in two spilled records: negative, zero or positive.
    func compareRecords(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Int {
        let rankA = a.load(fromByteOffset: 8, as: UInt8.self)
        let rankB = b.load(fromByteOffset: 8, as: UInt8.self)
        if rankA != rankB { return rankA < rankB ? -1 : 1 }
        let bitsA = a.load(as: UInt64.self)
        let bitsB = b.load(as: UInt64.self)
        if bitsA != bitsB { return bitsA < bitsB ? -1 : 1 }
        if isExact { return 0 }
        let values = (
            a.load(fromByteOffset: 16, as: Value.self), b.load(fromByteOffset: 16, as: Value.self)
        )
        return heads != nil && Self.isText(rankA)
            ? TextHeads.compare(Self.head(of: a), Self.head(of: b), values, key.collation)
            : ValueRules.compare(values.0, values.1)
    }

    private static func head(of key: UnsafeRawPointer) -> ByteView {
        let tail = Int(key.load(fromByteOffset: 12, as: UInt32.self))
        return ByteView(key + tail, count: Int(key.load(fromByteOffset: 10, as: UInt16.self)))
    }

    private static func isText(_ rank: UInt8) -> Bool { rank == stringRank || rank == binaryRank }

    private static let stringRank = UInt8(ValueOrder.rank(.string(.empty)) + 1)
    private static let binaryRank = UInt8(ValueOrder.rank(.binary(.empty)) + 1)

    /// Whether the sort key stored in a record had a null link in its path.
    func isMissing(_ record: UnsafeRawPointer) -> Bool {
        record.load(fromByteOffset: 8, as: UInt8.self) == Self.missing
    }

    // MARK: Codes

    /// Returns one number per row: ascending in the order of the keys, and equal for equal keys.
    func codes() -> [UInt64] { placeCodes() ?? packedCodes() ?? rankedCodes() }

    /// Returns the position of each row's value among the sorted distinct values of an enumerated
    /// column. Nil if the values of some rows are not among the distinct values.
    private func placeCodes() -> [UInt64]? {
        guard distinct != nil, places.count == ranks.count else { return nil }
        return places.all.map { UInt64($0) }
    }

    /// Returns a number for each row; the numbers have the order of the keys. The number is the
    /// row's word in `bits` minus the smallest word, plus 1. Null gets 0, and a null link in the
    /// path gets the largest number. Nil if the words in `bits` do not represent the keys
    /// completely, or if their range is too large.
    private func packedCodes() -> [UInt64]? {
        guard isExact else { return nil }
        let ranks = ranks.all
        let bits = bits.all
        var low = UInt64.max
        var high: UInt64 = 0
        for i in ranks.indices where ranks[i] != 0 && ranks[i] != Self.missing {
            low = min(low, bits[i])
            high = max(high, bits[i])
        }
        if low > high { (low, high) = (0, 0) }
        guard high &- low < .max - 2 else { return nil }
        let highest = high &- low &+ 2
        var codes = [UInt64](repeating: 0, count: bits.count)
        for i in ranks.indices where ranks[i] != 0 {
            codes[i] = ranks[i] == Self.missing ? highest : bits[i] &- low &+ 1
        }
        return codes
    }

    /// Returns each row's position in the sorted list of distinct keys.
    private func rankedCodes() -> [UInt64] {
        // A decimal may equal two different doubles, so equal numbers may have different hashes.
        // With decimals, sort all rows without removing duplicates first.
        let everyRow = (0..<UInt32(ranks.count)).map { $0 }
        let (ids, firsts) = hasDecimals ? (everyRow, everyRow) : distinctKeys()
        var order = Array(0..<firsts.count)
        order.sort {
            let way = compare(Int(firsts[$0]), Int(firsts[$1]))
            return way != 0 ? way < 0 : $0 < $1
        }
        var codeOfID = [UInt64](repeating: 0, count: firsts.count)
        var code: UInt64 = 0
        for (place, id) in order.enumerated() {
            if place > 0, compare(Int(firsts[order[place - 1]]), Int(firsts[id])) != 0 { code += 1 }
            codeOfID[id] = code
        }
        return ids.map { codeOfID[Int($0)] }
    }

    /// Assigns an ordinal to each distinct key. Returns the ordinal of each row's key, and for each
    /// ordinal the first row with this key.
    private func distinctKeys() -> (ids: [UInt32], firsts: [UInt32]) {
        var capacity = 1024
        while capacity < ranks.count * 2 { capacity *= 2 }
        var slots = [UInt32](repeating: .max, count: capacity)
        var ids = [UInt32](repeating: 0, count: ranks.count)
        var firsts: [UInt32] = []
        for row in 0..<ranks.count {
            var slot = Int(truncatingIfNeeded: hash(row)) & (capacity - 1)
            while slots[slot] != .max, compare(Int(firsts[Int(slots[slot])]), row) != 0 {
                slot = (slot + 1) & (capacity - 1)
            }
            if slots[slot] == .max {
                slots[slot] = UInt32(firsts.count)
                firsts.append(UInt32(row))
            }
            ids[row] = slots[slot]
        }
        return (ids, firsts)
    }

    /// Compares the sort keys of two rows: negative, zero or positive.
    @inline(__always)
    func compare(_ a: Int, _ b: Int) -> Int {
        if ranks[a] != ranks[b] { return ranks[a] < ranks[b] ? -1 : 1 }
        if isText, heads == nil { return ByteView.compare(texts[a], texts[b]) }
        let (wordA, wordB) = (word(a), word(b))
        if wordA != wordB { return wordA < wordB ? -1 : 1 }
        if isExact { return 0 }
        guard let heads, Self.isText(ranks[a]) else {
            return ValueRules.compare(value(a), value(b))
        }
        return TextHeads.compare(heads[a], heads[b], (value(a), value(b)), key.collation)
    }

    /// Returns a hash of the row's sort key; rows with equal keys have equal hashes.
    @inline(__always)
    private func hash(_ row: Int) -> UInt64 {
        var hash = (UInt64(ranks[row]) ^ word(row)) &* Self.multiplier
        if !isExact {
            switch value(row) {
            case .string(let text), .binary(let text):
                let length = key.collation.isBinary ? text.count : 0
                hash ^= Self.hash(heads?[row] ?? text) ^ UInt64(length)
            case .timestamp(let time):
                hash ^= UInt64(truncatingIfNeeded: time.nanoseconds) &* Self.multiplier
            case .objectID(let id): hash ^= UInt64(id.low) &* Self.multiplier
            case .uuid(let id): hash ^= id.low &* Self.multiplier
            case .int(let x) where !hasDecimals:
                hash ^= Self.bits(of: Double(x)) &* Self.multiplier
            case .float(let x) where !hasDecimals:
                hash ^= Self.bits(of: Double(x)) &* Self.multiplier
            case .double(let x) where !hasDecimals: hash ^= Self.bits(of: x) &* Self.multiplier
            default: break
            }
        }
        return hash ^ hash >> 32
    }

    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

    @inline(__always)
    private static func hash(_ text: ByteView) -> UInt64 {
        var hash = UInt64(text.count)
        var i = 0
        while i &+ 8 <= text.count {
            let word = text.base.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            hash = (hash ^ word) &* multiplier
            hash ^= hash >> 29
            i &+= 8
        }
        while i < text.count {
            hash = (hash ^ UInt64(text.base.load(fromByteOffset: i, as: UInt8.self))) &* multiplier
            i &+= 1
        }
        return hash
    }
}
