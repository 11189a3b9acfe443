/// Mixed values: those that fit their word change in it, and new ones go behind the ends of their
/// pools (object format 3.13).
extension ColumnEditor {
    /// False unless the old value and the new one are in the word alone.
    func setMixed(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) -> Bool {
        guard let word = Self.word(value) else { return false }
        let leaf = try nodes.ownRefs(slot)
        let words = try nodes.own(leaf.slots).view
        guard i < words.count else { throw nodes.outside(slot) }
        let old = words.integer(i)
        guard old == 0 || (old >> 5 & 7 == 0 && old & 0x1F <= 2) else { return false }
        try nodes.setInteger(leaf.slots, i, word)
        return true
    }

    /// False when the value does not go behind all others, or leads to a collection.
    func appendMixed(_ slot: RefSlot, _ i: Int, _ value: Value) throws(RealmError) -> Bool {
        let leaf = try nodes.ownRefs(slot)
        guard leaf.count == 6, try nodes.own(leaf.slots).count == i else { return false }
        var word = Self.word(value)
        if word == nil { word = try pooled(leaf, value) }
        guard let word else { return false }
        try nodes.insertInteger(leaf.slots, i, word)
        if leaf.slots[5] != 0 { try nodes.insertInteger(leaf.slots + 5, i, 0) }
        return true
    }

    private static func word(_ value: Value) -> Int64? {
        switch value {
        case .null, .set: 0
        case .int(let v): v >= -0x8000_0000 && v <= 0x7FFF_FFFF ? v << 8 | 1 : nil
        case .bool(let v): (v ? 1 : 0) << 8 | 2
        default: nil
        }
    }

    /// Adds a value to its pool and answers the word that leads to it.
    private func pooled(_ leaf: SlabNode, _ value: Value) throws(RealmError) -> Int64? {
        switch value {
        case .int(let v): return try number(leaf, v, type: 1)
        case .float(let v): return try number(leaf, Int64(v.bitPattern), type: 10)
        case .double(let v): return try number(leaf, Int64(bitPattern: v.bitPattern), type: 11)
        case .timestamp(let v): return try pair(leaf, v.seconds, Int64(v.nanoseconds), type: 9)
        case .decimal(let v):
            return try pair(leaf, Int64(bitPattern: v.low), Int64(bitPattern: v.high), type: 12)
        case .link(let v): return try pair(leaf, Int64(v.table.raw), v.key.raw, type: 17)
        case .string(let v): return try bytes(leaf, v, type: 3)
        case .binary(let v): return try bytes(leaf, v, type: 5)
        default: return nil
        }
    }

    private func number(
        _ leaf: SlabNode, _ v: Int64, type: Int64
    ) throws(RealmError) -> Int64 {
        let index = try append(leaf.slots + 1, v)
        return MixedEncoder.word(index, pool: 1, type: type)
    }

    private func pair(
        _ leaf: SlabNode, _ a: Int64, _ b: Int64, type: Int64
    ) throws(RealmError) -> Int64 {
        let index = try append(leaf.slots + 2, a)
        _ = try append(leaf.slots + 2, b)
        return MixedEncoder.word(index / 2, pool: 2, type: type)
    }

    private func bytes(
        _ leaf: SlabNode, _ v: ByteView, type: Int64
    ) throws(RealmError) -> Int64? {
        let strings = ColumnEditor(
            context, LeafLayout(elements: ElementType(type: .string, isNullable: false)))
        let pool = leaf.slots + 3
        if pool.pointee == 0 { pool.pointee = try strings.makeEmpty().raw }
        let count = try BytesLeaf(pool: Ref(pool.pointee), nodes.space).count
        try strings.insert(.string(v), pool, at: count)
        return MixedEncoder.word(count, pool: 3, type: type)
    }

    /// Index of a number added to a pool.
    private func append(_ pool: RefSlot, _ v: Int64) throws(RealmError) -> Int {
        if pool.pointee == 0 { pool.pointee = try context.encoder.integers([]).raw }
        let count = try nodes.own(pool).count
        try nodes.insertInteger(pool, count, v)
        return count
    }
}
